// Which files the inputs of a command line stand for: themselves, modules below folders, and of
// folders that XLA's --xla_dump_to filled one file a module, at one stage of its compilation.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/module_files.h"

namespace flipsat::tools {

// --stage and --module.
struct DumpArguments {
  std::string stage;   // empty: right after SPMD partitioning
  std::string module;  // a glob; empty: all
};
void add_dump_options(CLI::App& parser, DumpArguments& arguments);

struct Inputs {
  std::vector<std::string> paths() const;  // of the files

  std::vector<ModuleFile> files;
  std::vector<std::string> skipped;  // modules of dumps that are not there at the stage
};

// In the order of the inputs, then of relative names; without what lies below `except`. Throws
// hlo::InputError for what is not there, UsageError where no module is found.
Inputs module_inputs(const std::vector<std::string>& inputs, const std::string& except,
                     const DumpArguments& arguments);

// What was skipped, after an empty line; nothing where nothing was.
std::string skipped_lines(const Inputs& inputs, const DumpArguments& arguments);

// For commands that take one module a name: each file, or the only one that a dump has at that
// stage. Throws UsageError where there are several or none, and for any other folder.
std::vector<std::string> single_inputs(const std::vector<std::string>& inputs,
                                       const DumpArguments& arguments);

}  // namespace flipsat::tools
