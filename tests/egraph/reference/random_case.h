// Random e-graphs and random rules, the same for a seed on every machine.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/egraph/reference/twins.h"

namespace flipsat::egraph::reference {

// Not the distributions of <random>, which are not the same everywhere.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t below(size_t bound) { return static_cast<uint32_t>(engine_() % bound); }
  bool one_in(uint32_t count) { return below(count) == 0; }
  template <class Container>
  const typename Container::value_type& pick(const Container& from) {
    return *std::next(from.begin(), below(from.size()));
  }

 private:
  std::mt19937 engine_;
};

FactsMode random_mode(Random& random);

struct Growth {
  uint32_t leaves = 4;
  uint32_t nodes = 16;
  uint32_t merges = 2;
  uint32_t edges = 2;
  // False: the same random choices, but no edge is added.
  bool with_edges = true;
};
// Adds, merges and edges, in any order; the graphs are not rebuilt after it. False if the graphs
// disagree about a merge.
bool grow(Twins& twins, Random& random, const Growth& growth);

struct RuleShape {
  // Guards that stay true once they are: then the fix-point does not depend on the order of work.
  bool only_growing_guards = false;
  bool may_add_edges = true;
  bool only_look = false;  // matches are recorded and nothing else is done
};
// Most patterns are cut out of the graph, so that they have matches; the graph is rebuilt.
TestRule random_rule(Random& random, const Twins& twins, uint32_t index, const RuleShape& shape);
std::vector<TestRule> random_rules(Random& random, const Twins& twins, uint32_t count,
                                   const RuleShape& shape);

// The seeds of one test: `usual` of them from `first`, or as the environment says.
//   FLIPSAT_RANDOM_CASES=n   n seeds for each test
//   FLIPSAT_RANDOM_SEED=s    seed s alone
std::vector<uint32_t> random_seeds(uint32_t first, uint32_t usual);

// Whether enough of the cases were of use for the test to mean something. A single seed may not be.
bool are_enough(uint32_t useful, uint32_t least, const std::vector<uint32_t>& seeds,
                uint32_t usual);

}  // namespace flipsat::egraph::reference
