// Programs in the place of a solver, which answer as they should not.
#include "solvers/process_solver.h"
#include "solvers/text.h"
#include "tests/catch.h"

namespace flipsat::solvers {
namespace {

using egraph::kNoId;
using egraph::dag::CheckedSolver;
using egraph::dag::Number;
using egraph::dag::Problem;
using egraph::dag::Selection;
using egraph::dag::SolverAnswer;
using egraph::dag::SolverFailed;
using egraph::dag::SolverTask;

// The root by node 0 (cost 5) or by node 1, which needs a class of cost 3.
struct Small {
  Small() {
    problem.add_node(5, {});
    problem.add_node(1, std::vector<Number>{1});
    problem.close_class();
    problem.add_node(3, {});
    problem.close_class();
    problem.roots = {0};
  }
  SolverTask task() const { return {problem, start, 5, 2, 1.5}; }
  Problem problem;
  Selection start = {0, kNoId};
};

Program shell(const std::string& script) {
  Program program{"cp-sat", "1", {"sh", "-c", script}};
  program.grace = 20;
  program.grace_factor = 0;
  return program;
}

std::string why_failed(const Program& program) {
  ProcessSolver solver(program);
  try {
    solver.solve(Small().task());
  } catch (const SolverFailed& failure) {
    return failure.what();
  }
  return "";
}

const std::string kTruth = "flipsat-answer 1\ncost 4\nbound 4\nspent 0.25\nnodes 1 2\nend\n";

TEST_CASE("solvers: the text of a task") {
  const Small small;
  CHECK(task_text(small.task()) ==
        "flipsat-extraction 1\nlimit 1.5\nbound 2\nroots 0\nstart 0\n"
        "node 0 5\nnode 0 1 1\nnode 1 3\nend\n");
}

TEST_CASE("solvers: the text of an answer") {
  const SolverAnswer answer = read_answer(kTruth);
  CHECK(answer.nodes == std::vector<Number>{1, 2});
  CHECK(answer.cost == 4);
  CHECK(answer.bound == 4);
  CHECK(answer.spent == 0.25);
}

TEST_CASE("solvers: what is no answer") {
  // Every text that lacks a piece of the true one, or has a byte of it changed.
  for (size_t length = 0; length + 1 < kTruth.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(read_answer(kTruth.substr(0, length)), SolverFailed);
  }
  for (const char* text :
       {"flipsat-answer 2\ncost 4\nbound 4\nspent 0\nnodes 1\nend\n",
        "flipsat-answer 1\ncost -4\nbound 4\nspent 0\nnodes 1\nend\n",
        "flipsat-answer 1\ncost 4.5\nbound 4\nspent 0\nnodes 1\nend\n",
        "flipsat-answer 1\ncost 4\nbound 99999999999999999999999\nspent 0\nnodes 1\nend\n",
        "flipsat-answer 1\ncost 4\nbound 4\nspent nan\nnodes 1\nend\n",
        "flipsat-answer 1\ncost 4\nbound 4\nspent 0\nnodes 1 x\nend\n",
        "flipsat-answer 1\ncost 4\nbound 4\nspent 0\nnodes 1\nend\nmore\n",
        "flipsat-answer 1\nbound 4\ncost 4\nspent 0\nnodes 1\nend\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_answer(text), SolverFailed);
  }
}

TEST_CASE("solvers: an answer of a process is taken") {
  ProcessSolver process(shell("cat > /dev/null; printf '" + kTruth + "'"));
  CheckedSolver solver(process);
  const Small small;
  const CheckedSolver::Improved improved = solver.improve(small.task());
  CHECK(improved.cost == 4);
  CHECK(improved.bound == 4);
  CHECK(improved.selection == Selection{1, 2});
  CHECK(sentences("cp-sat", solver.tally()) ==
        std::vector<std::string>{
            "cp-sat was asked for 1 open part of the extraction: 1 cheaper, 1 proved"});
}

TEST_CASE("solvers: processes that give no answer") {
  CHECK(why_failed(shell("echo rubbish")) == "what it wrote is no answer");
  CHECK(why_failed(shell("exit 0")) == "what it wrote is no answer");
  CHECK(why_failed(shell("echo one >&2; echo two >&2; exit 4")) == "it failed with status 4: two");
  CHECK(why_failed(shell("kill -11 $$")) == "it died of signal 11");
  Program hangs = shell("exec sleep 100");
  hangs.idle_seconds = 0.2;
  CHECK(why_failed(hangs) == "no answer long after its limit");
}

TEST_CASE("solvers: the run goes on with what is known, and a sentence") {
  Program hangs = shell("exec sleep 100");
  hangs.idle_seconds = 0.2;
  ProcessSolver process(hangs);
  CheckedSolver solver(process);
  const Small small;
  const CheckedSolver::Improved improved = solver.improve(small.task());
  CHECK(improved.selection.empty());
  CHECK(improved.cost == 5);
  CHECK(improved.bound == 2);
  CHECK(solver.tally().is_by_clock);
  CHECK(sentences("cp-sat", solver.tally()).back() ==
        "cp-sat: 1 answer refused: no answer long after its limit");
}

TEST_CASE("solvers: one that there is not") { CHECK_THROWS_AS(find_program("oracle"), Missing); }

}  // namespace
}  // namespace flipsat::solvers
