// Where a search puts what it finds: guards and matchers are asked, rows written, rows that say
// nothing new dropped, and the limit on a rule's matches held.
#pragma once

#include <deque>
#include <vector>

#include "egraph/search.h"

namespace flipsat::egraph {

class RowSink {
 public:
  RowSink(const EGraph& graph, const std::deque<CompiledRule>& rules,
          std::vector<RuleMatches>& matches)
      : graph_(graph), rules_(rules), matches_(matches), states_(rules.size()) {}

  void open(uint32_t rule) {
    State& state = states_[rule];
    state.is_open = true;
    state.is_active = true;
    state.is_plain = rules_[rule].is_plain;
    state.width = rules_[rule].width;
    state.limit = matches_[rule].limit;
    state.rows = &matches_[rule].rows;
    state.next_look = state.is_plain ? Term::kBatch * state.width : SIZE_MAX;
    if (rules_[rule].rule.term().empty()) state.next_look = SIZE_MAX;
  }
  bool is_active(uint32_t rule) const { return states_[rule].is_active; }

  // A match whose columns are `values` at `places`.
  void put(uint32_t rule, const uint32_t* values, const Place* places) {
    State& state = states_[rule];
    if (!state.is_open) return;
    ++state.matched;
    if (!state.is_plain) {
      put_slowly(rule, values, places);
      return;
    }
    if (state.accepted == state.limit) {
      break_off(rule);
      return;
    }
    ++state.accepted;
    uint32_t* row = state.rows->extend(state.width);
    for (uint32_t i = 0; i < state.width; ++i) row[i] = values[places[i]];
    if (state.rows->size() >= state.next_look) look(rule);
  }
  // For many matches of one rule at once: room for a row if it may simply be written, else null
  // (then `put` takes the match). `wrote` follows.
  uint32_t* room(uint32_t rule) {
    State& state = states_[rule];
    if (!state.is_open || !state.is_plain || state.accepted == state.limit) return nullptr;
    ++state.matched;
    ++state.accepted;
    return state.rows->extend(state.width);
  }
  void wrote(uint32_t rule) {
    if (states_[rule].rows->size() >= states_[rule].next_look) look(rule);
  }
  uint32_t width(uint32_t rule) const { return rules_[rule].width; }
  // A match of a rule that any class matches.
  void put_class(uint32_t rule, ClassId cls);

  // Asks a guard whose variables are bound already; a refusal keeps the rule out until `readmit`.
  bool admits(const MatchTree::EarlyGuard& guard, const uint32_t* values);
  void readmit(uint32_t rule) {
    State& state = states_[rule];
    state.is_open = --state.refusals == 0 && state.is_active;
  }
  bool is_open(uint32_t rule) const { return states_[rule].is_open; }

  uint64_t matched() const;
  uint64_t bytes() const;
  // Looks at what is left and books what was found.
  void finish(uint32_t rule, bool is_complete);
  // Nothing is taken from here on.
  void close();

 private:
  struct State {
    bool is_open = false;    // active and not kept out by a guard
    bool is_active = false;  // searched, and below its limit
    bool is_plain = false;
    uint32_t width = 0;
    uint32_t refusals = 0;
    uint64_t matched = 0;
    uint64_t accepted = 0;
    uint64_t limit = 0;
    GrowArray<uint32_t>* rows = nullptr;
    size_t next_look = 0;  // size of `rows` at which the next batch is complete
    // What looking has brought so far.
    size_t looked_until = 0;
    uint64_t looked_at = 0;
    uint64_t dropped = 0;
    uint32_t batches = 0;
  };

  void put_slowly(uint32_t rule, const uint32_t* values, const Place* places);
  void follow(uint32_t rule);
  void consider(uint32_t rule);
  void refuse(uint32_t rule, const char* reason);
  void break_off(uint32_t rule);
  void look(uint32_t rule);
  void drop_known(uint32_t rule);

  const EGraph& graph_;
  const std::deque<CompiledRule>& rules_;
  std::vector<RuleMatches>& matches_;
  std::vector<State> states_;
  std::vector<uint32_t> row_;
};

}  // namespace flipsat::egraph
