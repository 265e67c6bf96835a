#include "hlo/loop_state.h"

namespace flipsat::hlo {
namespace {

// The computation that an attribute names, if nothing else calls it.
ComputationId called_alone(const Module& module, const CallGraph& calls, const Instruction& loop,
                           AttributeKey key) {
  const Attribute* attribute = loop.find(key);
  const auto* called = attribute ? std::get_if<ComputationList>(&attribute->value) : nullptr;
  if (!called || called->size() != 1) return kNoId;
  const ComputationId computation = called->front();
  if (calls.call_sites(computation).size() != 1) return kNoId;
  return module.computations[computation].parameters.size() == 1 ? computation : kNoId;
}

}  // namespace

std::optional<LoopState> loop_state(const Module& module, const CallGraph& calls,
                                    InstructionId loop) {
  const Instruction& instruction = module[loop];
  if (instruction.opcode != Opcode::kWhile || instruction.operands.size() != 1) return std::nullopt;
  LoopState state;
  state.loop = loop;
  state.init = instruction.operands[0];
  state.condition = called_alone(module, calls, instruction, AttributeKey::kCondition);
  state.body = called_alone(module, calls, instruction, AttributeKey::kBody);
  if (state.condition == kNoId || state.body == kNoId) return std::nullopt;
  state.condition_parameter = module.computations[state.condition].parameters[0];
  state.body_parameter = module.computations[state.body].parameters[0];
  state.root = module.computations[state.body].root;
  if (module[state.init].opcode != Opcode::kTuple || module[state.root].opcode != Opcode::kTuple ||
      module[state.init].operands.size() != module[state.root].operands.size()) {
    return std::nullopt;
  }
  return state;
}

bool is_invariant(const Module& module, const LoopState& state, size_t element) {
  const Instruction& next = module[module[state.root].operands.at(element)];
  return next.opcode == Opcode::kGetTupleElement && next.operands[0] == state.body_parameter &&
         next.tuple_index() == static_cast<int64_t>(element);
}

}  // namespace flipsat::hlo
