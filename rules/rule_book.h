// Rules as the engine runs them, and which switch each belongs to.
//
// A family is one file, one name, one switch: its equation and condition, and a function that adds
// its rewrites (directions, ranks) to a book. To add one: write the file, name it in rule_book.cc.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "egraph/rule.h"
#include "language/hlo_graph.h"
#include "rules/catalogue.h"

namespace flipsat::rules {

struct RuleOptions {
  hlo::Numerics numerics = hlo::Numerics::kExact;
  bool bitwise = false;
  std::set<std::string> disable;
  std::set<std::string> only;  // where not empty: no others
  bool assume_finite = false;  // no float is NaN or infinite, and no zero's sign counts
};

struct Family;

class RuleBook {
 public:
  // The enabled rules over an e-graph, which must outlive the book.
  RuleBook(language::HloGraph& hlo, const RuleOptions& options);
  // The same of other families than those of the catalogue.
  RuleBook(language::HloGraph& hlo, const RuleOptions& options,
           const std::vector<Family>& families);

  const egraph::RuleSet& set() const { return set_; }
  // The family that a rule of the set belongs to.
  const RuleInfo& info(egraph::Reason rule) const { return infos_[family_of_[rule]]; }

  // ---- for families ----
  language::HloGraph& hlo() { return hlo_; }
  const RuleOptions& options() const { return options_; }
  // One rewrite of the family being added, "gather-convert/forward".
  egraph::Rule rule(const std::string& direction, egraph::Pattern pattern) const;
  void add(egraph::Rule rule);
  // What to do once, on the graph as it was imported, before any rule runs.
  void before_all(std::function<void(language::HloGraph&)> prepare);

  // Called by `saturate`; only the first call does something.
  void prepare();

 private:
  language::HloGraph& hlo_;
  RuleOptions options_;
  egraph::RuleSet set_;
  std::vector<RuleInfo> infos_;    // enabled families
  std::vector<size_t> family_of_;  // by rule
  std::vector<std::function<void(language::HloGraph&)>> prepare_;
};

// A family's file defines one of these.
struct Family {
  RuleInfo info;
  std::function<void(RuleBook&)> add;
};

// Those of the catalogue, in its order.
std::vector<Family> all_families();

// Ranks for which rewrites with one start index a dim are written out.
inline constexpr int kMaxRank = 6;

}  // namespace flipsat::rules
