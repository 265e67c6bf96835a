// The relaxation is a bound: no program that an e-graph holds costs less than it says. And on small
// sites, where all programs can be tried, the extractor finds the best.
//
// FLIPSAT_RANDOM_PROGRAMS is the number of programs, FLIPSAT_RANDOM_SEED the first seed.
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "extract/extraction.h"
#include "extract/relaxation.h"
#include "frontends/text/text.h"
#include "hlo/combiner.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/optimizer/random_selection.h"
#include "tests/random_programs/generator.h"

namespace flipsat::optimizer {
namespace {

using random_programs::Random;

uint64_t number_from(const char* variable, uint64_t absent) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : absent;
}

extract::CostOptions random_cost(Random& random) {
  extract::CostOptions cost;
  cost.combiner =
      hlo::combiner_preset(random.one_of<std::string>({"neuron", "xla-gpu", "xla-cpu", "none"}));
  // Limits that bite on small programs.
  if (random.chance(50)) {
    for (auto* limits : {&cost.combiner.all_gather, &cost.combiner.all_reduce,
                         &cost.combiner.reduce_scatter, &cost.combiner.collective_permute}) {
      limits->max_bytes = random.one_of<int64_t>({16, 64, 256, 1024});
      limits->max_count = random.one_of<int64_t>({1, 2, 3, 8});
    }
  }
  cost.machine = random.one_of<std::string>({"trn2", "tpu-v5e", "h100"});
  cost.objective = random.one_of(
      {extract::Objective::kTime, extract::Objective::kBytes, extract::Objective::kLaunches});
  return cost;
}

struct Counts {
  int64_t programs = 0, unbounded = 0, compared = 0, tight = 0;
};

void check(uint64_t seed, Counts& counts) {
  INFO("seed " << seed);
  Random random(seed ^ 0xb0d);
  const hlo::Module module = frontends::read_text(random_programs::random_program(seed), "random");
  const hlo::DeviceCounts devices = hlo::infer_device_counts(module, {});
  const auto numerics = random.one_of({hlo::Numerics::kExact, hlo::Numerics::kReassoc});
  testing::RandomSelection programs(module, devices, {numerics, false, {}, {}}, {}, false);
  const extract::CostOptions cost = random_cost(random);
  const std::vector<bool> surroundings = extract::collective_surroundings(module);
  extract::Problem problem(module, programs.import(), programs.hlo(), cost, programs.calls(),
                           surroundings);
  ++counts.programs;
  for (int near = 0; near < 2; ++near) {
    // A program drawn by chance; the input where chance will have none.
    auto draw = [&](extract::ProgramState& state) {
      const std::optional<language::Selection> selection = programs.select(random);
      if (!selection) return;
      for (const auto& [cls, node] : selection->chosen) {
        // What copies only what a compiler would find itself is no choice to an extractor.
        const bool is_choice = problem.originals(cls).empty() ||
                               std::ranges::count(problem.definitions(cls), node) > 0;
        if (is_choice) state.choose(cls, node);
      }
      if (state.cost()) return;
      for (const auto& [cls, node] : selection->chosen) state.choose(cls, egraph::kNoId);
    };
    // Made near the input, and near another program.
    extract::ProgramState origin(problem);
    if (near) draw(origin);
    origin.settle();
    const extract::Relaxation relaxation(problem, origin, {});
    if (!relaxation.problem()) {
      ++counts.unbounded;
      continue;
    }
    for (int drawn = 0; drawn < 12; ++drawn) {
      extract::ProgramState state(problem);
      if (drawn > 0) draw(state);
      const std::optional<extract::StateCost> truly = state.cost();
      REQUIRE(truly);
      const std::optional<egraph::Cost> relaxed =
          egraph::dag::cost_of(*relaxation.problem(), relaxation.selection_of(state));
      REQUIRE(relaxed);
      ++counts.compared;
      const int64_t bound = static_cast<int64_t>(*relaxed) + relaxation.fixed();
      counts.tight += truly->objective - bound <= truly->objective / 1'000'000;
      if (bound > truly->objective) {
        FAIL_CHECK("seed " << seed << ": a program costs " << truly->objective
                           << ", its relaxation " << bound << " (" << cost.machine << ", "
                           << cost.combiner.name << ", objective "
                           << static_cast<int>(cost.objective) << ")");
        return;
      }
    }
  }
}

TEST_CASE("relaxation: no program costs less than it says") {
  const uint64_t first = number_from("FLIPSAT_RANDOM_SEED", 1);
  const uint64_t programs = number_from("FLIPSAT_RANDOM_PROGRAMS",
                                        flipsat::testing::length<uint64_t>({2000, 300}, {200, 30}));
  Counts counts;
  for (uint64_t seed = first; seed < first + programs; ++seed) check(seed, counts);
  std::cout << "counted: relaxation: " << counts.programs << " modules, " << counts.compared
            << " programs compared, " << counts.tight << " at their cost, " << counts.unbounded
            << " without a bound\n";
  CHECK(counts.compared > static_cast<int64_t>(programs));
}

// The least that any combination of definitions costs; nullopt where there are too many.
std::optional<int64_t> least_of_all(extract::Problem& problem, testing::RandomSelection& programs) {
  struct Open {
    language::ClassId cls;
    std::vector<language::NodeId> nodes;
  };
  const egraph::EGraph& graph = programs.hlo().graph();
  std::vector<Open> open;
  int64_t combinations = 1;
  for (language::ClassId cls : graph.classes()) {
    Open choice{cls, {}};
    if (problem.originals(cls).empty()) {
      for (language::NodeId node : graph.nodes(cls)) {
        if (problem.can_hold(node)) choice.nodes.push_back(node);
      }
    } else {
      choice.nodes = problem.definitions(cls);
      choice.nodes.push_back(egraph::kNoId);
    }
    if (choice.nodes.empty()) continue;
    combinations *= static_cast<int64_t>(choice.nodes.size());
    if (combinations > 4096) return std::nullopt;
    open.push_back(std::move(choice));
  }
  std::optional<int64_t> least;
  extract::ProgramState state(problem);
  for (int64_t number = 0; number < combinations; ++number) {
    int64_t rest = number;
    for (const Open& choice : open) {
      const auto count = static_cast<int64_t>(choice.nodes.size());
      state.choose(choice.cls, choice.nodes[rest % count]);
      rest /= count;
    }
    const std::optional<extract::StateCost> cost = state.cost();
    if (cost && (!least || cost->objective < *least)) least = cost->objective;
  }
  return least;
}

TEST_CASE("extraction: on small sites its bound holds, and its program is the best") {
  const uint64_t first = number_from("FLIPSAT_RANDOM_SEED", 1);
  const uint64_t programs = number_from(
      "FLIPSAT_RANDOM_PROGRAMS", flipsat::testing::length<uint64_t>({20000, 2000}, {2000, 200}));
  int64_t sites = 0, with_choices = 0, best = 0, proved = 0;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    INFO("seed " << seed);
    Random random(seed ^ 0x517e);
    const hlo::Module module =
        frontends::read_text(random_programs::random_program(seed), "random");
    const hlo::DeviceCounts devices = hlo::infer_device_counts(module, {});
    const auto numerics = random.one_of({hlo::Numerics::kExact, hlo::Numerics::kReassoc});
    testing::RandomSelection all(module, devices, {numerics, false, {}, {}}, {}, false);
    const extract::CostOptions cost = random_cost(random);
    const std::vector<bool> surroundings = extract::collective_surroundings(module);
    extract::Problem problem(module, all.import(), all.hlo(), cost, all.calls(), surroundings);
    const std::optional<int64_t> least = least_of_all(problem, all);
    if (!least) continue;
    ++sites;
    extract::ProgramState state(problem);
    with_choices += state.cost()->objective != *least;
    const extract::ExtractionResult found = extract::extract(problem, state, {}, {.most_work = 100'000});
    REQUIRE(found.best.objective >= *least);
    if (found.bound) REQUIRE(*found.bound <= *least);
    best += found.best.objective == *least;
    proved += found.bound == *least;
    if (found.best.objective != *least) {
      std::cout << "seed " << seed << ": " << found.best.objective << ", best " << *least << "\n";
    }
  }
  std::cout << "counted: extraction: " << sites << " sites, " << with_choices
            << " with something to gain, " << best << " at the best, " << proved
            << " with that as their bound\n";
  CHECK(best * 100 >= sites * 99);
}

}  // namespace
}  // namespace flipsat::optimizer
