// When does a convert pass a reduction across devices? By kind and types alone.
//
//   convert(R(x)) = R'(convert(x)),   R' rebuilt at the converted type
#pragma once

#include <optional>

#include "hlo/reducer.h"

namespace flipsat::hlo {

enum class ConvertThroughReduce : uint8_t {
  kEqual,    // both sides are one value
  kMore,     // the right side is the more precise: a directed edge
  kReassoc,  // equal but for the sign of a zero that underflowed
  kNever,
};

struct ReduceConvert {
  ConvertThroughReduce how = ConvertThroughReduce::kNever;
  Reducer reducer{ReducerKind::kAdd, ElementType::kF32};  // of the right side
  const char* reason = nullptr;                           // why never
};

// `reducer` reduces the data before the convert to `to`.
//
// min, max: equal for every monotone convert: one that preserves values, or integer to float with
// rounding; narrowing floats to a type with infinity is kReassoc; never where overflow turns into
// NaN or wraps, and never float to integer. and, or on pred become minimum, maximum. add, multiply:
// integers modulo the width, so truncation and same-width changes of sign are equal; float to wider
// float is kMore, but for types in which a sum saturates; anything else never.
ReduceConvert convert_after_reduce(const Reducer& reducer, ElementType to);

// The other way: R(convert(x)) with x of type `from`. Which reducer on `from` does the same before
// the convert? Only for kEqual, so never a narrower sum.
std::optional<Reducer> reduce_before_convert(const Reducer& reducer, ElementType from);

}  // namespace flipsat::hlo
