#include "egraph/dag/solver.h"

#include <algorithm>

namespace flipsat::egraph::dag {
namespace {

// A question costs a process and a model, however small it is.
constexpr double kLeastSpent = 1;

// Nullopt if the nodes are no choice.
std::optional<Selection> selection_of(const Problem& problem, const std::vector<Number>& nodes) {
  Selection selection(problem.class_count(), kNoId);
  for (const Number node : nodes) {
    if (node >= problem.node_count()) return std::nullopt;
    Number& chosen = selection[problem.owner[node]];
    if (chosen != kNoId) return std::nullopt;
    chosen = node;
  }
  return selection;
}

}  // namespace

std::string why_refused(const SolverTask& task, const SolverAnswer& answer, Selection& made) {
  std::optional<Selection> selection = selection_of(task.problem, answer.nodes);
  if (!selection) return "its answer is no choice of nodes";
  const std::optional<Cost> cost = cost_of(task.problem, *selection);
  if (!cost) return "its choice misses a class or goes round in a circle";
  if (*cost != answer.cost) return "its choice does not cost what it says";
  if (answer.bound > answer.cost) return "its bound is above the cost of its own choice";
  if (answer.bound > task.cost) return "its bound is above the cost of a choice that is known";
  made = std::move(*selection);
  return "";
}

CheckedSolver::Improved CheckedSolver::improve(const SolverTask& task) {
  Improved result{{}, task.cost, task.bound, task.limit};
  ++tally_.asked;
  try {
    const SolverAnswer answer = solver_.solve(task);
    result.spent = std::clamp(answer.spent, std::min(kLeastSpent, task.limit), task.limit);
    Selection made;
    const std::string why = why_refused(task, answer, made);
    if (!why.empty()) {
      ++tally_.refused[why];
      return result;
    }
    if (answer.cost < task.cost) {
      ++tally_.cheaper;
      result.selection = std::move(made);
      result.cost = answer.cost;
    }
    result.bound = std::max(task.bound, answer.bound);
    if (result.bound >= result.cost) ++tally_.closed;
  } catch (const SolverFailed& failure) {
    ++tally_.refused[failure.what()];
    tally_.is_by_clock |= failure.is_by_clock;
  }
  return result;
}

}  // namespace flipsat::egraph::dag
