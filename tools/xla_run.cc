#include "tools/xla_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "solvers/python_folder.h"
#include "tools/usage_error.h"

extern char** environ;

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;
using verify::Verdict;

// Exit statuses of python/flipsat_xla and of a shell that finds no program.
constexpr int kNoJaxlib = 2;
constexpr int kFailed = 4;
constexpr int kNoProgram = 127;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = fs::temp_directory_path() / "flipsat-xla-XXXXXX";
    if (!mkdtemp(pattern.data())) throw UsageError("cannot make a folder in " + pattern);
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string python() {
  const char* named = std::getenv("FLIPSAT_PYTHON");
  return named && *named ? named : "python3";
}

// Runs it with both streams into files; its exit status.
int run(const std::vector<std::string>& command, const fs::path& out, const fs::path& errors) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), flags, 0600);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return kNoProgram;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is(const Json& pair, const char* answer) { return pair.at("answer") == answer; }

}  // namespace

Verdict XlaAnswer::verdict() const {
  if (!why_not.empty()) return Verdict::kNotChecked;
  const Json& whole = record.at("pairs").at(0);
  if (is(whole, "different")) return Verdict::kDifferent;
  for (const Json& pair : record.at("pairs")) {
    if (!is(pair, "different")) continue;
    return whole.at("bit_exact") ? Verdict::kNotChecked : Verdict::kDifferent;
  }
  return is(whole, "same") ? Verdict::kSame : Verdict::kNotChecked;
}

XlaAnswer run_on_xla(const XlaInput& before, const XlaInput& after, const XlaOptions& options) {
  const TemporaryFolder folder;
  XlaAnswer answer;
  answer.excerpts = write_xla_pairs(before, after, options, folder.path());
  const fs::path out = folder.path() / "answer.json";
  const fs::path errors = folder.path() / "errors.txt";
  const int status =
      run({python(), "-B", solvers::python_folder("flipsat_xla"), folder.path() / "pairs.json"},
          out, errors);
  if (status == kNoProgram) {
    answer.why_not =
        fmt::format("there is no {}: FLIPSAT_PYTHON names the Python 3 that has jaxlib", python());
  } else if (status == kNoJaxlib) {
    answer.why_not = fmt::format(
        "{} has no jaxlib: pip install jax, or name another Python in FLIPSAT_PYTHON", python());
  } else if (status == kFailed) {
    answer.why_not = "flipsat_xla failed: " + text_of(errors);
  } else {
    answer.record = Json::parse(text_of(out));
  }
  return answer;
}

}  // namespace flipsat::tools
