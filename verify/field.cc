#include "verify/field.h"

#include <cmath>
#include <cstdlib>

namespace flipsat::verify::field {

uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = multiply(base, base)) {
    if (exponent & 1) result = multiply(result, base);
  }
  return result;
}

uint64_t element(const Term& term) {
  if (term.kind == TermKind::kSymbol) return reduce(term.bits);
  if (term.kind == TermKind::kComplex) return reduce(hash(term));
  if (term.kind == TermKind::kInteger) {
    int64_t value = term.as_integer();
    uint64_t magnitude = reduce(value < 0 ? 0 - static_cast<uint64_t>(value) : value);
    return value < 0 ? negate(magnitude) : magnitude;
  }
  double value = term.as_real();
  if (!std::isfinite(value)) return reduce(mix(term.bits));
  int exponent = 0;
  double mantissa = std::ldexp(std::frexp(std::fabs(value), &exponent), 53);
  exponent -= 53;
  uint64_t scale = power(2, static_cast<uint64_t>(std::abs(exponent)));
  if (exponent < 0) scale = inverse(scale);
  uint64_t magnitude = multiply(reduce(static_cast<uint64_t>(mantissa)), scale);
  return value < 0 ? negate(magnitude) : magnitude;
}

}  // namespace flipsat::verify::field
