#include "hlo/verify_context.h"

namespace flipsat::hlo {
namespace {

void require_same(const VerifyContext& context, const Instruction& instruction, size_t a,
                  size_t b) {
  const Shape& left = context.operand_array(instruction, a);
  const Shape& right = context.operand_array(instruction, b);
  if (context.fits(left, right)) return;
  context.refuse(instruction, "operands " + to_string_without_layout(left) + " and " +
                                  to_string_without_layout(right) + " differ");
}

// Dims equal to the result's, or, where the operation allows it, a scalar for all elements.
void require_dims_of_result(const VerifyContext& context, const Instruction& instruction,
                            size_t operand, bool may_be_scalar) {
  const Shape& shape = context.operand_array(instruction, operand);
  if (may_be_scalar && shape.rank() == 0) return;
  if (fits(shape.dims, instruction.shape.dims)) return;
  context.refuse(instruction, "operand " + to_string_without_layout(shape) +
                                  " does not have the dims of the result " +
                                  to_string_without_layout(instruction.shape));
}

ElementType part_type(ElementType complex) {
  if (complex == ElementType::kC64) return ElementType::kF32;
  return complex == ElementType::kC128 ? ElementType::kF64 : complex;
}

void verify_compare(const VerifyContext& context, const Instruction& compare) {
  require_same(context, compare, 0, 1);
  context.require_result(compare,
                         Shape::array(ElementType::kPred, context.operand_shape(compare, 0).dims));
  std::string_view direction = compare.word(AttributeKey::kDirection);
  for (std::string_view known : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    if (direction == known) return;
  }
  context.refuse(compare, "its direction is not one of EQ, NE, LT, LE, GT, GE");
}

void verify_select(const VerifyContext& context, const Instruction& select) {
  const Shape& predicate = context.operand_array(select, 0);
  context.require(predicate.type == ElementType::kPred, select, "its first operand is not pred");
  require_same(context, select, 1, 2);
  context.require_result(select, context.operand_shape(select, 1));
  require_dims_of_result(context, select, 0, true);
}

void verify_clamp(const VerifyContext& context, const Instruction& clamp) {
  const Shape& value = context.operand_array(clamp, 1);
  context.require_result(clamp, value);
  for (size_t bound : {0, 2}) {
    require_dims_of_result(context, clamp, bound, true);
    context.require(context.same_type(context.operand_shape(clamp, bound).type, value.type), clamp,
                    "a bound has another element type than the value");
  }
}

void verify_bitcast_convert(const VerifyContext& context, const Instruction& convert) {
  const Shape& from = context.operand_array(convert, 0);
  context.require_array_result(convert);
  int from_bits = bit_width(from.type);
  int to_bits = bit_width(convert.shape.type);
  if (from_bits == to_bits) return context.require_result_dims(convert, from.dims);
  // The wider side has one dim less: its elements are rows of the narrower.
  const Shape& narrow = from_bits < to_bits ? from : convert.shape;
  const Shape& wide = from_bits < to_bits ? convert.shape : from;
  bool fits_rows = narrow.rank() == wide.rank() + 1 &&
                   fits(Dims(narrow.dims.begin(), narrow.dims.end() - 1), wide.dims);
  context.require(fits_rows, convert, "its dims do not follow from the widths of the two types");
}

void verify_unary(const VerifyContext& context, const Instruction& unary) {
  const Shape& operand = context.operand_array(unary, 0);
  context.require_result_dims(unary, operand.dims);
  switch (unary.opcode) {
    case Opcode::kConvert:
      return;
    case Opcode::kIsFinite:
      return context.require_result_type(unary, ElementType::kPred);
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kAbs:
      return context.require_result_type(unary, part_type(operand.type));
    default:
      return context.require_result_type(unary, operand.type);
  }
}

void verify_binary(const VerifyContext& context, const Instruction& binary) {
  if (binary.opcode == Opcode::kStochasticConvert) {
    require_dims_of_result(context, binary, 0, false);
    return require_dims_of_result(context, binary, 1, false);
  }
  require_same(context, binary, 0, 1);
  const Shape& operand = context.operand_shape(binary, 0);
  if (binary.opcode == Opcode::kComplex) {
    bool is_double = operand.type == ElementType::kF64;
    return context.require_result(
        binary, Shape::array(is_double ? ElementType::kC128 : ElementType::kC64, operand.dims));
  }
  context.require_result(binary, operand);
}

}  // namespace

void verify_elementwise(const VerifyContext& context, const Instruction& instruction) {
  int arity = elementwise_arity(instruction.opcode);
  if (arity == 0) return;
  switch (instruction.opcode) {
    case Opcode::kCompare:
      return verify_compare(context, instruction);
    case Opcode::kSelect:
      return verify_select(context, instruction);
    case Opcode::kClamp:
      return verify_clamp(context, instruction);
    case Opcode::kBitcastConvert:
      return verify_bitcast_convert(context, instruction);
    default:
      return arity == 1 ? verify_unary(context, instruction) : verify_binary(context, instruction);
  }
}

}  // namespace flipsat::hlo
