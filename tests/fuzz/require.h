// What a fuzz target says holds of whatever it was given.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace flipsat::fuzz {

// Stops the run, which keeps the input as a crash.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace flipsat::fuzz
