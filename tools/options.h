// What `optimize` and `batch` (and, for the device counts, other commands) share on the command
// line, and what it means for the optimizer.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/options.h"

namespace flipsat::tools {

// --replicas and --partitions.
struct DeviceArguments {
  std::optional<int64_t> replicas;
  std::optional<int64_t> partitions;
};
void add_device_options(CLI::App& parser, DeviceArguments& arguments);
hlo::DeviceCountOverrides device_overrides(const DeviceArguments& arguments);

// --combiner, --machine and --objective: what a program is priced with.
struct CostArguments {
  std::string combiner = "neuron";
  std::string machine = "trn2";
  std::string objective = "time";
};
void add_cost_options(CLI::App& parser, CostArguments& arguments);
// Throws UsageError for unknown names, hlo::InputError for a bad machine or combiner file.
extract::CostOptions cost_options(const CostArguments& arguments);

struct OptimizerArguments {
  DeviceArguments devices;
  CostArguments cost;
  std::string numerics = "exact";
  bool bitwise = false;
  bool assume_finite = false;
  std::vector<std::string> disable;
  std::vector<std::string> only;
  std::string rules;  // a file of rules as text
  std::vector<std::string> assume_replicated;
  double min_gain = 0;
  std::optional<double> max_peak_growth;
  int64_t node_limit = optimizer::Options{}.node_limit;
  int64_t effort = optimizer::Options{}.effort;
  double time_limit = 0;
  bool hoist = false;
  bool emit_combined = false;
  bool no_greedy_seed = false;
  bool beat_orders = false;
  int64_t alternatives = 0;
  std::string verify = "quick";
  std::string solver = "none";  // or cp-sat, highs
  std::optional<int> threads;
  std::string memory;
};
void add_optimizer_options(CLI::App& parser, OptimizerArguments& arguments);
// --threads, or as many as there are processors.
int thread_count(const OptimizerArguments& arguments);
// --memory in bytes; 0 where it is not given. Throws UsageError for what is no size.
int64_t memory_limit(const OptimizerArguments& arguments);
// The files that options name: inputs, too.
std::vector<std::string> option_files(const OptimizerArguments& arguments);
// Throws as cost_options, and UsageError for rules that there are not.
optimizer::Options optimizer_options(const OptimizerArguments& arguments);

// --numerics. Throws UsageError for what is no class, or none yet.
hlo::Numerics numerics_class(const std::string& spelling);
// `%name` and `name` are the same instruction.
std::string without_percent(const std::string& name);

// Spellings of the command line, for reports.
std::string to_string(extract::Objective objective);

}  // namespace flipsat::tools
