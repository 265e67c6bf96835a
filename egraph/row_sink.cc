#include "egraph/row_sink.h"

#include <algorithm>
#include <stdexcept>

namespace flipsat::egraph {

void RowSink::put_slowly(uint32_t rule, const uint32_t* values, const Place* places) {
  row_.resize(rules_[rule].width);
  for (uint32_t i = 0; i < row_.size(); ++i) row_[i] = values[places[i]];
  follow(rule);
}

void RowSink::put_class(uint32_t rule, ClassId cls) {
  if (!states_[rule].is_open) return;
  ++states_[rule].matched;
  row_.assign(rules_[rule].width, cls);
  follow(rule);
}

// From a row in `row_`: through the rule's own matcher, if it has one.
void RowSink::follow(uint32_t index) {
  const CompiledRule& rule = rules_[index];
  if (!rule.rule.matcher()) {
    consider(index);
    return;
  }
  const size_t extra = rule.rule.follow_variables().size();
  const size_t place = rule.query.class_columns - extra;
  const auto next = [&](std::span<const ClassId> classes) {
    if (classes.size() != extra) {
      throw std::logic_error("rule " + rule.rule.name() +
                             ": its matcher gives too many or too few");
    }
    if (!states_[index].is_open) return;
    std::ranges::copy(classes, row_.begin() + static_cast<ptrdiff_t>(place));
    consider(index);
  };
  rule.rule.matcher()(Match(graph_, rule.query.layout, row_.data()), next);
}

void RowSink::consider(uint32_t index) {
  const CompiledRule& rule = rules_[index];
  const std::vector<Rule::GuardAt>& guards = rule.rule.guards();
  for (size_t i = 0; i < guards.size(); ++i) {
    if (rule.rule.is_asked_early(i) && !rule.query.is_any_class) continue;
    const Verdict verdict = guards[i].ask(Match(graph_, rule.query.layout, row_.data()));
    if (verdict) continue;
    refuse(index, verdict.reason);
    return;
  }
  State& state = states_[index];
  if (state.accepted == state.limit) {
    break_off(index);
    return;
  }
  ++state.accepted;
  state.rows->append(row_.data(), row_.size());
}

bool RowSink::admits(const MatchTree::EarlyGuard& guard, const uint32_t* values) {
  State& state = states_[guard.rule];
  if (!state.is_open) return true;
  const CompiledRule& rule = rules_[guard.rule];
  row_.assign(rule.width, kNoId);
  for (const auto& [column, place] : guard.columns) row_[column] = values[place];
  const Match match(graph_, rule.query.layout, row_.data());
  const Verdict verdict = rule.rule.guards()[guard.guard].ask(match);
  if (verdict) return true;
  refuse(guard.rule, verdict.reason);
  ++state.refusals;
  state.is_open = false;
  return false;
}

// A root is often refused again and again in a row.
void RowSink::refuse(uint32_t rule, const char* reason) {
  std::vector<Refusal>& refusals = matches_[rule].refusals;
  const bool is_known =
      !refusals.empty() && refusals.back().root == row_[0] && refusals.back().reason == reason;
  if (!is_known) refusals.push_back({row_[0], reason});
}

void RowSink::break_off(uint32_t rule) {
  states_[rule].is_open = false;
  states_[rule].is_active = false;
  matches_[rule].is_complete = false;
}

// Looking pays where much is known; where it is not, a batch now and then tells whether that has
// changed.
void RowSink::look(uint32_t rule) {
  constexpr uint32_t kSample = 16;
  State& state = states_[rule];
  ++state.batches;
  const bool is_sampled = state.batches <= kSample || state.batches % kSample == 0;
  if (is_sampled || 2 * state.dropped >= state.looked_at) {
    drop_known(rule);
  } else {
    state.looked_until = state.rows->size();
  }
  state.next_look = state.looked_until + Term::kBatch * state.width;
}

void RowSink::drop_known(uint32_t rule) {
  State& state = states_[rule];
  const size_t count = (state.rows->size() - state.looked_until) / state.width;
  if (count == 0 || rules_[rule].rule.term().empty()) return;
  const size_t kept = rules_[rule].term.drop_known(graph_, state.rows->data() + state.looked_until,
                                                   count, state.width);
  state.looked_at += count;
  state.dropped += count - kept;
  state.looked_until += kept * state.width;
  state.rows->resize(state.looked_until);
}

uint64_t RowSink::matched() const {
  uint64_t sum = 0;
  for (const State& state : states_) sum += state.matched;
  return sum;
}

uint64_t RowSink::bytes() const {
  uint64_t words = 0;
  for (const RuleMatches& matches : matches_) words += matches.rows.size();
  return words * sizeof(uint32_t);
}

void RowSink::finish(uint32_t rule, bool is_complete) {
  if (states_[rule].rows == nullptr) return;  // never opened: a ground term is missing
  drop_known(rule);
  matches_[rule].matched = states_[rule].matched;
  matches_[rule].is_complete &= is_complete;
}

void RowSink::close() {
  for (State& state : states_) state.is_open = state.is_active = false;
}

}  // namespace flipsat::egraph
