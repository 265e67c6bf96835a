// What the harness tries: something that takes a program and gives rewritten ones, or a reason why
// not.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "egraph/limits.h"
#include "hlo/module.h"
#include "hlo/numerics.h"
#include "optimizer/harness/judge.h"
#include "passes/pipeline.h"
#include "rules/rule_book.h"

namespace flipsat::optimizer {

struct Form {
  hlo::Module module;
  Promise promise = Promise::kBits;
};

struct Rewrites {
  std::vector<Form> forms;
  std::string refusal;  // where there are none: the reason, or "no match"
};

using Rewriter = std::function<Rewrites(const hlo::Module&)>;

// The rewrites of one rule family whose names begin with `<family>/<direction>`, in an e-graph of
// their own: every form that they make of the program's result. Forms that a union led to promise
// what the family promises, those behind a directed edge to be more precise, or no more where the
// family is order-open.
Rewriter rule_rewriter(const std::string& family, const std::string& direction,
                       hlo::Numerics numerics = hlo::Numerics::kExact);
// The same of a family that is in no catalogue, and might not end.
Rewriter rule_rewriter(const rules::Family& family, const std::string& direction,
                       hlo::Numerics numerics = hlo::Numerics::kExact,
                       const egraph::Limits& limits = {});

// Passes of the greedy baseline over a copy of the module.
Rewriter pass_rewriter(passes::GreedyOptions options, Promise promise);

}  // namespace flipsat::optimizer
