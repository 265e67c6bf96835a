// Arithmetic of HLO's integer types and pred, with each type's own wrapping.
//
// A value of any such type is held in an int64_t as Literal::integer_at gives it: sign-extended,
// zero-extended, 0 or 1 for pred, and u64 by its bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hlo/element_type.h"
#include "hlo/opcode.h"

namespace flipsat::hlo {

// The value of `type` with these low bits.
int64_t wrap_integer(ElementType type, int64_t bits);

// integer or pred to integer or pred: to pred by `!= 0`, else by low bits.
int64_t convert_integer(ElementType to, int64_t value);

// `unary(a)`, `binary(a, b)` on operands of `type`; nullopt for opcodes that are no such operation,
// and where HLO leaves the result to the implementation (division by zero, a shift past the width).
std::optional<int64_t> apply_integer(Opcode opcode, ElementType type, int64_t a);
std::optional<int64_t> apply_integer(Opcode opcode, ElementType type, int64_t a, int64_t b);

// a < b in the order of `type`.
bool less_integer(ElementType type, int64_t a, int64_t b);
// compare's `direction` (LT, LE, GT, GE, EQ, NE).
std::optional<bool> compare_integer(std::string_view direction, ElementType type, int64_t a,
                                    int64_t b);

}  // namespace flipsat::hlo
