// Parameters, constants, tuples, and instructions that call computations.
#include "hlo/verify_context.h"

namespace flipsat::hlo {
namespace {

void verify_constant(const VerifyContext& context, const Instruction& constant) {
  if (!constant.literal) context.refuse(constant, "it has no value");
  if (constant.literal->elided) return;
  if (context.fits(constant.literal->shape, constant.shape)) return;
  context.refuse(constant, "its value is " + to_string_without_layout(constant.literal->shape) +
                               ", its shape " + to_string_without_layout(constant.shape));
}

void verify_tuple(const VerifyContext& context, const Instruction& tuple) {
  std::vector<Shape> parts;
  for (size_t i = 0; i < tuple.operands.size(); ++i) {
    parts.push_back(context.operand_shape(tuple, i));
  }
  context.require_result(tuple, Shape::tuple(std::move(parts)));
}

void verify_element(const VerifyContext& context, const Instruction& element) {
  const Shape& tuple = context.operand_shape(element, 0);
  context.require(tuple.is_tuple(), element, "its operand is not a tuple");
  int64_t index = element.tuple_index();
  if (index < 0 || index >= static_cast<int64_t>(tuple.parts->size())) {
    context.refuse(element, "index " + std::to_string(index) + " is out of range for a tuple of " +
                                std::to_string(tuple.parts->size()));
  }
  context.require_result(element, (*tuple.parts)[index]);
}

// Operands from `first` on are the arguments.
void require_arguments(const VerifyContext& context, const Instruction& call,
                       const Computation& callee, size_t first, size_t count) {
  if (callee.parameters.size() != count) {
    context.refuse(call, callee.name + " takes " + std::to_string(callee.parameters.size()) +
                             " arguments, not " + std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) {
    const Shape& given = context.operand_shape(call, first + i);
    const Shape& taken = context.module[callee.parameters[i]].shape;
    if (context.fits(given, taken)) continue;
    context.refuse(call, "argument " + std::to_string(i) + " of " + callee.name + " is " +
                             to_string_without_layout(given) + ", not " +
                             to_string_without_layout(taken));
  }
}

const Shape& result_of(const VerifyContext& context, const Computation& callee) {
  return context.module[callee.root].shape;
}

void verify_call(const VerifyContext& context, const Instruction& call, AttributeKey key) {
  const Computation& callee = context.module.computations[context.called(call, key)];
  require_arguments(context, call, callee, 0, call.operands.size());
  context.require_result(call, result_of(context, callee));
}

void verify_while(const VerifyContext& context, const Instruction& loop) {
  const auto& computations = context.module.computations;
  const Computation& condition = computations[context.called(loop, AttributeKey::kCondition)];
  const Computation& body = computations[context.called(loop, AttributeKey::kBody)];
  require_arguments(context, loop, condition, 0, 1);
  require_arguments(context, loop, body, 0, 1);
  const Shape& decision = result_of(context, condition);
  context.require(decision.type == ElementType::kPred && decision.rank() == 0, loop,
                  "its condition does not end in a pred scalar");
  context.require(context.fits(result_of(context, body), loop.shape), loop,
                  "its body does not end in the shape of the loop's state");
  context.require_result(loop, context.operand_shape(loop, 0));
}

void verify_conditional(const VerifyContext& context, const Instruction& conditional) {
  const Shape& decision = context.operand_array(conditional, 0);
  ComputationList branches = conditional.called_computations();
  bool two_way = conditional.has(AttributeKey::kTrueComputation);
  ElementType wanted = two_way ? ElementType::kPred : ElementType::kS32;
  context.require(decision.rank() == 0, conditional, "its first operand is not a scalar");
  // Both spellings of a two-way branch occur with both types.
  context.require(decision.type == wanted || branches.size() == 2, conditional,
                  "its first operand has the wrong element type");
  context.require(!branches.empty(), conditional, "it has no branches");
  context.require(conditional.operands.size() == branches.size() + 1, conditional,
                  "it needs one argument for each branch");
  for (size_t b = 0; b < branches.size(); ++b) {
    const Computation& branch = context.module.computations[branches[b]];
    require_arguments(context, conditional, branch, b + 1, 1);
    context.require_result(conditional, result_of(context, branch));
  }
}

}  // namespace

void verify_control_flow(const VerifyContext& context, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kConstant:
      return verify_constant(context, instruction);
    case Opcode::kTuple:
      return verify_tuple(context, instruction);
    case Opcode::kGetTupleElement:
      return verify_element(context, instruction);
    case Opcode::kCall:
      return verify_call(context, instruction, AttributeKey::kToApply);
    case Opcode::kFusion:
      return verify_call(context, instruction, AttributeKey::kCalls);
    case Opcode::kWhile:
      return verify_while(context, instruction);
    case Opcode::kConditional:
      return verify_conditional(context, instruction);
    case Opcode::kAsyncStart: {
      if (!instruction.has(AttributeKey::kCalls)) return;  // sugared: no computation of its own
      ComputationId callee = context.called(instruction, AttributeKey::kCalls);
      return require_arguments(context, instruction, context.module.computations[callee], 0,
                               instruction.operands.size());
    }
    default:
      return;
  }
}

}  // namespace flipsat::hlo
