#include "rules/text/elementwise.h"

namespace flipsat::rules::text {
namespace {

using hlo::ElementType;
using hlo::Opcode;

bool is_pred(Type type) { return type.element == ElementType::kPred; }
bool is_integer(Type type) { return hlo::is_integer(type.element); }
bool is_float(Type type) { return hlo::is_float(type.element); }
bool is_real(Type type) { return is_integer(type) || is_float(type); }

// Of operands of one type.
std::optional<Type> result_of_equal(Opcode opcode, Type type) {
  auto if_so = [&](bool fits) { return fits ? std::optional(type) : std::nullopt; };
  const Type pred{ElementType::kPred};
  switch (opcode) {
    case Opcode::kCompare:
      return is_real(type) || is_pred(type) ? std::optional(pred) : std::nullopt;
    case Opcode::kIsFinite:
      return is_float(type) ? std::optional(pred) : std::nullopt;
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
      return if_so(is_integer(type) || is_pred(type));
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros:
      return if_so(is_integer(type));
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kPower:
    case Opcode::kNegate:
    case Opcode::kAbs:
    case Opcode::kSign:
    case Opcode::kClamp:
      return if_so(is_real(type));
    case Opcode::kComplex:
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kBitcastConvert:
    case Opcode::kStochasticConvert:
    case Opcode::kMulhi:
    case Opcode::kReducePrecision:
      return std::nullopt;
    default:
      return if_so(is_float(type));
  }
}

std::optional<Type> result_type(const Function& f, const std::vector<Type>& types) {
  if (types == f.operands) return f.result;
  if (f.opcode == Opcode::kSelect) {
    bool fits = is_pred(types[0]) && types[1] == types[2];
    return fits ? std::optional(types[1]) : std::nullopt;
  }
  for (const Type& type : types) {
    if (!(type == types[0])) return std::nullopt;
  }
  return result_of_equal(f.opcode, types[0]);
}

}  // namespace

std::optional<hlo::Shape> elementwise_shape(const Function& f,
                                            std::span<const hlo::Shape> operands) {
  if (hlo::elementwise_arity(f.opcode) != static_cast<int>(operands.size())) return std::nullopt;
  const bool has_scalars = f.opcode == Opcode::kSelect || f.opcode == Opcode::kClamp;
  const hlo::Dims& dims = operands[has_scalars ? 1 : 0].dims;
  std::vector<Type> types;
  for (size_t i = 0; i < operands.size(); ++i) {
    types.push_back(type_of(operands[i]));
    bool may_be_scalar = f.opcode == Opcode::kClamp ? i != 1 : has_scalars && i == 0;
    if (operands[i].dims != dims && !(may_be_scalar && operands[i].rank() == 0)) {
      return std::nullopt;
    }
  }
  std::optional<Type> type = result_type(f, types);
  if (!type) return std::nullopt;
  return shape_of(*type, dims);
}

bool has_known_results(hlo::Opcode opcode) {
  if (opcode == Opcode::kSelect) return true;
  for (ElementType type : {ElementType::kF32, ElementType::kS32, ElementType::kPred}) {
    if (result_of_equal(opcode, {type})) return true;
  }
  return false;
}

}  // namespace flipsat::rules::text
