#include "solvers/process_solver.h"

#include <cmath>

#include "solvers/process.h"
#include "solvers/text.h"

namespace flipsat::solvers {
namespace {

using egraph::dag::SolverFailed;

constexpr size_t kMostWords = 160;  // of an error message that is passed on

// Python says what happened in its last line.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const size_t begin = text.rfind('\n');
  return text.substr(begin == std::string::npos ? 0 : begin + 1, kMostWords);
}

std::string counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

egraph::dag::SolverAnswer ProcessSolver::solve(const egraph::dag::SolverTask& task) {
  ProcessLimits limits;
  limits.cpu_seconds = program_.grace + program_.grace_factor * task.limit;
  limits.idle_seconds = program_.idle_seconds;
  const Finished done = run_process(program_.command, task_text(task), limits);
  switch (done.end) {
    case Finished::kExited:
      break;
    case Finished::kTimedOut:
      throw SolverFailed("no answer long after its limit", true);
    case Finished::kDied:
      throw SolverFailed("it died of signal " + std::to_string(done.status), true);
    case Finished::kWroteTooMuch:
      throw SolverFailed("what it wrote is no answer");
    case Finished::kNotStarted:
      throw SolverFailed("it could not be started", true);
  }
  if (done.status != 0) {
    throw SolverFailed("it failed with status " + std::to_string(done.status) + ": " +
                       last_line(done.errors));
  }
  return read_answer(done.output);
}

std::vector<std::string> sentences(const std::string& solver,
                                   const egraph::dag::CheckedSolver::Tally& tally) {
  std::vector<std::string> result;
  if (tally.asked == 0) return result;
  result.push_back(solver + " was asked for " + counted(tally.asked, "open part") +
                   " of the extraction: " + std::to_string(tally.cheaper) + " cheaper, " +
                   std::to_string(tally.closed) + " proved");
  for (const auto& [why, count] : tally.refused) {
    result.push_back(solver + ": " + counted(count, "answer") + " refused: " + why);
  }
  return result;
}

}  // namespace flipsat::solvers
