#include "eqsat/memory.h"

#include <cstdio>

namespace flipsat::eqsat {

double peak_memory_mib() {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  unsigned long long kib = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "VmHWM: %llu kB", &kib) == 1) break;
  }
  std::fclose(file);
  return static_cast<double>(kib) / 1024;
}

}  // namespace flipsat::eqsat
