#include "tools/inputs.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "frontends/dump_folder.h"
#include "hlo/input_error.h"
#include "tools/units.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;
using frontends::DumpFile;
using frontends::DumpModule;

constexpr size_t kNamesShown = 8;

bool is_folder(const std::string& input) {
  std::error_code unknown;
  return input != "-" && fs::is_directory(input, unknown);
}

std::string some_of(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<ptrdiff_t>(std::min(kNamesShown, names.size()));
  const size_t more = names.size() - std::min(kNamesShown, names.size());
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

bool fits(const DumpModule& module, const std::string& glob) {
  if (glob.empty()) return true;
  for (const std::string& name : {module.name, module.id, module.label()}) {
    if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
  }
  return false;
}

// What the folders of one command line hold, while it is sorted.
struct Found {
  Inputs inputs;
  bool any_dump = false;
  std::vector<DumpModule> without_stage;
};

// The files of one folder, without those below its own folders.
void take_folder(const std::vector<ModuleFile>& files, const DumpArguments& arguments,
                 Found& found) {
  std::vector<std::string> names;
  std::map<std::string, const ModuleFile*> file_of;
  for (const ModuleFile& file : files) {
    names.push_back(fs::path(file.path).filename().string());
    file_of[names.back()] = &file;
  }
  const std::vector<DumpModule> modules = frontends::dump_modules(names);
  const std::string stage =
      arguments.stage.empty() ? std::string(frontends::kPartitionedStage) : arguments.stage;
  found.any_dump |= !modules.empty();
  for (const DumpModule& module : modules) {
    if (!fits(module, arguments.module)) continue;
    if (const DumpFile* file = frontends::file_at(module, stage)) {
      found.inputs.files.push_back(*file_of.at(file->file));
    } else {
      found.without_stage.push_back(module);
    }
  }
  for (const auto& [name, file] : file_of) {
    if (!modules.empty() && frontends::is_part_of_dump(name)) continue;
    if (is_module_file(file->path)) found.inputs.files.push_back(*file);
  }
}

void take_below(const std::string& folder, const std::string& except,
                const DumpArguments& arguments, Found& found) {
  std::map<fs::path, std::vector<ModuleFile>> by_folder;
  for (ModuleFile& file : files_below(folder, except)) {
    by_folder[fs::path(file.path).parent_path()].push_back(std::move(file));
  }
  const size_t begin = found.inputs.files.size();
  for (const auto& [_, files] : by_folder) take_folder(files, arguments, found);
  std::sort(found.inputs.files.begin() + static_cast<ptrdiff_t>(begin), found.inputs.files.end(),
            [](const ModuleFile& a, const ModuleFile& b) { return a.relative < b.relative; });
}

std::string stage_words(const DumpArguments& arguments) {
  return arguments.stage.empty() ? "right after SPMD partitioning"
                                 : fmt::format("at stage '{}'", arguments.stage);
}

std::string stages_there(const std::vector<DumpModule>& modules) {
  return fmt::format("stages there: {}", some_of(frontends::stages_of(modules)));
}

void check_dump(const std::vector<std::string>& inputs, const DumpArguments& arguments,
                bool any_dump) {
  if (any_dump || (arguments.stage.empty() && arguments.module.empty())) return;
  throw UsageError(fmt::format("{}: only for folders that --xla_dump_to filled; {} {} none",
                               arguments.stage.empty() ? "--module" : "--stage",
                               fmt::join(inputs, ", "), inputs.size() == 1 ? "is" : "are"));
}

void check_any(const std::vector<std::string>& inputs, const DumpArguments& arguments,
               const Found& found) {
  check_dump(inputs, arguments, found.any_dump);
  if (!found.inputs.files.empty()) return;
  const std::string below = fmt::format("no module below {}", fmt::join(inputs, ", "));
  if (!found.any_dump) throw UsageError(below);
  if (found.without_stage.empty()) {
    throw UsageError(fmt::format("{} fits --module '{}'", below, arguments.module));
  }
  throw UsageError(fmt::format(
      "{} {}; {}{}", below, stage_words(arguments), stages_there(found.without_stage),
      arguments.stage.empty() ? ". --stage takes one of them; --xla_dump_hlo_pass_re="
                                "spmd-partitioning makes XLA dump the one that is missing"
                              : ""));
}

Found find_modules(const std::vector<std::string>& inputs, const std::string& except,
                   const DumpArguments& arguments) {
  Found found;
  for (const std::string& input : inputs) {
    if (is_folder(input)) {
      take_below(input, except, arguments, found);
      continue;
    }
    std::error_code unknown;
    if (input != "-" && !fs::exists(input, unknown)) {
      throw hlo::InputError({input, 1, 1}, "cannot open: there is no such file or folder");
    }
    found.inputs.files.push_back({input, fs::path(input).filename().string()});
  }
  check_any(inputs, arguments, found);
  for (const DumpModule& module : found.without_stage) {
    found.inputs.skipped.push_back(module.label());
  }
  return found;
}

std::string only_module_of(const std::string& folder, const DumpArguments& arguments) {
  const Found found = find_modules({folder}, "", arguments);
  const std::vector<ModuleFile>& files = found.inputs.files;
  if (files.size() == 1 && found.any_dump) return files.front().path;
  std::vector<std::string> names;
  for (const ModuleFile& file : files) names.push_back(file.relative);
  throw UsageError(fmt::format(
      "{} is a folder of {}, and one file is wanted: {}; {}'flipsat batch' takes them all", folder,
      counted(static_cast<int64_t>(files.size()), "module"), some_of(names),
      found.any_dump ? "--module chooses one, " : ""));
}

}  // namespace

void add_dump_options(CLI::App& parser, DumpArguments& arguments) {
  parser
      .add_option(
          "--stage", arguments.stage,
          "Of folders that --xla_dump_to filled: after which pass, or before_optimizations, "
          "after_optimizations (default: spmd-partitioning)")
      ->type_name("NAME");
  parser
      .add_option("--module", arguments.module,
                  "Of such folders: only modules of this name; * and ? stand for anything")
      ->type_name("GLOB");
}

std::vector<std::string> Inputs::paths() const {
  std::vector<std::string> paths;
  for (const ModuleFile& file : files) paths.push_back(file.path);
  return paths;
}

Inputs module_inputs(const std::vector<std::string>& inputs, const std::string& except,
                     const DumpArguments& arguments) {
  return find_modules(inputs, except, arguments).inputs;
}

std::string skipped_lines(const Inputs& inputs, const DumpArguments& arguments) {
  if (inputs.skipped.empty()) return "";
  return fmt::format("\nskipped, not there {}: {}\n", stage_words(arguments),
                     some_of(inputs.skipped));
}

std::vector<std::string> single_inputs(const std::vector<std::string>& inputs,
                                       const DumpArguments& arguments) {
  std::vector<std::string> paths;
  if (std::none_of(inputs.begin(), inputs.end(), is_folder)) check_dump(inputs, arguments, false);
  for (const std::string& input : inputs) {
    paths.push_back(is_folder(input) ? only_module_of(input, arguments) : input);
  }
  return paths;
}

}  // namespace flipsat::tools
