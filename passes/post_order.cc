#include "passes/post_order.h"

#include <unordered_map>
#include <unordered_set>

namespace flipsat::passes {

using hlo::InstructionId;

std::vector<InstructionId> post_order(const hlo::Module& module, hlo::ComputationId computation) {
  return post_order(module, module.computations[computation].instructions);
}

std::vector<InstructionId> post_order(const hlo::Module& module,
                                      const std::vector<InstructionId>& list) {
  enum class State : uint8_t { kNew, kEntered, kVisited };
  std::unordered_set<InstructionId> used;
  for (InstructionId id : list) used.insert(module[id].operands.begin(), module[id].operands.end());

  std::unordered_map<InstructionId, State> states;
  std::vector<InstructionId> order;
  for (InstructionId unused : list) {
    if (used.count(unused) > 0) continue;
    std::vector<InstructionId> stack{unused};
    while (!stack.empty()) {
      InstructionId id = stack.back();
      State& state = states[id];
      if (state != State::kNew) {
        stack.pop_back();
        if (state == State::kEntered) order.push_back(id);
        state = State::kVisited;
        continue;
      }
      state = State::kEntered;
      const std::vector<InstructionId>& operands = module[id].operands;
      const std::vector<InstructionId>& predecessors = module[id].control_predecessors();
      stack.insert(stack.end(), operands.rbegin(), operands.rend());
      stack.insert(stack.end(), predecessors.begin(), predecessors.end());
    }
  }
  return order;
}

}  // namespace flipsat::passes
