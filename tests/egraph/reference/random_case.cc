#include "tests/egraph/reference/random_case.h"

#include <algorithm>
#include <cstdlib>

namespace flipsat::egraph::reference {

FactsMode random_mode(Random& random) {
  constexpr FactsMode kModes[] = {FactsMode::kNone, FactsMode::kDerived, FactsMode::kDerived,
                                  FactsMode::kFolded, FactsMode::kGiven};
  return kModes[random.below(std::size(kModes))];
}

namespace {

uint32_t random_arity(Random& random, Kind kind) {
  switch (kind) {
    case kLeaf:
    case kNumber:
      return 0;
    case kNeg:
      return 1;
    case kTriple:
      return 3;
    case kQuad:
      return 4;
    case kFive:
      return 5;
    case kMany:
      return random.one_in(4) ? random.below(30) : random.below(5);
    default:
      return 2;
  }
}

OperatorId random_leaf(Random& random) {
  return random.one_in(4) ? operator_of(kNumber, random.below(4))
                          : operator_of(kLeaf, random.below(6));
}

// Small arities most of the time.
OperatorId random_inner(Random& random) {
  switch (random.below(10)) {
    case 0:
    case 1:
      return operator_of(kNeg, random.below(2));
    case 2:
    case 3:
    case 4:
      return operator_of(kAdd);
    case 5:
    case 6:
      return operator_of(kMul, random.below(2));
    case 7:
      return operator_of(random.one_in(2) ? kTriple : random.one_in(2) ? kQuad : kFive);
    default:
      return operator_of(kMany, random.below(2));
  }
}

// What a client may know at birth: never less than `make` says.
std::optional<Facts> random_given(Random& random, const Twins& twins, OperatorId op) {
  if (twins.mode != FactsMode::kGiven || random.one_in(2)) return {};
  const Facts known = make_facts(twins.mode, signature()[op], {});
  return join(known, {random.below(2), 0, static_cast<uint8_t>(random.below(256))});
}

void add_random(Twins& twins, Random& random) {
  const OperatorId op =
      twins.handles() == 0 || random.one_in(8) ? random_leaf(random) : random_inner(random);
  std::vector<Twins::Handle> children(random_arity(random, signature()[op].kind));
  for (Twins::Handle& child : children) child = random.below(twins.handles());
  if (!children.empty() && random.one_in(4)) std::ranges::fill(children, children.front());
  twins.add(op, children, random_given(random, twins, op));
}

bool merge_random(Twins& twins, Random& random) {
  // Leaves stand in front: to merge these changes most.
  const Twins::Handle a = random.below(random.one_in(2) ? 4 : twins.handles());
  return twins.merge(a % twins.handles(), random.below(twins.handles()));
}

}  // namespace

bool grow(Twins& twins, Random& random, const Growth& growth) {
  bool agree = true;
  for (uint32_t i = 0; i < growth.leaves; ++i) twins.add(random_leaf(random), {});
  uint32_t left[] = {growth.nodes, growth.merges, growth.edges};
  while (left[0] + left[1] + left[2] != 0) {
    uint32_t which = random.below(left[0] + left[1] + left[2]);
    if (which < left[0]) {
      add_random(twins, random);
      --left[0];
    } else if (which < left[0] + left[1]) {
      agree = merge_random(twins, random) && agree;
      --left[1];
    } else {
      const Twins::Handle from = random.below(twins.handles());
      const Twins::Handle to = random.below(twins.handles());
      if (growth.with_edges) twins.add_edge(from, to);
      --left[2];
    }
  }
  return agree;
}

std::vector<TestRule> random_rules(Random& random, const Twins& twins, uint32_t count,
                                   const RuleShape& shape) {
  std::vector<TestRule> rules;
  for (uint32_t i = 0; i < count; ++i) rules.push_back(random_rule(random, twins, i, shape));
  return rules;
}

namespace {

std::optional<uint32_t> number_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  return static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

std::vector<uint32_t> random_seeds(uint32_t first, uint32_t usual) {
  if (const auto seed = number_from_environment("FLIPSAT_RANDOM_SEED")) return {*seed};
  const uint32_t count = number_from_environment("FLIPSAT_RANDOM_CASES").value_or(usual);
  std::vector<uint32_t> seeds;
  for (uint32_t i = 0; i < count; ++i) seeds.push_back(first + i);
  return seeds;
}

bool are_enough(uint32_t useful, uint32_t least, const std::vector<uint32_t>& seeds,
                uint32_t usual) {
  return seeds.size() < usual || useful >= least;
}

}  // namespace flipsat::egraph::reference
