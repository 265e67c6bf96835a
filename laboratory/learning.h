// What is to be learned from the studies of several modules: which single order does best on all of
// them, how much each order loses, and whether an order that was learned on the others does well on
// a module it was not learned on.
//
// The regret of an order on a module is how much more its program costs than that of the best
// order, as a share of the latter. Orders that lead to a wrong program come after all others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "laboratory/study.h"

namespace flipsat::laboratory {

// Orders that end at the same program on each of the modules.
struct OrderClass {
  std::vector<uint32_t> orders;                // places in Study::orders, first to last
  std::vector<std::optional<double>> regrets;  // by counted module; nullopt: wrong there
  double mean_regret = 0;                      // where it is right
  double worst_regret = 0;
  int64_t best_on = 0;
  int64_t wrong_on = 0;
  double above_output = 0;  // mean of (its cost - the optimizer's) / the optimizer's
};

// A module, and the order that is best on all others.
struct LeftOut {
  uint32_t order = 0;
  std::optional<double> regret;  // on the module; nullopt: wrong there
};

struct Learning {
  std::vector<size_t> counted;      // places among the studies: where some order is right
  std::vector<OrderClass> classes;  // the best first, then by first order
  int64_t matters_on = 0;           // modules on which not all orders cost the same
  std::vector<LeftOut> left_out;    // by counted module; empty for fewer than two
  double left_out_regret = 0;       // their mean
  double mean_regret = 0;           // of an order drawn at random
  uint32_t class_of(uint32_t order) const;
};

// Of studies of one list of passes. An empty result where none counts.
Learning learn(const std::vector<const Study*>& studies, extract::Objective objective);

}  // namespace flipsat::laboratory
