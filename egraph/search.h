// Search: all matches of rules on a rebuilt graph, as flat rows, an array for each rule.
//
// Full search starts from every node. Incremental search is told the epoch of the rules' last
// search and finds exactly the matches that involve a row changed since (query.h): what it leaves
// out has been found, and applied or refused, before. Changed nodes are found through a note for
// each block of nodes, so that a graph at rest costs next to nothing.
//
// A match of a rule whose right side is a term is dropped when the graph says already what the
// rule would: on the graph as it stands that is a look-up or two.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "egraph/flat_tree.h"
#include "egraph/limits.h"
#include "egraph/match_tree.h"
#include "egraph/query.h"
#include "egraph/rule.h"
#include "egraph/term.h"

namespace flipsat::egraph {

// A rule ready to be searched and applied.
struct CompiledRule {
  CompiledRule(const Rule& rule, const EGraph& graph);

  const Rule& rule;
  Query query;
  Term term;             // where the rule has no code
  uint32_t width = 0;    // of a row
  bool is_plain = true;  // a match is its row: no guards that are asked last, no `follow`
};

// A guard's refusal of one match. Reasons are literals.
struct Refusal {
  ClassId root = kNoId;
  const char* reason = nullptr;
};

// What a search found for one rule.
struct RuleMatches {
  GrowArray<uint32_t> rows;
  std::vector<Refusal> refusals;
  uint64_t limit = UINT64_MAX;  // matches worth having: with more, the rule's search is broken off
  uint64_t started = 0;         // nodes (or classes) that matching started from
  uint64_t matched = 0;         // before guards, those included that the graph knows already
  bool is_complete = true;
  double seconds = 0;  // a share of the whole by the nodes looked at
};

class Search {
 public:
  static constexpr uint32_t kFromTheStart = 0;  // an epoch before all

  // Compiles the rules. With history in the graph rows end with the matched nodes.
  Search(const EGraph& graph, const RuleSet& rules);

  const CompiledRule& rule(uint32_t index) const { return compiled_[index]; }
  uint32_t size() const { return static_cast<uint32_t>(compiled_.size()); }

  // Searches some rules, all from the same epoch; results go into `matches`, by rule index. False
  // when the budget ended the search.
  bool run(std::span<const uint32_t> rules, uint32_t since, Budget& budget,
           std::vector<RuleMatches>& matches);

 private:
  const EGraph& graph_;
  std::deque<CompiledRule> compiled_;
  MatchTree trees_;
  FlatTree full_;
  FlatTree delta_;
};

}  // namespace flipsat::egraph
