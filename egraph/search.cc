#include "egraph/search.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <boost/container/small_vector.hpp>

#include "egraph/egraph.h"
#include "egraph/execution.h"
#include "egraph/row_sink.h"

namespace flipsat::egraph {

CompiledRule::CompiledRule(const Rule& rule, const EGraph& graph)
    : rule(rule), query(rule, graph), width(query.layout.width()) {
  if (!rule.term().empty()) term = Term(rule.term().front(), query.layout);
  if (graph.history().is_kept) width += static_cast<uint32_t>(query.atoms.size());
  is_plain = !rule.matcher();
  for (size_t guard = 0; guard < rule.guards().size(); ++guard) {
    is_plain &= rule.is_asked_early(guard) && !query.is_any_class;
  }
}

namespace {

MatchTree grow_trees(const EGraph& graph, const RuleSet& rules,
                     const std::deque<CompiledRule>& compiled) {
  MatchTree trees;
  for (uint32_t i = 0; i < rules.size(); ++i) {
    trees.add(i, rules[i], compiled[i].query, graph.history().is_kept);
  }
  trees.finish();
  return trees;
}

std::deque<CompiledRule> compile(const EGraph& graph, const RuleSet& rules) {
  std::deque<CompiledRule> compiled;
  for (uint32_t i = 0; i < rules.size(); ++i) compiled.emplace_back(rules[i], graph);
  return compiled;
}

}  // namespace

Search::Search(const EGraph& graph, const RuleSet& rules)
    : graph_(graph),
      compiled_(compile(graph, rules)),
      trees_(grow_trees(graph, rules, compiled_)),
      full_(trees_.full()),
      delta_(trees_.delta()) {}

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

bool Search::run(std::span<const uint32_t> rules, uint32_t since, Budget& budget,
                 std::vector<RuleMatches>& matches) {
  const double start = now();
  for (const uint32_t rule : rules) {
    RuleMatches& fresh = matches[rule];
    fresh.rows.clear();
    fresh.refusals.clear();
    fresh.started = fresh.matched = 0;
    fresh.is_complete = true;
  }
  const bool in_full = since == kFromTheStart;
  FlatTree& flat = in_full ? full_ : delta_;
  RowSink sink(graph_, compiled_, matches);
  Execution execution(graph_, trees_, in_full, flat, since, budget, sink);
  execution.run(rules, compiled_);
  for (const uint32_t rule : rules) sink.finish(rule, execution.goes_on());

  // What a branch took is shared by the rules that it serves.
  const MatchTree::Tree& tree = in_full ? trees_.full() : trees_.delta();
  std::vector<double> work(compiled_.size(), 1e-9);
  for (const FlatTree::Branch& branch : flat.branches) {
    const std::vector<uint32_t>& served = tree.branches[branch.index].rules;
    for (const uint32_t rule : served) {
      work[rule] += static_cast<double>(branch.visits) / static_cast<double>(served.size());
      if (branch.is_start) matches[rule].started += branch.visits;
    }
  }
  double all = 0;
  for (const uint32_t rule : rules) all += work[rule] += static_cast<double>(matches[rule].matched);
  const double seconds = now() - start;
  for (const uint32_t rule : rules) matches[rule].seconds = seconds * work[rule] / all;
  return execution.goes_on();
}

}  // namespace flipsat::egraph
