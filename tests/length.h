// How much tests try: `scripts/test --long` has them try all, otherwise a share keeps them short.
// Sanitizers make a case about ten times as slow, so there they try fewer.
#pragma once

#include <cstdlib>

namespace flipsat::testing {

template <class Number>
struct Length {
  Number all, usually;
};

inline bool tries_all() { return std::getenv("FLIPSAT_LONG") != nullptr; }

template <class Number>
Number length(const Length<Number>& optimised, const Length<Number>& with_sanitizers) {
#if defined(__SANITIZE_ADDRESS__)
  const Length<Number>& length = with_sanitizers;
  (void)optimised;
#else
  const Length<Number>& length = optimised;
  (void)with_sanitizers;
#endif
  return tries_all() ? length.all : length.usually;
}

}  // namespace flipsat::testing
