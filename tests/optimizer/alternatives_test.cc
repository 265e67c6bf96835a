// The next best programs. On small sites, where all programs can be tried, they are the best that
// there are; on all modules they are distinct, in order, proved, and none is below the output.
//
// FLIPSAT_RANDOM_PROGRAMS is the number of programs, FLIPSAT_RANDOM_SEED the first seed.
#include "extract/alternatives.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "extract/extraction.h"
#include "frontends/file.h"
#include "frontends/text/text.h"
#include "hlo/combiner.h"
#include "optimizer/optimize.h"
#include "optimizer/random_selection.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/optimizer/all_programs.h"
#include "tests/random_programs/generator.h"

namespace flipsat::optimizer {
namespace {

using testing::for_each_program;
using testing::number_from;
using testing::random_cost;

using Costs = std::vector<std::pair<int64_t, int64_t>>;  // objective, time

constexpr size_t kTold = 12;

// Costs of the distinct programs that all combinations of definitions make, the least first;
// nullopt where there are too many.
std::optional<Costs> all_costs(extract::Problem& problem, RandomSelection& programs) {
  std::map<extract::ProgramSignature, std::pair<int64_t, int64_t>> distinct;
  const bool is_done = for_each_program(
      problem, programs, [&](extract::ProgramState& state, extract::StateCost cost) {
        state.settle();
        distinct.emplace(extract::program_signature(problem, state, cost),
                         std::pair(cost.objective, cost.time));
      });
  if (!is_done) return std::nullopt;
  Costs costs;
  for (const auto& [signature, cost] : distinct) costs.push_back(cost);
  std::sort(costs.begin(), costs.end());
  return costs;
}

// What the search tells from the best program on.
Costs told(extract::Problem& problem, const extract::ProgramState& best,
           const extract::AlternativeOptions& options, bool& is_exact) {
  extract::ProgramState state = best;
  extract::Alternatives search(problem, state, options);
  is_exact = search.is_exact();
  Costs costs;
  std::set<extract::ProgramSignature> seen;
  while (costs.size() < kTold) {
    const std::optional<extract::Alternatives::Program> program = search.next();
    if (!program) break;
    costs.emplace_back(program->cost.objective, program->cost.time);
    // The selection is that program, and another one than those before.
    extract::ProgramState again(problem);
    for (const auto& [cls, node] : program->selection.chosen) again.choose(cls, node);
    REQUIRE(again.cost() == program->cost);
    again.settle();
    CHECK(seen.insert(extract::program_signature(problem, again, program->cost)).second);
  }
  return costs;
}

TEST_CASE("alternatives: on small sites they are the best that all combinations make") {
  const uint64_t first = number_from("FLIPSAT_RANDOM_SEED", 1);
  const uint64_t programs = number_from(
      "FLIPSAT_RANDOM_PROGRAMS", flipsat::testing::length<uint64_t>({10000, 1000}, {1000, 100}));
  int64_t sites = 0, exact = 0, with_several = 0, near = 0;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    INFO("seed " << seed);
    Random random(seed ^ 0xa17);
    const hlo::Module module =
        frontends::read_text(random_programs::random_program(seed), "random");
    const hlo::DeviceCounts devices = hlo::infer_device_counts(module, {});
    const auto numerics = random.one_of({hlo::Numerics::kExact, hlo::Numerics::kReassoc});
    RandomSelection all(module, devices, {numerics, false, {}, {}}, {}, false);
    const extract::CostOptions cost = random_cost(random);
    const std::vector<bool> surroundings = extract::collective_surroundings(module);
    extract::Problem problem(module, all.import(), all.hlo(), cost, all.calls(), surroundings);
    std::optional<Costs> expected = all_costs(problem, all);
    if (!expected) continue;
    ++sites;
    with_several += expected->size() > 2;
    if (expected->size() > kTold) expected->resize(kTold);
    extract::ProgramState state(problem);
    extract::extract(problem, state, {}, {.most_work = 100'000});
    bool is_exact = false;
    Costs found = told(problem, state, {}, is_exact);
    exact += is_exact;
    if (is_exact) REQUIRE(found == *expected);
    // Without trying all of them: never better than the best, and mostly as good.
    extract::AlternativeOptions by_neighbours;
    by_neighbours.most_made = 0;
    found = told(problem, state, by_neighbours, is_exact);
    std::sort(found.begin(), found.end());
    CHECK_FALSE(is_exact);
    REQUIRE(found.size() <= expected->size());
    for (size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] >= (*expected)[i]);
    near += found == *expected;
  }
  std::cout << "counted: alternatives: " << sites << " sites, " << with_several
            << " with more than two programs, " << exact << " exact, " << near
            << " found as well by neighbours\n";
  CHECK(exact == sites);
  CHECK(near * 100 >= sites * 80);
}

// Counts modules where looking beside the output shows a cheaper program.
void check_result(const hlo::Module& input, Options options, int64_t& beaten) {
  options.headroom = false;
  const Result without = optimize(input, options);
  options.alternatives = 4;
  const Result result = optimize(input, options);
  CHECK(frontends::write_text(result.output) == frontends::write_text(without.output));
  if (!result.alternatives) return;  // left alone as a whole
  int64_t last = result.output_cost.value(options.cost.objective);
  beaten += result.alternatives->is_beaten;
  CHECK(result.alternatives->programs.size() <= 4);
  for (const Alternative& other : result.alternatives->programs) {
    const int64_t value = other.cost.value(options.cost.objective);
    CHECK(value >= last);
    last = value;
    if (other.changes.empty()) CHECK(value == result.input_cost.value(options.cost.objective));
  }
}

TEST_CASE("alternatives: in order, proved, none below the output, on random programs") {
  const uint64_t first = number_from("FLIPSAT_RANDOM_SEED", 1);
  const uint64_t programs = number_from("FLIPSAT_RANDOM_PROGRAMS",
                                        flipsat::testing::length<uint64_t>({1000, 100}, {100, 10}));
  int64_t beaten = 0;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    INFO("seed " << seed);
    Options options;
    if (seed % 3 == 0) options.numerics = hlo::Numerics::kReassoc;
    options.cost.objective = seed % 5 ? extract::Objective::kTime : extract::Objective::kBytes;
    check_result(frontends::read_text(random_programs::random_program(seed), "random"), options,
                 beaten);
  }
  std::cout << "counted: alternatives: " << beaten << " of " << programs
            << " random programs beaten by one\n";
}

TEST_CASE("alternatives: in order, proved, none below the output, on the corpus") {
  const char* root = std::getenv("FLIPSAT_CORPUS");
  if (!root) {
    std::cout << "skipped: FLIPSAT_CORPUS does not name a folder\n";
    return;
  }
  int64_t beaten = 0;
  const auto largest = flipsat::testing::length<uintmax_t>({UINTMAX_MAX, 12'000}, {8'000, 2'000});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    const bool is_text = name.ends_with(".hlo") || name.ends_with(".hlo.gz");
    if (!entry.is_regular_file() || !is_text || entry.file_size() > largest) continue;
    INFO(entry.path().string());
    check_result(frontends::read_module(entry.path().string()), {}, beaten);
  }
  std::cout << "counted: alternatives: " << beaten << " corpus modules beaten by one\n";
}

}  // namespace
}  // namespace flipsat::optimizer
