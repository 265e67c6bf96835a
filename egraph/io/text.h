// Terms and rules as text.
//
//   Symbols symbols;                                     // must outlive the rules
//   EGraph graph;
//   const auto rules = read_rules("comm: (+ ?a ?b) => (+ ?b ?a)", "my.rules", symbols);
//   const ClassId sum = add_term(graph, read_term("(+ x 1)", "<term>", symbols), symbols);
//   run(graph, make_rules(rules, symbols, graph));
//
// Rules, one a line:
//
//   comm: (+ ?a ?b) => (+ ?b ?a)                         # ?a is a variable, a bare name a leaf
//   double: (+ ?a ?a) <=> (* 2 ?a)                       ; both ways: also the rule double-rev
//   pair: (fst ?p ?x), (snd ?p ?y) => (pair ?x ?y)       # two patterns; the root is the first
//
// A line goes on in the next while a parenthesis is open. `;` or `#` where a word could begin
// starts a comment. A name is whatever has no blank and no parenthesis in it; outside parentheses
// a comma ends it too. `(f)` is the leaf f.
//
// Refused, with the place (InputError): what is not of that form; a variable on the right that the
// left does not have, a head that is a variable, a rule's name used before; several patterns that
// share no variable or of which one is a variable alone, or with `<=>`; a head with another number
// of children than before (a rule that is meant to match it would silently not), a name that is
// both head and leaf; more than 32,767 children, 65,535 heads or kMaxRuleNodes nodes a side.
//
// There are no conditions: a rule with a guard is written in C++ (rule.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/io/input_error.h"
#include "egraph/io/symbols.h"
#include "egraph/rule.h"

namespace flipsat::egraph {

// Compiling a rule takes more than linear time, and patterns are trees that are walked recursively.
inline constexpr size_t kMaxRuleNodes = 256;

// A term in one piece however deep it is: children come before parents, the root last.
struct TextTerm {
  struct Node {
    SymbolId symbol = kNoId;    // kNoId for a variable
    std::string_view variable;  // with the question mark, kept by the symbols
    uint32_t first_child = 0;   // in `children`
    uint32_t child_count = 0;
    size_t at = 0;  // where it stands in the text
  };
  std::vector<Node> nodes;
  std::vector<uint32_t> children;  // indices of nodes

  std::span<const uint32_t> children_of(const Node& node) const {
    return {children.data() + node.first_child, node.child_count};
  }
};

// One direction of a rule.
struct TextRule {
  std::string name;
  std::vector<TextTerm> left;
  TextTerm right;
};

// One term without variables, and nothing else in the text but comments.
TextTerm read_term(std::string_view text, const std::string& file, Symbols& symbols);
// `known` are rules whose names are taken.
std::vector<TextRule> read_rules(std::string_view text, const std::string& file, Symbols& symbols,
                                 std::span<const TextRule> known = {});

ClassId add_term(EGraph& graph, const TextTerm& term, const Symbols& symbols);
// The symbols must outlive the rules. Throws std::logic_error for two rules of one name.
RuleSet make_rules(std::span<const TextRule> rules, const Symbols& symbols, EGraph& graph);

// As it is read.
std::string to_string(const TextTerm& term, const Symbols& symbols);
std::string to_string(const TextRule& rule, const Symbols& symbols);  // without its name

}  // namespace flipsat::egraph
