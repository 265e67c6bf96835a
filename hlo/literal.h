// Constant values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hlo/shape.h"

namespace flipsat::hlo {

// An array constant holds one slot an element, row-major, in the machine's byte order:
//   pred and integers below 8 bits: 1 byte (sign-extended); other integers: their own width;
//   floats: their bit pattern in 1, 2, 4 or 8 bytes; complex: real then imaginary part.
// A tuple constant holds parts instead. `elided` is a dump's `{...}`: nothing is known of the
// values, but two elided constants printed alike are never assumed equal unless they are the same
// instruction.
struct Literal {
  Shape shape;
  std::vector<uint8_t> bytes;
  std::vector<std::shared_ptr<const Literal>> parts;
  bool elided = false;

  // Element `index` of an integer or pred array; nullopt for other types, elided or out of range.
  // u64 values past INT64_MAX wrap.
  std::optional<int64_t> integer_at(int64_t index) const;
  // Element `index` of an f32, f64, f16, bf16 array, exactly.
  std::optional<double> float_at(int64_t index) const;
  // Raw bits of element `index` of a non-complex array.
  std::optional<uint64_t> bits_at(int64_t index) const;

  bool operator==(const Literal& other) const;  // same value shape, bits and parts
};

using LiteralRef = std::shared_ptr<const Literal>;

// A scalar of an integer or pred type.
LiteralRef integer_scalar(ElementType type, int64_t value);
// A scalar of an integer, pred or float type; null where the type does not hold the value.
LiteralRef exact_scalar(ElementType type, int64_t value);

}  // namespace flipsat::hlo
