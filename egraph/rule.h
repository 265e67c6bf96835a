// Rewrite rules: patterns, a guard, and what to do.
//
//   rules.add(Rule("gather-of-convert", node(kGather, g, {node(kConvert, c, {x})}))
//                 .where([](const Match& m) {
//                   if (m.data<Facts>(x).is_scalar) return refuse("a scalar is not gathered");
//                   return accept();
//                 })
//                 .to(same(c, {same(g, {x})})));
//
// Search never changes the graph: guards and matchers see a rebuilt graph and only read. Right-hand
// sides run afterwards, all matches of all rules in order.
//
// What a guard may look at: the data of the matched classes and the operators of the matched nodes.
// A rule whose guard or matcher looks at anything else (other nodes of a class, children of
// children) must say `.looks_elsewhere()` and is then searched in full every time: incremental
// search would not notice that something far away has changed. Its right-hand side then runs again
// for matches that it has seen, and must do nothing new for them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egraph/match.h"
#include "egraph/pattern.h"

namespace flipsat::egraph {

// A guard's answer. A refusal has a short literal reason that a user can read and count.
struct Verdict {
  const char* reason = nullptr;  // null: accepted
  explicit operator bool() const { return reason == nullptr; }
};
inline Verdict accept() { return {}; }
inline Verdict refuse(const char* reason) { return {reason}; }

// What a right-hand side did.
struct Outcome {
  Outcome(ClassId equal) : equal(equal) {}              // NOLINT: "equal to this class"
  Outcome(Verdict refusal) : reason(refusal.reason) {}  // NOLINT: `return refuse("...")`
  static Outcome nothing() { return Outcome(kNoId); }
  // It added directed edges, or merged classes itself: nothing to union with the root.
  static Outcome done() { return Outcome(kNoId); }

  ClassId equal = kNoId;         // to be merged with the root
  const char* reason = nullptr;  // why nothing was done
};

// Of a class variable or of a node.
struct Name {
  Name(ClassVar variable) : text(variable.name) {}  // NOLINT: either is a name
  Name(OpVar variable) : text(variable.name) {}     // NOLINT
  std::string_view text;
};

class Rule {
 public:
  using Guard = std::function<Verdict(const Match&)>;
  using Apply = std::function<Outcome(EGraph&, const Match&)>;
  // Called with the classes for the rule's follow-up variables, in their order, once for each way
  // of going on.
  using Found = std::function<void(std::span<const ClassId>)>;
  using Matcher = std::function<void(const Match&, const Found&)>;

  Rule(std::string name, Pattern pattern);

  // One more pattern, joined with the others on the variables they share (std::logic_error when
  // the rule is compiled if it shares none).
  Rule& also(Pattern pattern);
  // Goes on in C++ from each match of the patterns: `matcher` reports classes for `variables`.
  Rule& follow(std::vector<ClassVar> variables, Matcher matcher);
  // Asked of each match; several are asked in their order.
  Rule& where(Guard guard);
  // The same for a guard that looks at these variables (and the root) alone: it is asked as soon as
  // they are bound, before the rest of the pattern is matched (what else it may read then is not
  // bound yet: kNoId).
  Rule& where(std::vector<Name> wants, Guard guard);
  // The right-hand side as a term of `exact` and `same` nodes over the variables of the left
  // side...
  Rule& to(Pattern pattern);
  // ...or as code. A rule has one of the two.
  Rule& then(Apply apply);
  Rule& looks_elsewhere();

  const std::string& name() const { return name_; }
  const std::vector<Pattern>& patterns() const { return patterns_; }
  const std::vector<ClassVar>& follow_variables() const { return follow_variables_; }
  const Matcher& matcher() const { return matcher_; }
  struct GuardAt {
    Guard ask;
    bool is_early = false;
    std::vector<std::string_view> wants;
  };
  const std::vector<GuardAt>& guards() const { return guards_; }
  // Not where it wants what only `follow` binds.
  bool is_asked_early(size_t guard) const;
  const Apply& code() const { return apply_; }
  const std::vector<Pattern>& term() const { return term_; }  // empty where code is given
  bool is_searched_in_full() const { return in_full_; }

 private:
  std::string name_;
  std::vector<Pattern> patterns_;
  std::vector<ClassVar> follow_variables_;
  Matcher matcher_;
  std::vector<GuardAt> guards_;
  Apply apply_;
  std::vector<Pattern> term_;
  bool in_full_ = false;
};

// Rules in the order in which they are searched and applied; a rule's index is the reason of its
// unions, nodes and edges.
class RuleSet {
 public:
  // Throws std::logic_error for a name used before or a rule with no right-hand side.
  uint32_t add(Rule rule);
  const Rule& operator[](uint32_t index) const { return rules_[index]; }
  uint32_t size() const { return static_cast<uint32_t>(rules_.size()); }
  // kNoId if there is none of that name.
  uint32_t index_of(std::string_view name) const;

 private:
  std::vector<Rule> rules_;
  std::unordered_map<std::string, uint32_t> index_;  // look-up only
};

}  // namespace flipsat::egraph
