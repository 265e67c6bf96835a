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

// What became of the changed values.
struct XlaExcerpts {
  int64_t values = 0;  // in excerpts
  int64_t alike = 0;   // computed as one of these is, but for names
  std::vector<verify::NotChecked> left_out;
};

// Writes the modules and pairs.json into a folder that is there. Throws UsageError where it cannot
// write.
XlaExcerpts write_xla_pairs(const XlaInput& before, const XlaInput& after,
                            const XlaOptions& options, const std::filesystem::path& folder);

}  // namespace flipsat::tools
