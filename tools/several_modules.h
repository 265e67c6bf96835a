// What commands that take modules and folders of modules share: which files, how a file that fails
// is told, and progress on a terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/exit_codes.h"
#include "tools/inputs.h"
#include "tools/module_files.h"

namespace flipsat::tools {

struct SeveralModules {
  std::vector<ModuleFile> files;
  // One module named on its own: what is wrong with it ends the command.
  bool is_one = false;
};

// Of names of modules, `-`, and folders, of which every module below is taken, of dumps the one at
// the stage. Throws UsageError where there is none, and hlo::InputError for a name of nothing.
SeveralModules modules_of(const std::vector<std::string>& inputs, const DumpArguments& dump);

// Runs `work` on each file, on several threads. Gives what went wrong, by file; empty where nothing
// did. Throws what `work` throws for one module on its own.
std::vector<std::string> run_on_each(const SeveralModules& modules, int threads, bool quiet,
                                     const std::function<void(size_t)>& work);

// Done, or "some module failed".
ExitCode exit_code(const std::vector<std::string>& errors);

}  // namespace flipsat::tools
