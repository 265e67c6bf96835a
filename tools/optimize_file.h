// One module from its text to its optimised text: what `optimize` and `batch` do for each file.
#pragma once

#include <string>

#include "frontends/file.h"
#include "hlo/module.h"
#include "optimizer/options.h"
#include "optimizer/result.h"
#include "tools/output_form.h"

namespace flipsat::tools {

struct OptimizedFile {
  hlo::Module input;
  Form form;  // of the file that was read
  optimizer::Result result;
  std::string before;  // the text that was read, or that the proto stands for
  std::string after;   // the same where nothing improved
};

// A result as text: an input that nothing improves comes back to the letter, whatever the writer
// would make of it.
std::string output_text(const hlo::Module& input, const optimizer::Result& result);

// What a file of this kind holds of the result; of the input's kind, an input that nothing improves
// comes back to the byte.
std::string output_bytes(const OptimizedFile& file, frontends::FileKind kind);

// Throws as optimizer::optimize does, and hlo::InputError for a file that cannot be read.
OptimizedFile optimize_file(const std::string& path, const optimizer::Options& options);
// The same of what is in memory, packed or not; `shown` stands for the file in messages.
OptimizedFile optimize_bytes(std::string bytes, const std::string& shown,
                             const optimizer::Options& options);

}  // namespace flipsat::tools
