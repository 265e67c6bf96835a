#include "tools/several_modules.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "tools/in_parallel.h"

namespace flipsat::tools {

bool is_one_module(const std::vector<std::string>& inputs) {
  return inputs.size() == 1 && !std::filesystem::is_directory(inputs.front());
}

std::vector<std::string> run_on_each(size_t count, bool is_one, int threads, bool quiet,
                                     const std::function<void(size_t)>& work) {
  std::vector<std::string> errors(count);
  if (is_one) {
    work(0);
    return errors;
  }
  Progress progress;
  if (!quiet && isatty(STDERR_FILENO) != 0) {
    progress = [&](size_t done) {
      fmt::print(stderr, "\r{} of {} modules", done, count);
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
  in_parallel(count, threads, careful, progress);
  if (progress) fmt::print(stderr, "\r\x1b[K");
  return errors;
}

ExitCode exit_code(const std::vector<std::string>& errors) {
  const bool failed = std::ranges::any_of(errors, [](const auto& error) { return !error.empty(); });
  return failed ? kAnswerIsNo : kDone;
}

}  // namespace flipsat::tools
