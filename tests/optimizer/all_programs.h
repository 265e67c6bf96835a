// All programs of a small site, and costs by chance to price them by.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "extract/program_state.h"
#include "hlo/combiner.h"
#include "optimizer/random_selection.h"

namespace flipsat::optimizer::testing {

inline uint64_t number_from(const char* variable, uint64_t absent) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : absent;
}

inline extract::CostOptions random_cost(Random& random) {
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

// Calls `action(state, cost)` for every combination of definitions that makes a program. False, and
// not all of them seen, where there are more than a few thousand.
template <class Action>
bool for_each_program(extract::Problem& problem, RandomSelection& programs, const Action& action) {
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
    if (combinations > 4096) return false;
    open.push_back(std::move(choice));
  }
  extract::ProgramState state(problem);
  for (int64_t number = 0; number < combinations; ++number) {
    int64_t rest = number;
    for (const Open& choice : open) {
      const auto count = static_cast<int64_t>(choice.nodes.size());
      state.choose(choice.cls, choice.nodes[static_cast<size_t>(rest % count)]);
      rest /= count;
    }
    if (const std::optional<extract::StateCost> cost = state.cost()) action(state, *cost);
  }
  return true;
}

}  // namespace flipsat::optimizer::testing
