// Numbers as HLO's element types hold them: wrapping of integers, rounding of floats.
#pragma once

#include <cstdint>

#include "hlo/element_type.h"
#include "hlo/literal.h"
#include "verify/term.h"

namespace flipsat::verify {

// The value modulo the type's width, sign-extended for signed types (pred: 0 or 1).
int64_t wrap(int64_t value, hlo::ElementType type);

// The nearest value of a float type, ties to even, subnormals kept. Overflow gives infinity, in
// types without one NaN, in types without either the largest value. NaN in a type without it is -0;
// f8e8m0fnu has neither zero nor sign: what is not positive becomes NaN, what is tiny its smallest
// value. Rounds once, whatever the width.
double round_to(double value, hlo::ElementType type);
// The same of an integer, which a double may not hold.
double round_integer_to(int64_t value, bool is_unsigned, hlo::ElementType type);

// Does truncation bring a real into an integer type, without saturation?
bool in_integer_range(double value, hlo::ElementType type);

// Is the number a value of the type?
bool representable(const Term& number, hlo::ElementType type);

// What a bit pattern of a float type stands for, and the pattern of a value of the type (NaN: one
// of its patterns).
double decode_float(uint64_t bits, hlo::ElementType type);
uint64_t encode_float(double value, hlo::ElementType type);

// Distance of two values of a float type in units in the last place: how many values of the type
// lie between them. 0 for equal values, NaN and NaN, +0 and -0; INT64_MAX if just one is NaN.
int64_t ulps_between(double a, double b, hlo::ElementType type);

// convert(number) from one type to another, as XLA does it: float to integer truncates and
// saturates (NaN: 0), integer narrowing wraps, anything to pred is `!= 0`, a real becomes a complex
// number without imaginary part. Complex numbers convert to complex types only.
Term convert_number(const Term& number, hlo::ElementType from, hlo::ElementType to);

// The number whose bits are all 0: 0, but for f8e8m0fnu.
Term zero_of(hlo::ElementType type);

// The type of the two parts of a complex type.
hlo::ElementType part_type(hlo::ElementType complex_type);

// Element `index` of an array constant that is not elided or of a tuple.
Term literal_element(const hlo::Literal& literal, int64_t index);

}  // namespace flipsat::verify
