#include "solvers/process.h"

#include <chrono>

#include "tests/catch.h"

namespace flipsat::solvers {
namespace {

Finished shell(const std::string& script, const std::string& input = "", double seconds = 60,
               size_t most_output = 1 << 20) {
  ProcessLimits limits;
  limits.cpu_seconds = limits.idle_seconds = seconds;
  limits.most_output = most_output;
  return run_process({"sh", "-c", script}, input, limits);
}

TEST_CASE("process: input, output, errors and status") {
  const Finished done = shell("cat; echo word >&2; exit 3", "some text");
  CHECK(done.end == Finished::kExited);
  CHECK(done.status == 3);
  CHECK(done.output == "some text");
  CHECK(done.errors == "word\n");
}

TEST_CASE("process: more than fits into any buffer, both ways") {
  const std::string text(10 << 20, 'x');
  const Finished done = shell("cat", text, 60, 16 << 20);
  CHECK(done.end == Finished::kExited);
  CHECK(done.output == text);
}

TEST_CASE("process: one that does not read its input") {
  const Finished done = shell("exit 0", std::string(10 << 20, 'x'));
  CHECK(done.end == Finished::kExited);
  CHECK(done.status == 0);
}

TEST_CASE("process: one that hangs is killed") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(shell("exec sleep 60", "", 0.2).end == Finished::kTimedOut);
  CHECK(shell("exec >&- 2>&- ; exec sleep 60", "", 0.2).end == Finished::kTimedOut);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("process: one that works on and on is killed, one that takes its time is not") {
  CHECK(shell("while :; do :; done", "", 0.3).end == Finished::kTimedOut);
  ProcessLimits limits;
  limits.cpu_seconds = 0.5;
  CHECK(run_process({"sleep", "1"}, "", limits).end == Finished::kExited);
}

TEST_CASE("process: a child of it that lives on is not waited for") {
  const auto start = std::chrono::steady_clock::now();
  const Finished done = shell("sleep 30 & echo done");
  CHECK(done.end == Finished::kExited);
  CHECK(done.output == "done\n");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("process: one that writes without end is killed") {
  CHECK(shell("exec yes").end == Finished::kWroteTooMuch);
  CHECK(shell("exec yes >&2").end == Finished::kWroteTooMuch);
}

TEST_CASE("process: one that dies") {
  const Finished done = shell("kill -9 $$");
  CHECK(done.end == Finished::kDied);
  CHECK(done.status == 9);
}

TEST_CASE("process: one that there is not") {
  const Finished done = run_process({"/no/such/program"}, "", {});
  CHECK((done.end == Finished::kNotStarted || done.status == 127));
}

}  // namespace
}  // namespace flipsat::solvers
