// A rule's patterns as a conjunctive query, and the orders in which it can be answered.
//
// Each node of a pattern is an atom "a node of this kind whose class is c and whose children are
// x, y": registers stand for classes, and a register that stands in two atoms joins them. So
// nesting, repeated variables and several patterns are one and the same thing.
//
// A plan answers the query atom by atom. Once one atom is given, the next is reached through what
// is bound: among the nodes of a bound class, among the parents of a bound child, or straight
// through the hash-cons if all its children are bound. Ground terms are looked up beforehand. There
// is one plan that starts from the root, for full search, and one for each atom, which starts from
// the changed rows of that atom alone: a match is new if one of its rows is, and counting atoms
// before the first new one as old finds each new match exactly once.
#pragma once

#include <vector>

#include "egraph/match.h"
#include "egraph/pattern.h"
#include "egraph/rule.h"

namespace flipsat::egraph {

struct Atom {
  bool is_exact = false;
  Kind kind = 0;
  OperatorId op = kNoId;  // where exact
  bool any_arity = false;
  bool is_unordered = false;  // only with any_arity
  bool is_ground = false;  // a term without variables below the root: one class, known beforehand
  uint32_t cls = 0;        // register of its class
  std::vector<uint32_t> children;  // registers
};

enum class Age : uint8_t { kAny, kOld, kNew };  // of a row: changed since the rule's last search?

enum class Access : uint8_t {
  kScan,      // all nodes of the kind (or the changed ones among them)
  kInClass,   // the nodes of the class, which is bound
  kParentOf,  // the parents of a child that is bound
  kLookup,    // the one node that the hash-cons has for these children
};

struct Step {
  // What to do with a register: it gets its value here, or has one that must agree.
  struct Child {
    uint32_t position;
    uint32_t reg;
    bool is_bound;
  };

  Access access = Access::kScan;
  uint32_t atom = 0;
  Age age = Age::kAny;
  uint32_t via = 0;  // kParentOf: the position of the bound child
  bool class_is_bound = false;
  std::vector<Child> children;  // kLookup: none, they are given
};

using Plan = std::vector<Step>;

struct Query {
  std::vector<Atom> atoms;
  uint32_t registers = 0;         // class registers
  std::vector<uint32_t> columns;  // of a match row: which register, or which atom's node
  uint32_t class_columns = 0;     // the first so many are registers, the rest atoms
  RowLayout layout;
  Plan full;
  std::vector<Plan> delta;    // by the atom that they start from
  bool is_any_class = false;  // the pattern is a lone variable: no atoms at all

  // Throws std::logic_error for patterns that make no sense: unlinked ones, names bound twice.
  Query(const Rule& rule, const EGraph& graph);
};

}  // namespace flipsat::egraph
