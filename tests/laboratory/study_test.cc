// The laboratory's programs, the best and the worst of them, against a plain run of every order.
#include "laboratory/study.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <set>

#include "frontends/file.h"
#include "frontends/text/text.h"
#include "laboratory/learning.h"
#include "passes/pipeline.h"
#include "tests/catch.h"
#include "tests/length.h"

namespace flipsat::laboratory {
namespace {

// Dead code, and three passes that meet: the order decides how far each gather gets.
constexpr const char* kMeeting = R"(HloModule meeting, num_partitions=4

ENTRY main {
  x = f32[2,5] parameter(0)
  y = f32[2,5] parameter(1)
  g = f32[8,5] all-gather(x), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  h = f32[8,5] all-gather(y), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  gr = f32[40] reshape(g)
  hr = f32[40] reshape(h)
  sum = f32[40] add(gr, hr)
  dead = bf16[40] convert(hr)
  ROOT c = bf16[40] convert(sum)
}
)";

constexpr const char* kSlices = R"(HloModule slices, num_partitions=2

ENTRY main {
  x = f32[3,4,8] parameter(0)
  i = s32[] constant(1)
  zero = s32[] constant(0)
  g = f32[3,8,8] all-gather(x), channel_id=1, replica_groups={{0,1}}, dimensions={1}, use_global_device_ids=true
  one = f32[1,8,4] dynamic-slice(g, i, zero, i), dynamic_slice_sizes={1,8,4}
  flat = f32[8,4] reshape(one)
  ROOT narrow = bf16[8,4] convert(flat)
}
)";

hlo::Module read(const std::string& text) { return frontends::read_text(text, "test.hlo"); }

// One order run on a copy of its own.
struct PlainRun {
  std::string text;
  extract::ProgramCost cost;
  passes::Identity live;
};

class PlainRuns {
 public:
  PlainRuns(const hlo::Module& input, Mode mode)
      : input_(input),
        identities_(input, passes_mode(mode)),
        counts_(hlo::infer_device_counts(input, {})),
        surroundings_(extract::collective_surroundings(input)) {
    greedy_.mode = passes_mode(mode);
  }

  // Nullopt where a pass goes wrong.
  std::optional<PlainRun> run(const std::vector<std::string>& order, passes::Sweeps sweeps) {
    greedy_.sweeps = sweeps;
    greedy_.order.clear();
    for (const std::string& name : order) greedy_.order.push_back("aws_neuron_flip_" + name);
    hlo::Module program = input_;
    try {
      passes::run_greedy(program, greedy_);
    } catch (const std::logic_error&) {
      return std::nullopt;
    }
    return PlainRun{
        frontends::write_text(program),
        extract::price_program(program, counts_, optimizer::Options{}.cost, surroundings_),
        identities_.of_live(program)};
  }

 private:
  static passes::Mode passes_mode(Mode mode) {
    return mode == Mode::kLiteral ? passes::Mode::kLiteral : passes::Mode::kSound;
  }

  const hlo::Module& input_;
  passes::IdentityFinder identities_;
  passes::GreedyOptions greedy_;
  hlo::DeviceCounts counts_;
  std::vector<bool> surroundings_;
};

// Gives the number of programs.
size_t check_against_plain_runs(const hlo::Module& input, Mode mode, passes::Sweeps sweeps) {
  StudyOptions options;
  options.mode = mode;
  options.sweeps = sweeps;
  const Study found = study(input, options);
  PlainRuns plain(input, mode);
  std::set<std::vector<std::string>> orders;
  std::map<std::string, uint32_t> program_of_text;
  std::map<uint32_t, passes::Identity> live_of;
  std::optional<int64_t> best, worst;
  for (uint32_t i = 0; i < found.orders.size(); ++i) {
    CHECK(orders.insert(found.names(i)).second);
    const uint32_t at = found.program_of[i];
    const FinalProgram& program = found.programs[at];
    CHECK(std::ranges::count(program.orders, i) == 1);
    const std::optional<PlainRun> run = plain.run(found.names(i), sweeps);
    CHECK(run.has_value() == program.cost.has_value());
    if (!run || !program.cost) continue;
    CHECK(run->cost.time == program.cost->time);
    CHECK(run->cost.plain.launches == program.cost->plain.launches);
    CHECK(run->cost.executed.wire_bytes == program.cost->executed.wire_bytes);
    CHECK(run->cost.peak_bytes == program.cost->peak_bytes);
    // What reads the same is the same, and what is the same computes alike.
    CHECK(program_of_text.try_emplace(run->text, at).first->second == at);
    CHECK(live_of.try_emplace(at, run->live).first->second == run->live);
    best = std::min(best.value_or(run->cost.time), run->cost.time);
    worst = std::max(worst.value_or(run->cost.time), run->cost.time);
  }
  CHECK(orders.size() == 720);
  // Programs that are told apart differ in what they compute with or in what they cost.
  for (const auto& [one, live] : live_of) {
    for (const auto& [other, other_live] : live_of) {
      if (one == other || live != other_live) continue;
      CHECK((found.programs[one].cost->time != found.programs[other].cost->time ||
             found.programs[one].cost->peak_bytes != found.programs[other].cost->peak_bytes));
    }
  }
  std::optional<int64_t> first, last;
  for (const FinalProgram& program : found.programs) {
    if (!program.cost) continue;
    if (!first) first = program.cost->time;
    last = program.cost->time;
  }
  CHECK(first == best);
  CHECK(last == worst);
  const int64_t counted =
      std::accumulate(found.programs.begin(), found.programs.end(), int64_t{0},
                      [](int64_t sum, const FinalProgram& program) {
                        return sum + static_cast<int64_t>(program.orders.size());
                      });
  CHECK(counted == 720);
  return found.programs.size();
}

