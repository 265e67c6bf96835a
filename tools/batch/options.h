// What a batch is asked on the command line, here and from Python.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/batch/batch.h"
#include "tools/inputs.h"
#include "tools/options.h"

namespace flipsat::tools {

struct BatchArguments {
  std::vector<std::string> folders;
  std::string output;
  std::string cache;
  std::vector<std::string> reports;  // beside OUT/report.json
  bool quiet = false;
  DumpArguments dump;
  OptimizerArguments optimizer;
};
void add_batch_options(CLI::App& parser, BatchArguments& arguments);

struct OpenedBatch {
  Inputs inputs;
  std::unique_ptr<Batch> batch;
};
// Throws as the parts do (inputs.h, options.h, batch.h).
OpenedBatch open_batch(const BatchArguments& arguments);

// After the last task: the reports.
void write_reports(const OpenedBatch& opened, const BatchArguments& arguments);

// What is printed at the end.
std::string batch_text(const OpenedBatch& opened, const BatchArguments& arguments);

}  // namespace flipsat::tools
