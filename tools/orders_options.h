// What `flipsat orders` is asked on the command line, and what it means for the laboratory.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "laboratory/study.h"
#include "tools/options.h"

namespace flipsat::tools {

struct OrdersArguments {
  std::string mode = "sound";
  std::vector<std::string> passes;
  std::string sweeps = "once";
  OptimizerArguments optimizer;
};

void add_orders_options(CLI::App& parser, OrdersArguments& arguments);
// Throws as optimizer_options, and UsageError for passes that there are not, or too many.
laboratory::StudyOptions study_options(const OrdersArguments& arguments);

}  // namespace flipsat::tools
