#include "tools/several_modules.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "tools/in_parallel.h"
#include "tools/usage_error.h"

namespace flipsat::tools {

SeveralModules modules_of(const std::vector<std::string>& inputs, const DumpArguments& dump) {
  SeveralModules modules{module_inputs(inputs, "", dump).files, false};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("standard input can be read only once");
  }
  modules.is_one = inputs.size() == 1 && !std::filesystem::is_directory(inputs.front());
  return modules;
}

std::vector<std::string> run_on_each(const SeveralModules& modules, int threads, bool quiet,
                                     const std::function<void(size_t)>& work) {
  std::vector<std::string> errors(modules.files.size());
  if (modules.is_one) {
    work(0);
    return errors;
  }
  Progress progress;
  if (!quiet && isatty(STDERR_FILENO) != 0) {
    progress = [&](size_t done) {
      fmt::print(stderr, "\r{} of {} modules", done, errors.size());
      std::fflush(stderr);
    };
  }
  const auto careful = [&](size_t i) {
    try {
      work(i);
    } catch (const std::runtime_error& error) {
      errors[i] = error.what();
    } catch (const std::exception& error) {
      errors[i] = fmt::format("internal error: {}", error.what());
    }
  };
  in_parallel(errors.size(), threads, careful, progress);
  if (progress) fmt::print(stderr, "\r\x1b[K");
  return errors;
}

ExitCode exit_code(const std::vector<std::string>& errors) {
  const bool failed = std::ranges::any_of(errors, [](const auto& error) { return !error.empty(); });
  return failed ? kAnswerIsNo : kDone;
}

}  // namespace flipsat::tools
