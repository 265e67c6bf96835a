// Fuzz target of what a solver's process may write: any bytes are read or refused, and what is read
// is believed only where it is a choice that costs what it says.
#include "solvers/text.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flipsat::egraph::dag;
  Problem problem;
  problem.add_node(5, {});
  problem.add_node(1, std::vector<Number>{1});
  problem.close_class();
  problem.add_node(3, {});
  problem.close_class();
  problem.roots = {0};
  const Selection start = {0, flipsat::egraph::kNoId};
  const SolverTask task{problem, start, 5, 2, 1};
  try {
    const SolverAnswer answer =
        flipsat::solvers::read_answer(std::string(reinterpret_cast<const char*>(data), size));
    Selection made;
    if (!why_refused(task, answer, made).empty()) return 0;
    flipsat::fuzz::require(cost_of(problem, made) == answer.cost, "a wrong cost is believed");
    flipsat::fuzz::require(answer.bound <= 5, "a wrong bound is believed");
  } catch (const SolverFailed&) {
  }
  return 0;
}
