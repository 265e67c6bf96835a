// Search: all matches of rules on a rebuilt graph, as flat rows in one arena.
//
// Full search starts from every node of the root's kind. Incremental search is told the epoch of
// the rule's last search and finds exactly the matches that involve a row changed since (query.h):
// what it leaves out has been found, and applied or refused, before.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "egraph/limits.h"
#include "egraph/query.h"
#include "egraph/rule.h"
#include "egraph/term.h"

namespace flipsat::egraph {

// A rule ready to be searched and applied.
struct CompiledRule {
  CompiledRule(const Rule& rule, const Operators& operators);

  const Rule& rule;
  Query query;
  Term term;  // where the rule has no code
};

// A guard's refusal of one match. Reasons are literals.
struct Refusal {
  ClassId root = kNoId;
  const char* reason = nullptr;
};

struct SearchResult {
  uint64_t started = 0;     // nodes (or classes) that matching started from
  uint64_t matched = 0;     // before guards
  bool is_complete = true;  // false: broken off by the limit on matches or by the budget
};

// The nodes changed since an epoch, by kind. The same for all rules that ran last at that epoch, so
// it is kept for as long as the graph's epoch lasts.
class ChangedNodes {
 public:
  std::span<const NodeId> of_kind(const EGraph& graph, Kind kind, uint32_t since);

 private:
  struct Entry {
    uint32_t epoch = UINT32_MAX;  // of the graph when this was collected
    uint32_t since = 0;
    std::vector<NodeId> nodes;
  };
  std::vector<std::vector<Entry>> entries_;  // by kind; one for each `since` in use
};

class Search {
 public:
  static constexpr uint32_t kFromTheStart = 0;  // an epoch before all

  explicit Search(const EGraph& graph) : graph_(graph) {}

  // Appends rows of matches that the guard accepts to `rows`; breaks off after `limit` of them.
  SearchResult run(const CompiledRule& rule, uint32_t since, uint64_t limit, Budget& budget,
                   std::vector<uint32_t>& rows, std::vector<Refusal>& refusals);

 private:
  const EGraph& graph_;
  ChangedNodes changed_;
};

}  // namespace flipsat::egraph
