// Explanations as text, for people.
//
//   (+ (* x 1) 0)
//   = (* x 1)   by zero-add
//   = x         by one-mul
//
// Each line rewrites one place of the whole term; a rule used from right to left has an arrow in
// front: `by <- comm`. What a client merged says `given`, what an analysis found `by analysis`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "egraph/explain.h"
#include "egraph/io/symbols.h"

namespace flipsat::egraph {

// The whole term after one step, and what made it so.
struct FlatStep {
  TermId term = kNoId;  // in FlatExplanation::terms
  Reason reason = kNoReason;
  ExplanationStep::Kind kind = ExplanationStep::Kind::kGiven;
  bool is_reversed = false;
};
struct FlatExplanation {
  TermPool terms;
  TermId start = kNoId;
  std::vector<FlatStep> steps;
};

// Congruences taken apart into rewrites of single places. nullopt beyond `max_steps` steps or a
// thousand levels of terms: an explanation that shares its parts can be very long when written out.
std::optional<FlatExplanation> flatten(const Explanation& explanation, size_t max_steps = 10'000);

using OperatorNames = std::function<std::string(OperatorId)>;
// Both must outlive the function.
OperatorNames operator_names_of(const EGraph& graph, const Symbols& symbols);

// A term written out; beyond `max_nodes` nodes what is left over stands as `...`.
std::string to_string(const TermPool& terms, TermId term, const OperatorNames& names,
                      size_t max_nodes = 200);

// As above if it can be flattened, else step by step with proofs by number.
std::string to_string(const Explanation& explanation, const RuleSet& rules,
                      const OperatorNames& names);

}  // namespace flipsat::egraph
