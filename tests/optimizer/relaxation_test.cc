// The relaxation is a bound: no program that an e-graph holds costs less than the relaxation says.
//
// FLIPSAT_RANDOM_PROGRAMS is the number of programs, FLIPSAT_RANDOM_SEED the first seed.
#include <algorithm>
#include <cstdlib>
#include <iostream>

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

}  // namespace
}  // namespace flipsat::optimizer
