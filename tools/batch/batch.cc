#include "tools/batch/batch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "frontends/file.h"
#include "hlo/input_error.h"
#include "tools/batch/digest.h"
#include "tools/batch/streamed_report.h"
#include "tools/output_files.h"
#include "tools/report.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReportName = "report.json";

// Two inputs of one name would be one output.
void check_names_differ(const std::vector<BatchRecord>& records) {
  std::map<std::string, std::string> path_of = {{kReportName, "the report"}};
  for (const BatchRecord& record : records) {
    const auto [seen, added] = path_of.emplace(record.relative, record.path);
    if (added) continue;
    throw UsageError(fmt::format("{} and {} would both be written to {}", seen->second, record.path,
                                 record.relative));
  }
  for (const BatchRecord& record : records) {
    for (fs::path above = fs::path(record.relative).parent_path(); !above.empty();
         above = above.parent_path()) {
      const auto file = path_of.find(above.string());
      if (file == path_of.end()) continue;
      throw UsageError(fmt::format("{} would be the file {}, and for {} it has to be a folder",
                                   file->second, above.string(), record.path));
    }
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UsageError(fmt::format("cannot make {}: {}", folder.string(), error.message()));
}

// And is no zombie, which who was killed may be for long.
bool is_running(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text.compare(name_end + 2, 1, "Z") != 0;
}

// What runs that were killed have left half written (output_files.h).
void remove_leftovers(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (auto at = fs::recursive_directory_iterator(folder, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    int process = 0;
    const std::string name = at->path().filename().string();
    if (std::sscanf(name.c_str(), ".flipsat-%d-", &process) == 1 && !is_running(process)) {
      leftovers.push_back(at->path());
    }
  }
  for (const fs::path& path : leftovers) fs::remove(path, error);
}

bool holds(const fs::path& path, const std::string& digest) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  try {
    return sha256(frontends::read_raw(path.string())) == digest;
  } catch (const hlo::InputError&) {
    return false;
  }
}

}  // namespace

// Of the output folder, as long as a batch works there; a process that is killed gives it back.
struct Batch::Lock {
  explicit Lock(const std::string& folder) {
    const std::string path = (fs::path(folder) / kBatchFolder / "lock").string();
    file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) throw UsageError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return;
    close(file);
    throw UsageError(fmt::format("another batch is at work in {}", folder));
  }
  ~Lock() { close(file); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  int file = -1;
};

Batch::Batch(const std::vector<ModuleFile>& files, BatchOptions options)
    : options_(std::move(options)) {
  options_.optimizer.solved = std::make_shared<egraph::dag::SolvedParts>();
  for (const ModuleFile& file : files) records_.push_back({file.path, file.relative, {}, {}, {}});
  check_names_differ(records_);
  const fs::path folder = options_.output_folder;
  make_folder(folder / kBatchFolder);
  check_can_write(report_path(options_.output_folder));
  lock_ = std::make_unique<Lock>(options_.output_folder);
  remove_leftovers(options_.output_folder);
  cache_.emplace(options_.cache_folder.empty() ? (folder / kBatchFolder / "cache").string()
                                               : options_.cache_folder);
  log_.emplace((folder / kBatchFolder / "log.jsonl").string());
  find_tasks();
}

Batch::~Batch() = default;

void Batch::find_tasks() {
  std::map<std::string, Task> open;
  for (size_t i = 0; i < records_.size(); ++i) {
    BatchRecord& record = records_[i];
    std::string input;
    try {
      input = frontends::read_raw(record.path);
    } catch (const hlo::InputError& error) {
      record.error = error.what();
      without_work_.emplace_back("failed",
                                 Json{{"module", record.relative}, {"error", record.error}});
      continue;
    }
    record.key = key_of(options_.identity, input);
    if (auto task = open.find(record.key); task != open.end()) {
      task->second.files.push_back(i);
      continue;
    }
    const std::optional<Entry> entry = cache_->find(record.key);
    if (!entry || !entry->is_lasting) {
      open[record.key] = {record.key, {i}, input.size()};
      continue;
    }
    record.error = write_outputs(*entry, input, i);
    if (record.error.empty()) record.figures = entry->figures;
    ++known_;
    without_work_.emplace_back("known", Json{{"module", record.relative}, {"key", record.key}});
  }
  for (auto& [_, task] : open) tasks_.push_back(std::move(task));
  std::ranges::sort(tasks_, [](const Task& a, const Task& b) {
    return std::tuple(b.bytes, a.files.front()) < std::tuple(a.bytes, b.files.front());
  });
}

