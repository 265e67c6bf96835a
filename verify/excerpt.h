// The changed neighbourhoods of two modules as modules of their own, to be run elsewhere (on XLA).
//
//   for (const Excerpt& excerpt : cut_excerpts(before, after, {}).excerpts) ...
//
// An excerpt is a pair of modules: the parameters of both are values that the two programs share,
// the results are the values that changed (border.h). Values of one name are taken to be the same
// value, as the optimizer keeps it; an excerpt that differs says where to look, and is a proof only
// for modules named alike.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "verify/compare.h"

namespace flipsat::verify {

struct ExcerptOptions {
  hlo::DeviceCountOverrides devices;
  std::unordered_set<std::string> assume_replicated;  // entry parameters, by name
  int64_t max_bytes = int64_t{256} << 20;  // of one excerpt's parameters and results, all devices
  size_t max_values = 32;                  // results of one excerpt
};

// What is known of one array that is fed, on the devices in order of their ids.
struct FedArray {
  std::vector<uint32_t> blocks;  // devices with one number hold one value; empty: nothing is known
  std::vector<int64_t> numbers;  // of an integer scalar that is known; else empty
};

struct Excerpt {
  std::string computation;
  hlo::Module before;  // both borrow text of the modules that they are cut from
  hlo::Module after;
  std::vector<FedArray> parameters;  // arrays in order, tuples flattened
  std::vector<std::string> values;   // by result array: its name in `after`
};

struct Excerpts {
  std::vector<Excerpt> excerpts;
  int64_t alike = 0;  // changed values that are computed as one of these is, but for names
  std::vector<NotChecked> left_out;  // changed values that are in no excerpt
};

Excerpts cut_excerpts(const hlo::Module& before, const hlo::Module& after,
                      const ExcerptOptions& options);

// What is known of the arrays that a module's entry is fed.
std::vector<FedArray> entry_arrays(const hlo::Module& module, const ExcerptOptions& options);

}  // namespace flipsat::verify
