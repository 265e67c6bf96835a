#include "hlo/reducer.h"

#include <algorithm>
#include <stdexcept>

namespace flipsat::hlo {
namespace {

constexpr struct {
  Opcode opcode;
  ReducerKind kind;
} kKinds[] = {
    {Opcode::kAdd, ReducerKind::kAdd},         {Opcode::kMultiply, ReducerKind::kMultiply},
    {Opcode::kMinimum, ReducerKind::kMinimum}, {Opcode::kMaximum, ReducerKind::kMaximum},
    {Opcode::kAnd, ReducerKind::kAnd},         {Opcode::kOr, ReducerKind::kOr},
};

bool is_pred_only(ReducerKind kind) {
  return kind == ReducerKind::kAnd || kind == ReducerKind::kOr;
}

// A computation that one may name from anywhere: not written inside an attribute, on the main
// thread.
bool is_shareable(const Computation& computation) {
  return !computation.is_inlined && !computation.is_entry &&
         (computation.execution_thread.empty() || computation.execution_thread == "main");
}

// Computations that only to_apply attributes of reductions and the like name: no new user of a
// reducer ever stands inside them, so a reducer after them is early enough for everyone.
std::vector<bool> never_use_reducers(const Module& module) {
  std::vector<bool> applied(module.computations.size(), false);
  std::vector<bool> called(module.computations.size(), false);
  for (ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) {
      const Instruction& instruction = module[id];
      for (const Attribute& attribute : instruction.attributes) {
        const auto* list = std::get_if<ComputationList>(&attribute.value);
        if (!list) continue;
        bool applies =
            attribute.key == AttributeKey::kToApply && instruction.opcode != Opcode::kCall;
        for (ComputationId callee : *list) (applies ? applied : called)[callee] = true;
      }
    }
  }
  for (size_t i = 0; i < applied.size(); ++i) applied[i] = applied[i] && !called[i];
  return applied;
}

InstructionId append(Module& module, ComputationId computation, Instruction instruction) {
  InstructionId id = static_cast<InstructionId>(module.instructions.size());
  instruction.computation = computation;
  instruction.touched = true;
  module.instructions.push_back(std::move(instruction));
  module.computations[computation].instructions.push_back(id);
  return id;
}

}  // namespace

std::optional<Reducer> recognise_reducer(const Module& module, ComputationId id) {
  const Computation& computation = module.computations[id];
  if (computation.parameters.size() != 2 || computation.root == kNoId) return std::nullopt;
  const Instruction& root = module[computation.root];
  if (root.operands.size() != 2) return std::nullopt;
  std::vector<InstructionId> operands = root.operands;
  std::vector<InstructionId> parameters = computation.parameters;
  std::sort(operands.begin(), operands.end());
  std::sort(parameters.begin(), parameters.end());
  if (operands != parameters) return std::nullopt;
  for (InstructionId operand : operands) {
    const Shape& shape = module[operand].shape;
    if (!shape.is_array() || shape.rank() != 0 || shape.type != root.shape.type)
      return std::nullopt;
  }
  std::optional<ReducerKind> kind = reduction_by(root.opcode, root.shape.type);
  if (!kind) return std::nullopt;
  return Reducer{*kind, root.shape.type};
}

std::optional<ReducerKind> reduction_by(Opcode opcode, ElementType type) {
  for (const auto& row : kKinds) {
    if (row.opcode != opcode) continue;
    if (is_pred_only(row.kind) && type != ElementType::kPred) return std::nullopt;
    return row.kind;
  }
  return std::nullopt;
}

bool is_idempotent(ReducerKind kind) {
  return kind != ReducerKind::kAdd && kind != ReducerKind::kMultiply;
}

std::optional<CombinerReducer> combiner_reducer(const Module& module, ComputationId id) {
  const Computation& computation = module.computations[id];
  if (computation.instructions.size() != 3 || computation.parameters.size() != 2) {
    return std::nullopt;
  }
  const Instruction& root = module[computation.root];
  return CombinerReducer{root.opcode, root.shape.type};
}

ComputationId find_or_add_reducer(Module& module, ReducerKind kind, ElementType type) {
  if (is_pred_only(kind) && type != ElementType::kPred) {
    throw std::logic_error("and, or are reducers on pred only");
  }
  std::vector<bool> passable = never_use_reducers(module);
  for (ComputationId id : module.order) {
    if (is_shareable(module.computations[id]) &&
        recognise_reducer(module, id) == Reducer{kind, type}) {
      return id;
    }
    if (!passable[id]) break;
  }

  Opcode opcode = Opcode::kAdd;
  for (const auto& row : kKinds) {
    if (row.kind == kind) opcode = row.opcode;
  }
  NameTable names(module);
  ComputationId id = static_cast<ComputationId>(module.computations.size());
  Computation computation;
  std::string stem = std::string(to_string(opcode)) + "_" + std::string(to_string(type));
  computation.name = names.fresh(stem);
  module.computations.push_back(std::move(computation));
  Instruction root;
  for (int64_t number = 0; number < 2; ++number) {
    Instruction parameter;
    parameter.name = names.fresh(number == 0 ? "lhs" : "rhs");
    parameter.shape = Shape::array(type, {});
    parameter.parameter_number = number;
    InstructionId added = append(module, id, std::move(parameter));
    module.computations[id].parameters.push_back(added);
    root.operands.push_back(added);
  }
  root.name = names.fresh(to_string(opcode));
  root.opcode = opcode;
  root.shape = Shape::array(type, {});
  module.computations[id].root = append(module, id, std::move(root));
  module.order.insert(module.order.begin(), id);
  return id;
}

}  // namespace flipsat::hlo
