// One module from its text to its optimised text: what `optimize` and `batch` do for each file.
#pragma once

#include <string>

#include "optimizer/options.h"
#include "optimizer/result.h"

namespace flipsat::tools {

struct OptimizedFile {
  optimizer::Result result;
  std::string before;  // the text that was read
  std::string after;   // the same where nothing improved
};

// Throws as optimizer::optimize does, and hlo::InputError for a file that cannot be read.
OptimizedFile optimize_file(const std::string& path, const optimizer::Options& options);

}  // namespace flipsat::tools
