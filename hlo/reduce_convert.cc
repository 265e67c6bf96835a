#include "hlo/reduce_convert.h"

namespace flipsat::hlo {
namespace {

ReduceConvert never(const char* reason) {
  ReduceConvert result;
  result.reason = reason;
  return result;
}

ReduceConvert yes(ConvertThroughReduce how, ReducerKind kind, ElementType to) {
  return {how, {kind, to}, nullptr};
}

// Overflow goes to infinity, so that the convert keeps the order of values.
bool overflows_to_infinity(ElementType type) {
  std::optional<FloatFormat> format = float_format(type);
  return format && format->has_infinity;
}

ReduceConvert through_order(const Reducer& reducer, ElementType to) {
  ElementType from = reducer.type;
  if (convert_preserves_values(from, to)) {
    return yes(ConvertThroughReduce::kEqual, reducer.kind, to);
  }
  if (is_integer(from) && is_float(to) && overflows_to_infinity(to)) {
    return yes(ConvertThroughReduce::kEqual, reducer.kind, to);
  }
  if (is_float(from) && is_float(to) && overflows_to_infinity(to)) {
    return yes(ConvertThroughReduce::kReassoc, reducer.kind, to);
  }
  return never("the convert does not keep the order of values");
}

ReduceConvert through_sum(const Reducer& reducer, ElementType to) {
  ElementType from = reducer.type;
  if (is_integer(from) && is_integer(to)) {
    if (bit_width(to) <= bit_width(from))
      return yes(ConvertThroughReduce::kEqual, reducer.kind, to);
    return never("a wider integer does not wrap where the narrow sum did");
  }
  if (is_float(from) && is_float(to)) {
    // Where such a sum stops at the largest value, a wider one may go on to infinity.
    FloatFormat format = *float_format(from);
    if (!format.has_infinity && !format.has_nan) return never("a sum in this type saturates");
    if (convert_preserves_values(from, to)) {
      return yes(ConvertThroughReduce::kMore, reducer.kind, to);
    }
    return never("the sum would be made in a narrower type");
  }
  return never("rounding between integer and float does not commute with a sum");
}

}  // namespace

ReduceConvert convert_after_reduce(const Reducer& reducer, ElementType to) {
  if (to == reducer.type) return yes(ConvertThroughReduce::kEqual, reducer.kind, to);
  if (!is_array_type(to) || is_complex(to) || is_complex(reducer.type)) {
    return never("complex values");
  }
  if (to == ElementType::kPred) return never("a convert to pred");
  switch (reducer.kind) {
    case ReducerKind::kMinimum:
    case ReducerKind::kMaximum:
      return through_order(reducer, to);
    case ReducerKind::kAnd:
    case ReducerKind::kOr: {
      if (reducer.type != ElementType::kPred || !convert_preserves_values(ElementType::kPred, to)) {
        return never("bits of integers");
      }
      auto kind = reducer.kind == ReducerKind::kAnd ? ReducerKind::kMinimum : ReducerKind::kMaximum;
      return yes(ConvertThroughReduce::kEqual, kind, to);
    }
    case ReducerKind::kAdd:
    case ReducerKind::kMultiply:
      if (reducer.type == ElementType::kPred) return never("a sum of pred values");
      return through_sum(reducer, to);
  }
  return never("reducer of no known kind");
}

std::optional<Reducer> reduce_before_convert(const Reducer& reducer, ElementType from) {
  Reducer before{reducer.kind, from};
  if (from == ElementType::kPred) {
    if (reducer.kind == ReducerKind::kMinimum) before.kind = ReducerKind::kAnd;
    if (reducer.kind == ReducerKind::kMaximum) before.kind = ReducerKind::kOr;
  }
  ReduceConvert forward = convert_after_reduce(before, reducer.type);
  if (forward.how != ConvertThroughReduce::kEqual || !(forward.reducer == reducer)) {
    return std::nullopt;
  }
  return before;
}

}  // namespace flipsat::hlo
