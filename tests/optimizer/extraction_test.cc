// The relaxation is a bound: no program that an e-graph holds costs less than it says. And on small
// sites, where all programs can be tried, the extractor finds the best.
//
// FLIPSAT_RANDOM_PROGRAMS is the number of programs, FLIPSAT_RANDOM_SEED the first seed.
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "extract/bound/relaxation.h"
#include "extract/extraction.h"
#include "frontends/text/text.h"
#include "hlo/combiner.h"
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

struct Counts {
  int64_t programs = 0, unbounded = 0, compared = 0, tight = 0;
};

void check(uint64_t seed, Counts& counts) {
  INFO("seed " << seed);
  Random random(seed ^ 0xb0d);
  const hlo::Module module = frontends::read_text(random_programs::random_program(seed), "random");
  const hlo::DeviceCounts devices = hlo::infer_device_counts(module, {});
  const auto numerics = random.one_of({hlo::Numerics::kExact, hlo::Numerics::kReassoc});
  RandomSelection programs(module, devices, {numerics, false, {}, {}}, {}, false);
  const extract::CostOptions cost = random_cost(random);
  const std::vector<bool> surroundings = extract::collective_surroundings(module);
  extract::Problem problem(module, programs.import(), programs.hlo(), cost, programs.calls(),
                           surroundings);
  ++counts.programs;
  for (int near = 0; near < 4; ++near) {
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
    // Made near the input, near another program, and with parts, near two programs in the end.
    extract::ProgramState origin(problem);
    if (near) draw(origin);
    origin.settle();
    extract::LaunchBoundOptions options;
    options.with_parts = near > 1;
    if (near == 3) {
      extract::ProgramState other(problem);
      draw(other);
      other.settle();
      for (hlo::ComputationId region : programs.import().regions) {
        for (const auto& launch : other.live_batches(region)) options.other.push_back(launch);
      }
    }
    const extract::Relaxation relaxation(problem, origin, {}, options);
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
std::optional<int64_t> least_of_all(extract::Problem& problem, RandomSelection& programs) {
  std::optional<int64_t> least;
  const bool is_done =
      for_each_program(problem, programs, [&](extract::ProgramState&, extract::StateCost cost) {
        least = std::min(least.value_or(cost.objective), cost.objective);
      });
  return is_done ? least : std::nullopt;
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
    RandomSelection all(module, devices, {numerics, false, {}, {}}, {}, false);
    const extract::CostOptions cost = random_cost(random);
    const std::vector<bool> surroundings = extract::collective_surroundings(module);
    extract::Problem problem(module, all.import(), all.hlo(), cost, all.calls(), surroundings);
    const std::optional<int64_t> least = least_of_all(problem, all);
    if (!least) continue;
    ++sites;
    extract::ProgramState state(problem);
    with_choices += state.cost()->objective != *least;
    const extract::ExtractionResult found =
        extract::extract(problem, state, {}, {.most_work = 100'000});
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