TEST_CASE("laboratory: programs, best and worst are those of 720 plain runs, on small modules") {
  size_t most = 0;
  for (const char* text : {kMeeting, kSlices}) {
    for (Mode mode : {Mode::kSound, Mode::kLiteral}) {
      for (passes::Sweeps sweeps : {passes::Sweeps::kOnce, passes::Sweeps::kFixPoint}) {
        most = std::max(most, check_against_plain_runs(read(text), mode, sweeps));
      }
    }
  }
  CHECK(most >= 3);
}

TEST_CASE("laboratory: programs, best and worst are those of 720 plain runs, on corpus cases") {
  const char* root = std::getenv("FLIPSAT_CORPUS");
  if (!root) {
    std::cout << "skipped: FLIPSAT_CORPUS does not name a folder\n";
    return;
  }
  std::vector<std::filesystem::path> cases;
  for (const auto& entry : std::filesystem::directory_iterator(root + std::string("/cases"))) {
    cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  cases.resize(flipsat::testing::length<size_t>({cases.size(), cases.size()}, {5, 2}));
  for (const std::filesystem::path& path : cases) {
    INFO(path.string());
    const hlo::Module input = frontends::read_module(path.string());
    check_against_plain_runs(input, Mode::kSound, passes::Sweeps::kOnce);
    check_against_plain_runs(input, Mode::kLiteral, passes::Sweeps::kOnce);
  }
}

TEST_CASE(
    "laboratory: no order is better than the optimizer's program, and that not than the bound") {
  int with_bound = 0;
  for (const char* text : {kMeeting, kSlices}) {
    const Study found = study(read(text), {});
    const int64_t output = found.result.output_cost.time;
    if (found.result.bound) {
      CHECK(*found.result.bound <= output);
      ++with_bound;
    }
    for (const FinalProgram& program : found.programs) {
      CHECK(program.correctness.correct == Correct::kYes);
      CHECK(program.cost->time >= output);
    }
  }
  CHECK(with_bound > 0);
}

// A study that says what it is told: the cost of each order.
Study study_of(const std::vector<int64_t>& costs, const std::vector<Correct>& correct) {
  Study made;
  made.passes = {"a", "b", "c"};
  made.listed = 3;
  made.orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}};
  for (uint32_t i = 0; i < costs.size(); ++i) {
    FinalProgram& program = made.programs.emplace_back();
    program.orders = {i};
    program.cost.emplace().time = costs[i];
    program.correctness.correct = correct[i];
    made.program_of.push_back(i);
  }
  made.result.output_cost.time = 100;
  return made;
}

bool is_near(std::optional<double> found, double expected) {
  return found && std::abs(*found - expected) < 1e-12;
}

TEST_CASE("learning: the best single order has the least mean regret, and none that is wrong") {
  const std::vector<Correct> right(3, Correct::kYes);
  const Study one = study_of({100, 110, 150}, right);
  const Study two = study_of({300, 200, 210}, right);
  const Study three = study_of({100, 100, 100}, right);
  const Learning learning = learn({&one, &two, &three}, extract::Objective::kTime);
  CHECK(learning.matters_on == 2);
  REQUIRE(learning.classes.size() == 3);
  CHECK(learning.classes[0].orders == std::vector<uint32_t>{1});  // 0.1, 0, 0
  CHECK(is_near(learning.classes[0].mean_regret, 0.1 / 3));
  CHECK(learning.classes[0].best_on == 2);
  CHECK(learning.classes[1].orders == std::vector<uint32_t>{0});  // 0, 0.5, 0
  CHECK(learning.classes[2].orders == std::vector<uint32_t>{2});  // 0.5, 0.05, 0
  CHECK(is_near(learning.classes[2].worst_regret, 0.5));
  CHECK(is_near(learning.mean_regret, (0.1 + 0.5 + 0.55) / 9));
  // Without the first the second order is the best, without the second the first, which costs half
  // as much again there.
  REQUIRE(learning.left_out.size() == 3);
  CHECK(learning.left_out[0].order == 1);
  CHECK(learning.left_out[1].order == 0);
  CHECK(is_near(learning.left_out[1].regret, 0.5));
  CHECK(is_near(learning.left_out_regret, (0.1 + 0.5 + 0) / 3));

  const Study wrong = study_of({100, 90, 100}, {Correct::kYes, Correct::kNo, Correct::kYes});
  const Learning careful = learn({&two, &wrong}, extract::Objective::kTime);
  CHECK(careful.classes.front().orders == std::vector<uint32_t>{2});
  CHECK(careful.classes.back().wrong_on == 1);
  CHECK_FALSE(careful.classes.back().regrets[1]);
  // What is wrong is no measure for the others.
  CHECK(careful.classes.front().regrets[1] == 0.0);
}

}  // namespace
}  // namespace flipsat::laboratory
