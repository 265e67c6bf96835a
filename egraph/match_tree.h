// All rules' queries in one decision tree, so that what they have in common is matched once.
//
// A plan (query.h) is a path: from a starting node by walks (through the nodes of a class, the
// parents of a class, or one look-up) to further nodes. Registers are numbered in the order in
// which a path binds them, so that two paths that begin alike are alike in every number, and the
// tree merges them: one walk tries the branches of all rules, and a mask of kinds turns the whole
// walk away at once. A rule's matches are emitted where its path ends, and its early guards are
// asked where the last variable that they want is bound.
//
// There are two trees: one of full plans, one of the plans that start from changed nodes.
#pragma once

#include <vector>

#include "egraph/query.h"
#include "egraph/rule.h"

namespace flipsat::egraph {

// A place of a match: a class register or the node of a branch.
using Place = uint32_t;

// A ground term of some left side; its class is looked up once before each search.
struct GroundTerm {
  OperatorId op;
  std::vector<uint32_t> children;  // earlier ground terms
  bool operator==(const GroundTerm&) const = default;
};

class MatchTree {
 public:
  struct Child {
    uint32_t position;
    Place reg;
    bool is_bound;
    bool operator==(const Child&) const = default;
  };
  struct Emit {
    uint32_t rule;
    std::vector<Place> columns;         // of the rule's match row
    std::vector<uint32_t> old_grounds;  // ground terms that must not have changed
  };
  struct EarlyGuard {
    uint32_t rule;
    uint32_t guard;                                   // of the rule
    std::vector<std::pair<uint32_t, Place>> columns;  // that are bound by now
  };
  struct Branch {
    bool is_exact = false;
    bool any_arity = false;
    bool class_is_bound = false;
    Age age = Age::kAny;
    Kind kind = 0;
    OperatorId op = kNoId;
    uint32_t arity = 0;
    Place first_place = 0;  // of those that are bound here
    Place cls = 0;
    Place node = 0;
    std::vector<Child> children;

    std::vector<uint32_t> walks;
    std::vector<Emit> emits;
    std::vector<EarlyGuard> guards;
    std::vector<uint32_t> rules;  // of this branch and what hangs on it

    bool same_test(const Branch& other) const;
  };
  struct Walk {
    Access access;
    Place reg = 0;                // the class whose nodes or parents are walked
    uint32_t via = 0;             // kParentOf
    OperatorId op = kNoId;        // kLookup...
    std::vector<Place> children;  // ...of this node
    // kInClass: the class was bound before the node that this walk starts from, so that one search
    // of that node's siblings walks the same class again and again.
    bool is_repeated = false;
    std::vector<uint32_t> branches;

    bool same_way(const Walk& other) const;
  };

  // A rule with an index into the rules of the caller. `with_nodes`: rows end with the node of each
  // atom.
  void add(uint32_t rule, const Rule& source, const Query& query, bool with_nodes);
  void finish();  // after the last rule

  uint32_t grounds() const { return static_cast<uint32_t>(grounds_.size()); }
  const std::vector<GroundTerm>& ground_terms() const { return grounds_; }

  struct Tree {
    std::vector<std::vector<uint32_t>> starts;  // by kind: branches that any node of it may begin
    std::vector<uint32_t> walks;                // that begin without a node: from ground terms
    std::vector<Branch> branches;
    std::vector<Walk> all_walks;
    uint32_t places = 0;
  };
  const Tree& full() const { return full_; }
  const Tree& delta() const { return delta_; }
  // The ground terms that a rule needs.
  const std::vector<uint32_t>& grounds_of(uint32_t rule) const { return grounds_of_[rule]; }

 private:
  struct Source {
    uint32_t rule;
    const Rule* source;
    const Query* query;
    std::vector<uint32_t> ground_of_atom;  // kNoId where it is none
    bool with_nodes;
  };
  class PathBuilder;

  void insert(Tree& tree, const Source& source, const Plan& plan, uint32_t first);

  std::vector<GroundTerm> grounds_;
  std::vector<Source> sources_;
  std::vector<std::vector<uint32_t>> grounds_of_;
  Tree full_;
  Tree delta_;
};

}  // namespace flipsat::egraph
