// Why two forms of a value are equal, step by step, in the words of HLO and of the rules.
//
// The steps are those of the engine's own explanation (egraph/explain.h), which is replayed before
// it is told; terms are written with the instructions of the input as leaves.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "egraph/explain.h"
#include "optimizer/inspection.h"

namespace flipsat::optimizer {

struct ReasonStep {
  std::string after;  // the whole term after the step
  std::string rule;   // "gather-convert"; empty where no rule did it, and then `why` says it all
  std::string why;    // one sentence; may be empty for a user's rule
  std::string equation;
  std::string condition;
  // Not equal but allowed: computed in a wider type.
  bool is_refinement = false;
};

struct Reason {
  std::string before;  // the term that it begins with
  std::vector<ReasonStep> steps;
  // What is known of values in the terms that conditions ask about: "%i is 0, 8, 16, 24 on devices
  // 0 to 3".
  std::vector<std::string> facts;
  bool is_whole = true;  // false: too long to be told step by step; the rules are, in their order
  // A step that does not follow: what the replay of the explanation found wrong. A bug of ours.
  std::string fault;
};

class Reasons {
 public:
  // Keeps a reference.
  explicit Reasons(const Inspection& inspection);
  ~Reasons();

  // From what the input has for a value to what the output has.
  Reason of_patch(const language::Patch& patch);
  // From a node to another that is equal or that directed edges lead to. Throws std::logic_error
  // where neither is so.
  Reason between(language::NodeId from, language::NodeId to);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace flipsat::optimizer
