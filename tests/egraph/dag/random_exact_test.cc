// Every step of exact extraction against trying everything, on thousands of small problems, with
// cycles and without.
#include <algorithm>

#include "egraph/dag/eliminate.h"
#include "egraph/dag/exact.h"
#include "egraph/dag/greedy.h"
#include "egraph/dag/landmarks.h"
#include "egraph/dag/local.h"
#include "egraph/dag/neighbourhoods.h"
#include "egraph/dag/part.h"
#include "egraph/dag/reduce.h"
#include "tests/catch.h"
#include "tests/egraph/dag/random_problem.h"
#include "tests/length.h"

namespace flipsat::egraph::dag {
namespace {

template <class Check>
void on_random_problems(const Check& check) {
  const uint32_t seeds = testing::length<uint32_t>({20'000, 3'000}, {1'000, 200});
  uint32_t tried = 0;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(seed);
    const Shape shape{4 + seed % 9, seed % 4 != 0};
    const auto problem = random_problem(random, shape);
    if (!problem) continue;
    CAPTURE(seed);
    ++tried;
    check(*problem, *least_cost(*problem));
  }
  CHECK(tried > seeds / 4);
}

BranchOptions work(uint64_t most) {
  BranchOptions options;
  options.most_work = most;
  return options;
}

TEST_CASE("exact: the least cost, proved") {
  on_random_problems([](const Problem& problem, Cost least) {
    const Solution found = solve(problem, work(10'000'000));
    REQUIRE(found.cost == least);
    REQUIRE(found.bound == least);
    REQUIRE(cost_of(problem, found.selection) == least);
  });
}

TEST_CASE("exact: the same without elimination") {
  on_random_problems([](const Problem& problem, Cost least) {
    BranchOptions options = work(10'000'000);
    options.elimination_steps = options.inner_elimination_steps = 0;
    const Solution found = solve(problem, options);
    REQUIRE(found.cost == least);
    REQUIRE(found.bound == least);
  });
}

TEST_CASE("exact: with too little work the bound holds all the same") {
  on_random_problems([](const Problem& problem, Cost least) {
    for (const uint64_t most : {0, 300, 3000}) {
      BranchOptions options = work(most);
      options.elimination_steps = options.inner_elimination_steps = 0;
      const Solution found = solve(problem, options);
      REQUIRE(found.cost >= least);
      REQUIRE(found.bound <= least);
      REQUIRE(cost_of(problem, found.selection) == found.cost);
      const Solution again = solve(problem, options);
      REQUIRE(again.selection == found.selection);
      REQUIRE(again.bound == found.bound);
      REQUIRE(again.work == found.work);
    }
  });
}

TEST_CASE("reduce: keeps the least cost, and its solutions are solutions") {
  on_random_problems([](const Problem& problem, Cost least) {
    uint64_t steps = 0;
    const Reduced reduced = reduce(problem, steps);
    REQUIRE(reduced.problem.size() <= problem.size());
    const auto rest = least_cost(reduced.problem);
    REQUIRE(rest);
    REQUIRE(reduced.paid + *rest == least);
    Selection selection(problem.class_count(), kNoId);
    const Components components(reduced.problem);
    const Selection chosen =
        choose_greedily(reduced.problem, components, Trees(reduced.problem, components));
    reduced.lift(chosen, problem, selection);
    std::vector<bool> set(problem.node_count());
    for (const Number node : selection) {
      if (node != kNoId) set[node] = true;
    }
    const auto cost = cost_of(problem, build_from(problem, set));
    REQUIRE(cost);
    REQUIRE(*cost <= reduced.paid + *cost_of(reduced.problem, chosen));
  });
}

TEST_CASE("eliminate: the least cost without cycles, a bound with them") {
  on_random_problems([](const Problem& problem, Cost least) {
    uint64_t steps = 0;
    const auto found = eliminate(problem, 1 << 20, steps);
    REQUIRE(found);
    REQUIRE(found->cost <= least);
    const Components components(problem);
    const bool has_cycle = std::ranges::any_of(components.sizes, [](Number n) { return n > 1; });
    if (!has_cycle) {
      REQUIRE(found->cost == least);
      REQUIRE(cost_of(problem, found->selection) == least);
    }
  });
}

TEST_CASE("landmarks: never above the least cost, and tightening keeps a cheapest choice") {
  on_random_problems([](const Problem& problem, Cost least) {
    Landmarks landmarks(problem);
    landmarks.raise(kNever);
    REQUIRE(landmarks.bound() <= least);
    landmarks.rebalance(kNever, 3, 10);
    REQUIRE(landmarks.bound() <= least);
    REQUIRE(landmarks.tighten(least + 1));
    std::vector<bool> is_dropped(problem.node_count());
    for (Number node = 0; node < problem.node_count(); ++node) {
      is_dropped[node] = landmarks.is_dropped(node);
    }
    const auto rest = without(problem, is_dropped);
    REQUIRE(rest);
    REQUIRE(least_cost(rest->problem) == least);
  });
}

TEST_CASE("local: a choice without cycles, not dearer than its start") {
  on_random_problems([](const Problem& problem, Cost least) {
    const Components components(problem);
    const Trees trees(problem, components);
    const auto tree = cost_of(problem, trees.selection);
    REQUIRE(tree);
    const Selection greedy = choose_greedily(problem, components, trees);
    const auto greedy_cost = cost_of(problem, greedy);
    REQUIRE(greedy_cost);
    REQUIRE(*greedy_cost <= *tree);
    LocalAnswer found = search_locally(problem, components, greedy, {3000, 0, 2});
    const auto cost = cost_of(problem, found.best);
    REQUIRE(cost);
    REQUIRE(*cost <= *greedy_cost);
    REQUIRE(*cost >= least);
    for (const Selection& other : found.of_round) REQUIRE(cost_of(problem, other));
    search_neighbourhoods(problem, found.best, found.of_round, {20'000, least});
    const auto better = cost_of(problem, found.best);
    REQUIRE(better);
    REQUIRE(*better <= *cost);
    REQUIRE(*better >= least);
  });
}

}  // namespace
}  // namespace flipsat::egraph::dag
