// Exact extraction of thin problems, by eliminating one class after another.
//
// Which classes are in use decides everything: each then takes its cheapest node of which all needs
// are in use. So a class is a variable of two values and a cost table over itself and what its
// nodes need, and the sum of all tables is to be made least. A variable is eliminated by joining
// the tables that have it and taking the better of its two values for each assignment of its
// neighbours: 2^width steps, where the width is the most neighbours that any class has at its turn.
// Programs are long and thin: a hundred thousand classes may well have a width of ten.
//
// Circles are not seen here: where classes need each other the cost is a lower bound, and exact if
// the choice turns out to have none.
#pragma once

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

struct Elimination {
  Cost cost = 0;
  Selection selection;  // of classes in use
};

// Nullopt if it would take more than `most_work` steps; `work` grows by what was done.
std::optional<Elimination> eliminate(const Problem& problem, uint64_t most_work, uint64_t& work);

}  // namespace flipsat::egraph::dag
