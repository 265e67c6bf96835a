// Runs the rules of a book on its e-graph, and carries directed edges up to where rules can use
// them.
//
// Rules match through classes, not through edges: with an edge from convert(AR_bf16(x)) to
// AR_f32(convert(x)), the slice of the convert is not seen to be a slice of an all-reduce. So where
// some rule looks for an operation above a collective, and an edge leads to that collective, the
// operation on the far end is added, with an edge to it: what is computed from a value may be
// computed from a more precise one. A few levels at most, and only along such pairs, so that edges
// do not spread over the program.
#pragma once

#include "egraph/runner.h"
#include "rules/rule_book.h"

namespace flipsat::rules {

egraph::RunReport saturate(RuleBook& book, egraph::RunOptions options = {});

}  // namespace flipsat::rules
