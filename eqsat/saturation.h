// What the commands that saturate have in common: options, and one run from a file to a saturated
// e-graph with the time of each step.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "egraph/io/workload.h"
#include "egraph/runner.h"

namespace flipsat::eqsat {

struct SaturationArguments {
  std::string language;  // a workload whose operators, costs and rules come first; empty: none
  std::vector<std::string> rule_files;
  std::optional<uint64_t> iterations;
  std::optional<uint64_t> nodes;
  std::optional<uint64_t> matches;
  std::optional<uint64_t> bytes;
  std::optional<double> seconds;
  std::string scheduler = "simple";
  std::string search = "incremental";
  size_t start = SIZE_MAX;  // how many start nodes
  bool explanations = false;
  bool rerun = false;  // one iteration more at the end, where nothing may be new
};

// For options that are counts: CLI11 alone would take "-1" for a very large one.
CLI::Validator whole_number();

// `--start` only where there are start nodes.
void add_saturation_options(CLI::App& parser, SaturationArguments& arguments);
void add_start_option(CLI::App& parser, SaturationArguments& arguments);

// Where the line gives no limit, the workload's holds, and where it has none either the run's
// default.
egraph::RunOptions run_options(const SaturationArguments& arguments,
                               const egraph::WorkloadFile& workload);

// The workload with the rules of all rule files behind its own. Throws InputError.
egraph::WorkloadFile read_workload_file(const std::string& path,
                                        const SaturationArguments& arguments);
// The same without start nodes of its own: for commands that are given terms.
void add_language_option(CLI::App& parser, SaturationArguments& arguments);
egraph::WorkloadFile read_language(const SaturationArguments& arguments);

struct Saturated {
  egraph::EGraph graph;
  std::vector<egraph::ClassId> roots;
  egraph::RunReport report;
  uint64_t nodes = 0;  // at the end of the run
  uint64_t classes = 0;
  double load_seconds = 0;     // adding the start nodes, and a rebuild
  double compile_seconds = 0;  // of the rules
  double rerun_seconds = 0;    // of one iteration more, where it was asked for
};

// Start nodes are dropped from the workload when they are loaded, unless it is to be loaded again.
enum class StartNodes : uint8_t { kDrop, kKeep };
Saturated saturate(egraph::WorkloadFile& workload, const SaturationArguments& arguments,
                   StartNodes start_nodes = StartNodes::kDrop);

// A node's cost by the workload's `op` lines.
egraph::CostFunction cost_function(const egraph::WorkloadFile& workload,
                                   const egraph::EGraph& graph);

// Seconds since its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace flipsat::eqsat
