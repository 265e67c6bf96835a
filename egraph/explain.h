// Why two terms are equal: a chain of rule applications and congruence steps.
//
//   EGraph graph;
//   graph.keep_history();                         // before anything is added
//   ... grow, merge, run(graph, rules) ...
//   const Explanation why = Explainer(graph, rules).explain(a, b);
//   const Checked checked = check_explanation(why, rules, graph);   // needs no e-graph: see below
//
// How. Unions form a forest over nodes (history.h), so between two equal nodes there is one path. A
// node stands for the term that it was first written as. An edge of the path is a congruence (then
// the children of the two nodes were equal before, and their proofs follow), a rule's match (then
// the left side's instance is reached from the node by congruence, and the right side's instance
// leads to the other node by congruence), or given: stated by the client, by an analysis or by a
// rule's code. What an edge needs was equal when it was made, so its proofs use older edges only
// and the whole is well-founded.
//
// Proofs refer to one another by number and every pair of nodes is proved once, so that an
// explanation is never larger than the history that it is about.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "egraph/egraph.h"
#include "egraph/rule.h"
#include "egraph/term_pool.h"

namespace flipsat::egraph {

// A reference to a proof, read from its end to its beginning if reversed.
struct ProofRef {
  uint32_t proof = kNoId;
  bool is_reversed = false;
};

// One step from a term to another.
struct ExplanationStep {
  enum class Kind : uint8_t {
    kRule,        // the left side's instance becomes the right side's
    kCongruence,  // same operator, equal children
    // Nothing to replay: `reason` stated it. Of a rule whose right side is code and that told what
    // is equal to the root, `from` is an instance of its left side.
    kGiven,
  };
  // A child that differs. Positions are the same unless the operator's children are a multiset.
  struct Child {
    uint32_t from_position;
    uint32_t to_position;
    ProofRef proof;  // of the one child's term being equal to the other's
  };

  Kind kind = Kind::kGiven;
  TermId from = kNoId;
  TermId to = kNoId;
  // kRule: the rule's index. kGiven: the client's number, kAnalysis, or a rule whose right side is
  // code.
  Reason reason = kNoReason;
  std::vector<std::pair<std::string_view, TermId>> classes;    // kRule: what variables stand for
  std::vector<std::pair<std::string_view, OperatorId>> nodes;  // kRule: operators of named nodes
  // kRule: for each class named inside a pattern (`.as`), in the order of the patterns, that the
  // instance there is equal to what the name stands for; proof kNoId where they are the same term.
  std::vector<ProofRef> premises;
  // kRule: instances of the rule's further patterns.
  std::vector<TermId> also;
  std::vector<Child> children;  // kCongruence
};

// A step, or all that another proof does; read backwards if reversed.
struct ExplanationLink {
  uint32_t index;
  bool is_reversed;
  bool is_proof;
};

// A chain; empty where the two terms are one.
struct ExplanationProof {
  TermId from = kNoId;
  TermId to = kNoId;
  std::vector<ExplanationLink> links;
};

struct Explanation {
  // The answer as steps alone: what other proofs do is put in their place, and ways that come back
  // to a term are left out.
  std::vector<ExplanationLink> chain() const;

  TermPool terms;
  std::vector<ExplanationStep> steps;
  std::vector<ExplanationProof> proofs;  // the first is the answer
};

class Explainer {
 public:
  // Keeps references. The graph must be rebuilt and have its history (std::logic_error otherwise);
  // an explainer is good until the graph changes. `rules` are those that the graph was run with.
  Explainer(const EGraph& graph, const RuleSet& rules);
  ~Explainer();

  // Of the terms that two nodes (or the names of two classes) were first written as. Throws
  // std::logic_error if they are not equal.
  Explanation explain(NodeId a, NodeId b);
  // Of two terms. Throws std::invalid_argument if one of them is not in the graph, std::logic_error
  // if they are not equal.
  Explanation explain(const TermPool& terms, TermId a, TermId b);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// What a check found.
struct Checked {
  bool is_right = false;
  std::string what;  // the first thing that is wrong
  // Steps that the check takes on trust: kGiven, and rules with a guard.
  std::vector<uint32_t> trusted;
};

// Replays an explanation term by term: each proof's steps must lead from its first term to its
// last, each rule's step be an instance of the rule, each congruence have a proof for each child
// that differs, and no proof may rest on itself. It looks at the rules' patterns and the graph's
// table of operators, never at classes or nodes.
Checked check_explanation(const Explanation& explanation, const RuleSet& rules,
                          const EGraph& graph);

}  // namespace flipsat::egraph
