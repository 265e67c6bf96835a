// Many modules at once: each read, optimised and written on its own, a failure stopping nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "optimizer/options.h"
#include "optimizer/result.h"
#include "tools/in_parallel.h"
#include "tools/json_text.h"
#include "tools/module_files.h"

namespace flipsat::tools {

// What became of one file.
struct BatchRecord {
  std::string path;
  std::string relative;
  std::optional<optimizer::Result> result;  // without its output module
  std::string error;                        // where there is no result
};

struct BatchOptions {
  optimizer::Options optimizer;
  std::string output_folder;
  int threads = 1;
  Progress progress;
};

// Records in the order of `files`, whatever the number of threads.
std::vector<BatchRecord> run_batch(const std::vector<ModuleFile>& files,
                                   const BatchOptions& options);

Json batch_report(const std::vector<BatchRecord>& records, const optimizer::Options& options);
std::string batch_table(const std::vector<BatchRecord>& records, const optimizer::Options& options);

}  // namespace flipsat::tools
