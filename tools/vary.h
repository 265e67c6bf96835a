// One figure of the cost model at a time set to other values: `--vary alpha=0.5x,2x`.
//
// A figure is one of the machine's, or a cap of the combiner. Values are factors of the one in
// force (2x) or absolute, in the figure's unit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "extract/program_cost.h"

namespace flipsat::tools {

enum class VaryUnit : uint8_t { kMicroseconds, kGigabytesPerSecond, kBytes, kCount };

struct VaryValue {
  std::string given;          // "2x"
  int64_t figure = 0;         // picoseconds, bytes a second, bytes, count
  extract::CostOptions cost;  // with that figure
};

struct Variation {
  std::string name;     // "alpha"
  std::string meaning;  // "launch time"
  VaryUnit unit = VaryUnit::kMicroseconds;
  int64_t base = 0;
  std::string note;  // where the figure is not all that it seems; may be empty
  std::vector<VaryValue> values;
};

// "alpha=0.5x,1x,20": what it asks for, with all else as in `base`. Throws UsageError.
Variation read_variation(const std::string& text, const extract::CostOptions& base);

// For help: "alpha, step, ...".
std::string vary_names();

std::string readable_figure(int64_t figure, VaryUnit unit);

}  // namespace flipsat::tools