void Batch::begin(const Json& how) {
  Json fields = {{"modules", records_.size()}, {"to_do", tasks_.size()}};
  fields.update(how);
  log_->note("begin", fields);
  for (const auto& [event, what] : without_work_) log_->note(event, what);
  without_work_.clear();
}

// What went wrong; the module's own error, too.
std::string Batch::write_outputs(const Entry& entry, const std::string& input, size_t file) const {
  const BatchRecord& record = records_[file];
  if (!entry.error.empty()) return error_of(entry, record.path);
  const fs::path target = fs::path(options_.output_folder) / record.relative;
  if (holds(target, entry.output_digest)) return "";
  try {
    make_folder(target.parent_path());
    write_output(target.string(), output_file(entry, input), frontends::Compression::kNone);
    return "";
  } catch (const std::runtime_error& error) {
    return fmt::format("{}: {}", record.path, error.what());
  }
}

Outcome Batch::carry_out(const Task& task) const {
  const std::string& path = records_[task.files.front()].path;
  try {
    const std::string input = frontends::read_raw(path);
    if (key_of(options_.identity, input) != task.key) {
      throw std::runtime_error(path + ": it was written to while the batch ran");
    }
    return keep(task, input, solve(input, path, options_.optimizer));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return {std::nullopt, std::vector<std::string>(task.files.size(), error.what())};
  }
}

Outcome Batch::keep(const Task& task, const std::string& input, const Entry& entry) const {
  Outcome outcome;
  try {
    // A failure that is not the module's is tried again by the next run.
    if (entry.error.empty() || entry.is_lasting) cache_->keep(task.key, encode(entry));
  } catch (const UsageError& error) {  // the report is made of what was kept
    for (size_t file : task.files) {
      outcome.errors.push_back(fmt::format("{}: {}", records_[file].path, error.what()));
    }
    return outcome;
  }
  if (entry.error.empty()) outcome.figures = entry.figures;
  for (size_t file : task.files) outcome.errors.push_back(write_outputs(entry, input, file));
  return outcome;
}

void Batch::note(const Task& task, const Outcome& outcome, const Json& how) {
  for (size_t i = 0; i < task.files.size(); ++i) {
    BatchRecord& record = records_[task.files[i]];
    record.error = outcome.errors[i];
    if (record.error.empty()) record.figures = outcome.figures;
    Json fields = {{"module", record.relative}, {"key", task.key}};
    if (i > 0) fields["same_as"] = records_[task.files.front()].relative;
    if (i == 0) fields.update(how);
    if (!record.error.empty()) fields["error"] = record.error;
    log_->note(!record.error.empty() ? "failed" : i == 0 ? "optimized" : "same", fields);
  }
}

void Batch::note_failure(const Task& task, const std::string& why, const Json& how) {
  Outcome outcome;
  for (size_t file : task.files) outcome.errors.push_back(records_[file].path + ": " + why);
  note(task, outcome, how);
}

// The record's lines, as they stand in the report.
std::string Batch::record_text(const BatchRecord& record) const {
  Json head = report_head();
  head["input"] = record.path;
  if (!record.error.empty()) head["error"] = record.error;
  std::string text = json_fields(head, 6);
  if (!record.error.empty()) return text;
  const std::optional<Entry> entry = cache_->find(record.key);
  if (!entry)
    throw UsageError(fmt::format("the answer for {} is gone from the cache", record.path));
  return text + ",\n" + entry->record;
}

void Batch::finish(const std::function<void(const Json& record)>& also) {
  Json head = report_head();
  head.update(options_record(options_.optimizer));
  StreamedReport report(report_path(options_.output_folder), head);
  for (const BatchRecord& record : records_) {
    const std::string text = record_text(record);
    report.add(text);
    if (also) also(Json::parse("{" + text + "}"));
  }
  report.commit();
  remove_leftovers(options_.output_folder);
}

std::string report_path(const std::string& output_folder) {
  return (fs::path(output_folder) / kReportName).string();
}

std::string encode(const Outcome& outcome) {
  std::ostringstream stream;
  cereal::BinaryOutputArchive archive(stream);
  archive(outcome.figures, outcome.errors);
  return stream.str();
}

Outcome decode_outcome(const std::string& bytes) {
  std::istringstream stream(bytes);
  cereal::BinaryInputArchive archive(stream);
  Outcome outcome;
  archive(outcome.figures, outcome.errors);
  return outcome;
}

}  // namespace flipsat::tools
