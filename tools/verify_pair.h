// The question of `verify`: how two modules are compared, and by whom.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/options.h"
#include "tools/verify_report.h"
#include "tools/xla_run.h"

namespace flipsat::tools {

struct VerifyArguments {
  std::string with;  // empty: symbolic, then perhaps numbers
  std::string level = "quick";
  std::string numerics = "exact";
  std::vector<std::string> assume_replicated;
  bool assume_finite = false;
  double time_limit = XlaOptions{}.time_limit;
  DeviceArguments devices;
};
void add_verify_options(CLI::App& parser, VerifyArguments& arguments);

verify::Options symbolic_options(const VerifyArguments& arguments);
XlaOptions xla_options(const VerifyArguments& arguments);

// The module and its text; throws hlo::InputError where it is not well formed.
XlaInput well_formed(hlo::Module module, const hlo::DeviceCountOverrides& devices);

// The names are the modules' files. Throws UsageError.
VerifyAnswer verify_pair(const XlaInput& before, const XlaInput& after,
                         const VerifyArguments& arguments);

}  // namespace flipsat::tools
