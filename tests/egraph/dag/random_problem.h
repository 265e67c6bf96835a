// Small random problems of extraction, and their least cost by trying everything.
#pragma once

#include <optional>
#include <random>

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

struct Shape {
  uint32_t classes = 8;
  bool has_cycles = true;  // else a node only needs earlier classes
};

// Every node can be built and is reached from the roots; nullopt if that leaves nothing.
std::optional<Problem> random_problem(std::mt19937& random, const Shape& shape);

// The least cost of all choices.
std::optional<Cost> least_cost(const Problem& problem);

}  // namespace flipsat::egraph::dag
