// Many modules, each read, optimised and written on its own: what a batch has to do, what of it an
// earlier run has done, and what comes of it. Who does the work, and where, is not decided here:
// processes of one machine (run.h) and workers on many (python/flipsat/batch.py) drive the same
// object, so that their files are the same to the byte.
//
// OUT/<relative name>   the outputs
// OUT/report.json       what `optimize` says of each, in the order of the files
// OUT/.flipsat/         answers, by content (cache.h), log.jsonl, and a lock
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimizer/options.h"
#include "tools/batch/cache.h"
#include "tools/batch/entry.h"
#include "tools/batch/log.h"
#include "tools/json_text.h"
#include "tools/module_files.h"

namespace flipsat::tools {

struct BatchOptions {
  optimizer::Options optimizer;
  std::string identity;  // of the options: identity_of
  std::string output_folder;
  std::string cache_folder;  // empty: in the output folder
};

// What became of one file.
struct BatchRecord {
  std::string path;
  std::string relative;
  std::string key;
  std::optional<Figures> figures;
  std::string error;  // where there are no figures
};

// The same as it comes from whoever did the work.
struct Outcome {
  std::optional<Figures> figures;
  std::vector<std::string> errors;  // by file of the task; empty where there are none
};

class Batch {
 public:
  // Files of equal content are one task.
  struct Task {
    std::string key;
    std::vector<size_t> files;
    uint64_t bytes = 0;
  };

  // Locks the output folder, reads every file and looks what of it is done. Throws UsageError where
  // two files have one relative name, the folder cannot be made or another batch works there.
  Batch(const std::vector<ModuleFile>& files, BatchOptions options);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // What is left to do, the largest first.
  const std::vector<Task>& tasks() const { return tasks_; }
  const std::vector<BatchRecord>& records() const { return records_; }
  // How many modules an earlier run has finished.
  size_t known() const { return known_; }
  const BatchOptions& options() const { return options_; }
  BatchLog& log() { return *log_; }

  // Before the first task: the log begins with `how`, and with what needs no work.
  void begin(const Json& how);

  // In any process that sees the files: solves the task and keeps the answer. What is
  // wrong with a module or a place to write is an answer; std::bad_alloc is thrown.
  Outcome carry_out(const Task& task) const;
  // The second half, where the answer was found elsewhere. `input`: the task's bytes.
  Outcome keep(const Task& task, const std::string& input, const Entry& entry) const;

  // In this process: takes down what came of it. `how`: more for the log.
  void note(const Task& task, const Outcome& outcome, const Json& how);
  void note_failure(const Task& task, const std::string& why, const Json& how);

  // After the last task: writes the report. `also`: called with each record in order.
  void finish(const std::function<void(const Json& record)>& also);

 private:
  struct Lock;

  void find_tasks();
  std::string write_outputs(const Entry& entry, const std::string& input, size_t file) const;
  std::string record_text(const BatchRecord& record) const;

  BatchOptions options_;
  std::vector<BatchRecord> records_;
  std::vector<Task> tasks_;
  std::vector<std::pair<std::string, Json>> without_work_;  // events, for the log
  size_t known_ = 0;
  std::unique_ptr<Lock> lock_;
  std::optional<Cache> cache_;
  std::optional<BatchLog> log_;
};

// Where a batch that writes into the folder leaves its report.
std::string report_path(const std::string& output_folder);

// Between processes.
std::string encode(const Outcome& outcome);
Outcome decode_outcome(const std::string& bytes);

}  // namespace flipsat::tools
