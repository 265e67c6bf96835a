#include "hlo/verifier.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "hlo/input_error.h"
#include "hlo/operand_count.h"
#include "hlo/verify_context.h"

namespace flipsat::hlo {
namespace {

// Line and column, from 1, of what the source text holds at `span`.
Place place_of(const Module& module, SourceSpan span) {
  Place place{module.file, 0, 0};
  if (!module.source || span.empty()) return place;
  std::string_view before = std::string_view(*module.source).substr(0, span.begin);
  size_t newline = before.rfind('\n');
  size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  place.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  place.column = static_cast<int>(before.size() - line_start) + 1;
  return place;
}

[[noreturn]] void refuse_computation(const Module& module, const Computation& computation,
                                     const std::string& message) {
  throw InputError(place_of(module, computation.text),
                   "computation " + computation.name + ": " + message);
}

void verify_operand_count(const VerifyContext& context, const Instruction& instruction) {
  const OperandCount count = operand_count(instruction.opcode);
  const size_t given = instruction.operands.size();
  if (count.allows(given)) return;
  context.refuse(instruction,
                 "it has " + std::to_string(given) + " operands, but takes " + to_string(count));
}

// Parameters are numbered 0, 1, .. and listed so; the root and all operands are live and earlier.
void verify_computation(const VerifyContext& context, ComputationId id,
                        const std::vector<int64_t>& position_of_computation) {
  const Module& module = context.module;
  const Computation& computation = module.computations[id];
  if (computation.instructions.empty())
    refuse_computation(module, computation, "has no instructions");
  std::unordered_set<std::string_view> names;
  std::unordered_set<InstructionId> defined;
  size_t parameters = 0;
  for (InstructionId instruction_id : computation.instructions) {
    const Instruction& instruction = module[instruction_id];
    context.require(instruction.computation == id, instruction,
                    "is listed in another computation than its own");
    if (!names.insert(instruction.name).second) context.refuse(instruction, "the name is taken");
    for (InstructionId operand : instruction.operands) {
      if (!defined.count(operand)) {
        std::string name = operand < module.instructions.size() ? module[operand].name : "?";
        context.refuse(instruction,
                       "operand " + name + " is not defined earlier in " + computation.name);
      }
    }
    for (InstructionId predecessor : instruction.control_predecessors()) {
      context.require(defined.count(predecessor) > 0, instruction,
                      "a control predecessor is not defined earlier in its computation");
    }
    for (ComputationId callee : instruction.called_computations()) {
      bool is_earlier = callee < position_of_computation.size() &&
                        position_of_computation[callee] >= 0 &&
                        position_of_computation[callee] < position_of_computation[id];
      context.require(is_earlier, instruction,
                      "it calls a computation that is not defined earlier");
    }
    if (instruction.opcode == Opcode::kParameter) {
      size_t number = static_cast<size_t>(instruction.parameter_number);
      bool is_listed = instruction.parameter_number >= 0 &&
                       number < computation.parameters.size() &&
                       computation.parameters[number] == instruction_id;
      context.require(is_listed, instruction,
                      "parameter numbers are not 0, 1, .. with each occurring once");
      ++parameters;
    }
    defined.insert(instruction_id);
  }
  if (parameters != computation.parameters.size()) {
    refuse_computation(module, computation,
                       "parameter numbers are not 0, 1, .. with each occurring once");
  }
  if (!defined.count(computation.root)) {
    refuse_computation(module, computation, "its root is not among its instructions");
  }
}

}  // namespace

void VerifyContext::refuse(const Instruction& instruction, const std::string& message) const {
  Place place = place_of(module, instruction.text);
  if (place.line == 0) place.line = static_cast<int>(instruction.line);
  throw InputError(
      place, std::string(to_string(instruction.opcode)) + " " + instruction.name + ": " + message);
}

const Shape& VerifyContext::operand_array(const Instruction& instruction, size_t number) const {
  const Shape& shape = operand_shape(instruction, number);
  if (!shape.is_array()) {
    refuse(instruction, "operand " + std::to_string(number) + " is " +
                            to_string_without_layout(shape) + ", not an array");
  }
  return shape;
}

void VerifyContext::require_array_result(const Instruction& instruction) const {
  if (instruction.shape.is_array()) return;
  refuse(instruction,
         "the result is " + to_string_without_layout(instruction.shape) + ", not an array");
}

void VerifyContext::require_result(const Instruction& instruction, const Shape& expected) const {
  if (fits(instruction.shape, expected)) return;
  refuse(instruction, "the result is " + to_string_without_layout(instruction.shape) +
                          ", but its operands make " + to_string_without_layout(expected));
}

void VerifyContext::require_result_dims(const Instruction& instruction,
                                        const Dims& expected) const {
  require_array_result(instruction);
  require_result(instruction, Shape::array(instruction.shape.type, expected));
}

void VerifyContext::require_result_type(const Instruction& instruction,
                                        ElementType expected) const {
  require_array_result(instruction);
  if (same_type(instruction.shape.type, expected)) return;
  refuse(instruction, "the result's element type is " +
                          std::string(to_string(instruction.shape.type)) +
                          ", but its operands make " + std::string(to_string(expected)));
}

ComputationId VerifyContext::called(const Instruction& instruction, AttributeKey key) const {
  const Attribute* attribute = instruction.find(key);
  const auto* list = attribute ? std::get_if<ComputationList>(&attribute->value) : nullptr;
  if (!list || list->size() != 1) {
    refuse(instruction, "it needs one computation as " + std::string(to_string(key)));
  }
  return list->front();
}

bool fits(const Dims& a, const Dims& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](int64_t x, int64_t y) {
    return x == y || x == kUnboundedDim || y == kUnboundedDim;
  });
}

bool VerifyContext::same_type(ElementType a, ElementType b) const {
  return a == b || (module.is_scheduled && is_float(a) && is_float(b));
}

bool VerifyContext::fits(const Shape& a, const Shape& b) const {
  if (!same_type(a.type, b.type)) return false;
  if (a.is_array()) return hlo::fits(a.dims, b.dims);
  if (!a.parts || !b.parts) return !a.parts && !b.parts;
  return std::equal(a.parts->begin(), a.parts->end(), b.parts->begin(), b.parts->end(),
                    [this](const Shape& x, const Shape& y) { return fits(x, y); });
}

void verify_module(const Module& module, const DeviceCounts& counts) {
  VerifyContext context(module, counts);
  std::vector<int64_t> position(module.computations.size(), -1);
  for (size_t i = 0; i < module.order.size(); ++i)
    position[module.order[i]] = static_cast<int64_t>(i);
  if (module.entry >= position.size() || position[module.entry] < 0) {
    throw InputError({module.file, 0, 0}, "the module has no entry computation");
  }
  // Structure first: the checks of shapes rely on it.
  for (ComputationId id : module.order) verify_computation(context, id, position);
  for (ComputationId id : module.order) {
    for (InstructionId instruction_id : module.computations[id].instructions) {
      const Instruction& instruction = module[instruction_id];
      verify_operand_count(context, instruction);
      verify_elementwise(context, instruction);
      verify_data_movement(context, instruction);
      verify_slices(context, instruction);
      verify_contraction(context, instruction);
      verify_control_flow(context, instruction);
      verify_collective(context, instruction);
    }
  }
}

}  // namespace flipsat::hlo
