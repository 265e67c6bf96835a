// Folders that XLA's --xla_dump_to fills: which files hold a module, and at which stage of its
// compilation. Told by names alone:
//
//   FILE   = MODULE "." STAGE KIND
//   MODULE = [TIME "."] "module_" ID ["." NAME]              NAME is left out where it is too long
//   STAGE  = "before_optimizations"
//          | [TARGET "_"] "after_optimizations" ["_" WORDS]  cpu, sm_9.0_gpu, ...
//          | STEP "." PIPELINE ".after_" PASS ".before_" PASS     between two passes
//          | STEP "." PASS "." WORDS                              inside a pass
//          | "after_" WORDS | "before_" WORDS
//   KIND   = ".txt" | ".hlo" | ".hlo.txt" | ".hlo.pb", and ".gz" or ".zst" after it
//
// NAME may hold dots, which the other parts (but for the target "sm_9.0") do not. Everything else
// whose name begins with MODULE (buffer assignments, snapshots, graphs, options) holds no module to
// work on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flipsat::frontends {

struct DumpFile {
  std::string file;  // its name, without a folder
  std::string id;    // "module_0010", with the time where there is one
  std::string name;  // "jit_step"; empty where it is left out
  std::string stage;
  std::optional<int64_t> step;  // stages of passes are numbered as they come
  bool is_proto = false;
};

// Nullopt for what is no module of a dump.
std::optional<DumpFile> read_dump_name(std::string_view file);

// Does a dump write files of such names, modules or not?
bool is_part_of_dump(std::string_view file);

struct DumpModule {
  std::string id;
  std::string name;
  std::vector<DumpFile> files;  // as the compilation goes

  std::string label() const { return name.empty() ? id : id + "." + name; }
};

// The modules that these files show, in the order of id and name; none: it is no dump.
std::vector<DumpModule> dump_modules(const std::vector<std::string>& files);

// The module's file at a stage, the last where there are several; null where there is none. The
// proto where there is the text too: it has all constants. A stage is named by its whole spelling,
// or by a pass ("spmd-partitioning", the same as "after_spmd-partitioning": behind that pass;
// "before_spmd-partitioning"), a step's number, or "after_optimizations" whatever the target.
const DumpFile* file_at(const DumpModule& module, std::string_view stage);

// Where collectives are there and not yet combined or scheduled.
inline constexpr std::string_view kPartitionedStage = "after_spmd-partitioning";

// Stages of some modules, each once, as the compilation goes, in the shortest words that `file_at`
// takes: those behind a pass by its name ("after_dce").
std::vector<std::string> stages_of(const std::vector<DumpModule>& modules);

}  // namespace flipsat::frontends
