// Modules run on numbers, all devices in lockstep: for small modules, to say how two programs
// differ and to see what one computes. Every operation rounds as its type does; random parameters
// are the same for both modules and equal on the devices that hold equal values.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "verify/compare.h"
#include "verify/domain.h"
#include "verify/term.h"

namespace flipsat::verify {

struct NumberOptions {
  uint64_t seed = 1;
  hlo::DeviceCountOverrides devices;
  std::unordered_set<std::string> assume_replicated;  // entry parameters, by name
  bool special_values = false;  // infinities, NaN, zeros of both signs among the parameters
  int64_t work = 200'000'000;   // elements looked at, in all
  Domain* domain = nullptr;     // what elements are; null: a NumberDomain of the seed
};

// As the symbolic comparison is asked for.
NumberOptions number_options(const Options& symbolic);
// What they may look at unasked, where symbols could not tell: some seconds.
inline constexpr int64_t kUnaskedWork = 20'000'000;

// The arrays of the entry's result, in order: values[part][device][index].
struct NumberRun {
  bool ran = false;
  std::string reason;  // why not
  std::vector<hlo::Shape> shapes;
  std::vector<std::vector<std::vector<Term>>> values;
};

NumberRun run_on_numbers(const hlo::Module& module, const NumberOptions& options);

struct NumberComparison {
  bool compared = false;
  std::string reason;  // why not
  int64_t elements = 0;
  int64_t differing = 0;  // bits differ (NaN is NaN, whatever its bits)
  double max_abs = 0;     // largest difference; infinite where one side is not finite
  int64_t max_ulps = 0;   // of the results' own types; INT64_MAX: NaN on one side only
  // Where the largest distance in ulps (of integers: in value) is.
  size_t part = 0;
  int64_t device = 0;
  int64_t index = 0;
  Term before;
  Term after;
};

NumberComparison compare_on_numbers(const hlo::Module& before, const hlo::Module& after,
                                    const NumberOptions& options);

}  // namespace flipsat::verify
