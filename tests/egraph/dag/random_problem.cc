#include "tests/egraph/dag/random_problem.h"

#include <algorithm>

#include "egraph/dag/part.h"

namespace flipsat::egraph::dag {
namespace {

class Trying {
 public:
  explicit Trying(const Problem& problem)
      : problem_(problem), selection_(problem.class_count(), kNoId) {}

  std::optional<Cost> run() {
    decide(problem_.roots, 0);
    return best_;
  }

 private:
  // `open`: classes in use, some of them without a choice.
  void decide(std::vector<Number> open, Cost paid) {
    if (best_ && paid >= *best_) return;
    while (!open.empty() && selection_[open.back()] != kNoId) open.pop_back();
    if (open.empty()) {
      if (const auto cost = cost_of(problem_, selection_); cost && (!best_ || *cost < *best_)) {
        best_ = cost;
      }
      return;
    }
    const Number cls = open.back();
    for (const Number node : problem_.nodes(cls)) {
      selection_[cls] = node;
      std::vector<Number> next = open;
      const auto needs = problem_.needs(node);
      next.insert(next.end(), needs.begin(), needs.end());
      decide(next, paid + problem_.cost[node]);
      selection_[cls] = kNoId;
    }
  }

  const Problem& problem_;
  Selection selection_;
  std::optional<Cost> best_;
};

}  // namespace

std::optional<Problem> random_problem(std::mt19937& random, const Shape& shape) {
  Problem problem;
  const uint32_t most_cost = 1 + random() % 12;
  const uint32_t most_needs = 1 + random() % 3;
  for (uint32_t cls = 0; cls < shape.classes; ++cls) {
    for (uint32_t count = 1 + random() % 3; count > 0; --count) {
      std::vector<Number> needs;
      for (uint32_t i = random() % (most_needs + 1); i > 0; --i) {
        const uint32_t bound = shape.has_cycles ? shape.classes : cls;
        if (bound > 0) needs.push_back(random() % bound);
      }
      problem.add_node(random() % most_cost, needs);
    }
    problem.close_class();
  }
  for (uint32_t i = 1 + random() % 2; i > 0; --i) {
    problem.roots.push_back(shape.classes - 1 - random() % 2);
  }
  std::ranges::sort(problem.roots);
  problem.roots.erase(std::unique(problem.roots.begin(), problem.roots.end()), problem.roots.end());
  auto usable = without(problem, std::vector<bool>(problem.node_count()));
  if (!usable) return std::nullopt;
  return std::move(usable->problem);
}

std::optional<Cost> least_cost(const Problem& problem) { return Trying(problem).run(); }

}  // namespace flipsat::egraph::dag
