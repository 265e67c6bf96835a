// Which files below a folder are modules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flipsat::tools {

struct ModuleFile {
  std::string path;      // to read it
  std::string relative;  // below its folder: its name in the output folder
};

// Where a batch keeps things for itself, in its output folder.
inline constexpr const char* kBatchFolder = ".flipsat";

// All files that a folder holds, at any depth, in no order; without what lies below `except`, which
// may be empty, and what batches keep for themselves. Throws hlo::InputError where a folder cannot
// be read.
std::vector<ModuleFile> files_below(const std::string& folder, const std::string& except);

// `.hlo`, `.hlo_module.pb`, `.hlo.pb`, compressed or not: a module whatever it holds, so that a
// damaged one is reported. Other protos are called `.pb` too: those are told by what they hold.
bool has_module_name(std::string_view path);

// Named so, or readable and looks like one.
bool is_module_file(const std::string& path);

// Is it a proto that holds a module, or a text that begins, after white space and comments, as a
// module or a bare computation does?
bool looks_like_module(std::string_view text);

}  // namespace flipsat::tools
