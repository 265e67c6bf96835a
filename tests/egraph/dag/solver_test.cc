// A solver that lies is found out, and one that does not is believed; the search goes on with its
// own answer in the first case.
#include "egraph/dag/solver.h"

#include <functional>
#include <random>

#include "egraph/dag/exact.h"
#include "tests/catch.h"
#include "tests/length.h"

namespace flipsat::egraph::dag {
namespace {

class Scripted : public Solver {
 public:
  using Answer = std::function<SolverAnswer(const SolverTask&)>;
  explicit Scripted(Answer answer) : answer_(std::move(answer)) {}
  SolverAnswer solve(const SolverTask& task) override { return answer_(task); }

 private:
  Answer answer_;
};

// Elements that are each in some of the sets, and sets that can be made of another, also in
// circles: not closed without work.
Problem random_cover(std::mt19937& random, Number sets) {
  Problem problem;
  for (Number set = 0; set < sets; ++set) {
    problem.add_node(10 + random() % 20, {});
    const Number other = random() % sets;
    if (other != set) problem.add_node(3 + random() % 8, std::vector<Number>{other});
    problem.close_class();
  }
  for (Number element = 0; element < sets + sets / 5; ++element) {
    for (int i = 0; i < 3; ++i) {
      problem.add_node(1 + random() % 3, std::vector<Number>{static_cast<Number>(random() % sets)});
    }
    problem.roots.push_back(problem.class_count());
    problem.close_class();
  }
  return problem;
}

constexpr Number kSets = 20;

BranchOptions enough() {
  BranchOptions options;
  options.most_work = 100'000'000;
  return options;
}

SolverAnswer truth(const SolverTask& task) {
  const Solution found = solve(task.problem, enough());
  SolverAnswer answer;
  const std::vector<bool> is_used = classes_in_use(task.problem, found.selection);
  for (Number cls = 0; cls < task.problem.class_count(); ++cls) {
    if (is_used[cls]) answer.nodes.push_back(found.selection[cls]);
  }
  answer.cost = found.cost;
  answer.bound = found.bound;
  return answer;
}

// With too little work to close anything.
BranchOptions open_options(CheckedSolver* solver) {
  BranchOptions options;
  options.elimination_steps = options.inner_elimination_steps = 0;
  options.solver = solver;
  options.solver_limit = 100;
  return options;
}

struct Tried {
  int64_t asked = 0;
  std::map<std::string, int64_t> refused;
};

Tried on_random_problems(
    const Scripted::Answer& answer,
    const std::function<void(const Solution&, const Solution& alone, Cost least)>& check) {
  const uint32_t seeds = testing::length<uint32_t>({1'000, 40}, {20, 10});
  Tried tried;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(seed);
    const Problem problem = random_cover(random, kSets);
    CAPTURE(seed);
    Scripted scripted(answer);
    CheckedSolver solver(scripted);
    const Solution found = solve(problem, open_options(&solver));
    check(found, solve(problem, open_options(nullptr)), solve(problem, enough()).cost);
    tried.asked += solver.tally().asked;
    for (const auto& [why, count] : solver.tally().refused) tried.refused[why] += count;
  }
  CHECK(tried.asked > seeds / 10);
  return tried;
}

void check_refused(const Scripted::Answer& lie, const std::string& why) {
  const Tried tried =
      on_random_problems(lie, [](const Solution& found, const Solution& alone, Cost) {
        REQUIRE(found.selection == alone.selection);
        REQUIRE(found.cost == alone.cost);
        REQUIRE(found.bound == alone.bound);
      });
  CHECK(tried.refused == std::map<std::string, int64_t>{{why, tried.asked}});
}

// x or y for the root, each of which can be made of the other or of a leaf.
Problem circle() {
  Problem problem;
  problem.add_node(0, std::vector<Number>{1});
  problem.close_class();
  problem.add_node(1, std::vector<Number>{2});
  problem.add_node(9, {});
  problem.close_class();
  problem.add_node(1, std::vector<Number>{1});
  problem.add_node(9, {});
  problem.close_class();
  problem.roots = {0};
  return problem;
}

}  // namespace

TEST_CASE("solver: the truth is taken") {
  const Tried tried =
      on_random_problems(truth, [](const Solution& found, const Solution& alone, Cost least) {
        REQUIRE(found.cost == least);
        REQUIRE(found.bound == least);
        REQUIRE(alone.bound <= least);
      });
  CHECK(tried.refused.empty());
}

TEST_CASE("solver: a wrong cost is refused") {
  check_refused(
      [](const SolverTask& task) {
        SolverAnswer answer = truth(task);
        ++answer.cost;
        return answer;
      },
      "its choice does not cost what it says");
}

TEST_CASE("solver: a bound above its own choice is refused") {
  check_refused(
      [](const SolverTask& task) {
        SolverAnswer answer = truth(task);
        answer.bound = answer.cost + 1;
        return answer;
      },
      "its bound is above the cost of its own choice");
}

TEST_CASE("solver: a choice that misses something is refused") {
  check_refused(
      [](const SolverTask& task) {
        SolverAnswer answer = truth(task);
        answer.nodes.pop_back();
        return answer;
      },
      "its choice misses a class or goes round in a circle");
}

TEST_CASE("solver: what is no choice is refused") {
  check_refused(
      [](const SolverTask& task) {
        SolverAnswer answer = truth(task);
        answer.nodes.push_back(answer.nodes.front());
        return answer;
      },
      "its answer is no choice of nodes");
  check_refused(
      [](const SolverTask& task) {
        SolverAnswer answer = truth(task);
        answer.nodes.back() = task.problem.node_count();
        return answer;
      },
      "its answer is no choice of nodes");
}

TEST_CASE("solver: one that fails is left out") {
  check_refused([](const SolverTask&) -> SolverAnswer { throw SolverFailed("it died"); },
                "it died");
}

TEST_CASE("solver: a choice that goes round in a circle is refused") {
  const Problem problem = circle();
  const Selection start = {0, 2, kNoId};
  const SolverTask task{problem, start, 9, 0, 1};
  Selection made;
  CHECK(why_refused(task, {{0, 1, 3}, 2, 2, 0}, made) ==
        "its choice misses a class or goes round in a circle");
  CHECK(why_refused(task, {{0, 2}, 9, 9, 0}, made) == "");
  CHECK(made == start);
}

TEST_CASE("solver: a bound above what is known is refused") {
  const Problem problem = circle();
  const Selection start = {0, 2, kNoId};
  Selection made;
  CHECK(why_refused({problem, start, 9, 0, 1}, {{0, 1, 4}, 10, 10, 0}, made) ==
        "its bound is above the cost of a choice that is known");
}

TEST_CASE("solver: each question costs something, so they end") {
  std::mt19937 random(7);
  Problem whole;
  for (int part = 0; part < 40; ++part) {
    const Problem problem = random_cover(random, kSets);
    const Number base = whole.class_count();
    for (Number cls = 0; cls < problem.class_count(); ++cls) {
      for (const Number node : problem.nodes(cls)) {
        std::vector<Number> needs;
        for (const Number need : problem.needs(node)) needs.push_back(need + base);
        whole.add_node(problem.cost[node], needs);
      }
      whole.close_class();
    }
    for (const Number root : problem.roots) whole.roots.push_back(root + base);
  }
  Scripted scripted([](const SolverTask& task) {
    SolverAnswer answer = truth(task);
    answer.spent = -5;
    return answer;
  });
  CheckedSolver solver(scripted);
  BranchOptions options = open_options(&solver);
  options.solver_limit = 4;
  solve(whole, options);
  CHECK(solver.tally().asked >= 3);
  CHECK(solver.tally().asked <= 12);
}

}  // namespace flipsat::egraph::dag
