#include "egraph/dag/solved_parts.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "egraph/dag/exact.h"
#include "tests/catch.h"

using namespace flipsat::egraph;
using namespace flipsat::egraph::dag;

namespace {

// Layers of classes of two nodes each, every node in need of two of the next layer.
Problem layered(unsigned seed, Number layers, Number width) {
  std::mt19937 random(seed);
  Problem problem;
  for (Number cls = 0; cls < layers * width; ++cls) {
    const Number next = (cls / width + 1) * width;
    for (int node = 0; node < 2; ++node) {
      std::vector<Number> needed;
      if (next < layers * width) {
        needed = {next + static_cast<Number>(random() % width),
                  next + static_cast<Number>(random() % width)};
        std::ranges::sort(needed);
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
      }
      problem.add_node(static_cast<Cost>(1 + random() % 50), needed);
    }
    problem.close_class();
  }
  for (Number root = 0; root < width; ++root) problem.roots.push_back(root);
  return problem;
}

BranchOptions options_of(SolvedParts* solved, uint64_t work) {
  BranchOptions options;
  options.most_work = work;
  options.solved = solved;
  return options;
}

bool is_same(const Solution& a, const Solution& b) {
  return a.selection == b.selection && a.cost == b.cost && a.bound == b.bound && a.work == b.work;
}

}  // namespace

TEST_CASE("solved parts: an answer from memory is the answer that there would be") {
  SolvedParts solved;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Problem problem = layered(seed, 6, 8);
    for (const uint64_t work : {uint64_t{1000}, uint64_t{1'000'000}}) {
      const Solution plain = solve(problem, options_of(nullptr, work));
      CHECK(is_same(solve(problem, options_of(&solved, work)), plain));
      const uint64_t found = solved.found();
      CHECK(is_same(solve(problem, options_of(&solved, work)), plain));
      CHECK(solved.found() > found);
    }
  }
  CHECK(solved.saved_work() > 0);
}

TEST_CASE("solved parts: another part, another root or other limits are another key") {
  const Problem problem = layered(1, 3, 3);
  const std::array<uint64_t, 1> limits = {100}, others = {101};
  const std::string key = SolvedParts::key(problem, limits);
  CHECK(key == SolvedParts::key(layered(1, 3, 3), limits));
  CHECK(key != SolvedParts::key(problem, others));
  CHECK(key != SolvedParts::key(layered(2, 3, 3), limits));
  Problem changed = problem;
  changed.roots.pop_back();
  CHECK(key != SolvedParts::key(changed, limits));
  changed = problem;
  ++changed.cost[0];
  CHECK(key != SolvedParts::key(changed, limits));
}

TEST_CASE("solved parts: memory is bounded") {
  SolvedParts solved(1000);
  for (int i = 0; i < 100; ++i) solved.keep(std::to_string(i) + std::string(100, 'k'), {});
  int kept = 0;
  for (int i = 0; i < 100; ++i) {
    kept += solved.find(std::to_string(i) + std::string(100, 'k')).has_value();
  }
  CHECK(kept == 9);
}
