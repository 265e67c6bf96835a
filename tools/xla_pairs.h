// What XLA is to run for `verify --with xla`: two modules, the excerpts of what changed between
// them, and what is known of their inputs, as files that python/flipsat_xla reads.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "verify/compare.h"

namespace flipsat::tools {

struct XlaInput {
  std::string text;  // as it was read, for the parser of XLA itself
  hlo::Module module;
};

struct XlaOptions {
  hlo::DeviceCountOverrides devices;
  std::unordered_set<std::string> assume_replicated;
  double time_limit = 120;  // seconds for one pair
};

// Writes the modules and pairs.json into a folder that is there. Returns the changed values that no
// excerpt holds. Throws UsageError where it cannot write.
std::vector<verify::NotChecked> write_xla_pairs(const XlaInput& before, const XlaInput& after,
                                                const XlaOptions& options,
                                                const std::filesystem::path& folder);

}  // namespace flipsat::tools
