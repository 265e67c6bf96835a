// Runs of the engine with the reference beside them.
#include "tests/egraph/reference/twins.h"

namespace flipsat::egraph::reference {

NaiveIteration iterate(Graph& graph, const std::vector<TestRule>& rules) {
  NaiveIteration found;
  for (uint32_t i = 0; i < rules.size(); ++i) {
    for (Binding& binding : matches(graph, rules[i])) {
      if (accepts(graph, rules[i], binding)) {
        found.accepted.push_back({i, std::move(binding)});
      } else {
        found.refused.push_back({i, binding.root});
      }
    }
  }
  for (const auto& [rule, binding] : found.accepted) apply(graph, rules[rule], binding);
  graph.rebuild();
  return found;
}

namespace {

class Comparison {
 public:
  Comparison(Twins& twins, const std::vector<TestRule>& rules, const SideBySide& how)
      : twins_(twins), rules_(rules), how_(how) {}

  SideBySideResult run() {
    // Every other rule keeps its right-hand side as a term, as clients write it.
    RuleSet rule_set;
    for (uint32_t i = 0; i < rules_.size(); ++i) {
      rule_set.add(engine_rule(rules_[i], i, is_recorded(i) ? &recorded_ : nullptr));
    }
    twins_.naive.rebuild();
    RunOptions options = how_.options;
    options.after_iteration = [this](EGraph&, uint64_t) {
      result_.difference = follow();
      return result_.difference.empty() && twins_.engine.node_count() <= how_.most_nodes;
    };
    const RunReport report = egraph::run(twins_.engine, rule_set, options);
    result_.stop = report.stop;
    const Stop stop = report.stop.stop;
    result_.is_comparable =
        stop == Stop::kSaturated || stop == Stop::kIterations || stop == Stop::kClient;
    if (!result_.difference.empty() || !result_.is_comparable) return std::move(result_);
    result_.difference = compare_refusals(report);
    if (stop == Stop::kSaturated && result_.difference.empty()) {
      iterate(twins_.naive, rules_);
      result_.difference = twins_.difference();
      if (!result_.difference.empty()) result_.difference += ": saturated too early";
    }
    return std::move(result_);
  }

 private:
  static bool is_recorded(uint32_t rule) { return rule % 2 == 0; }

  // The reference does what the engine did in the last iteration.
  std::string follow() {
    const NaiveIteration found = iterate(twins_.naive, rules_);
    std::string difference = twins_.difference();
    if (difference.empty()) difference = compare_matches(found);
    recorded_.clear();
    for (const auto& [rule, root] : found.refused) refused_.insert({rule, root});
    if (!difference.empty() || !how_.between) return difference;
    how_.between(twins_);
    difference = twins_.difference();
    if (!difference.empty()) difference += ": after changes between iterations";
    return difference;
  }

  // What the engine found now are matches, none twice; and it has found all, now or before.
  std::string compare_matches(const NaiveIteration& found) {
    std::set<Row> expected;
    for (const auto& [rule, binding] : found.accepted) {
      if (is_recorded(rule)) expected.insert(twins_.row_of(rule, rules_[rule], binding));
    }
    result_.rows += expected.size();
    std::set<Row> ever;
    for (const Row& row : ever_found_) ever.insert(twins_.canonical(row));
    std::set<std::pair<uint32_t, std::vector<NodeId>>> distinct;
    for (const RecordedMatch& match : recorded_) {
      const TestRule& rule = rules_[match.rule];
      const bool is_new = distinct.insert({match.rule, match.nodes}).second;
      if (!is_new && rule.is_known_by_nodes()) return "a match is found twice of " + rule.text();
      const Row row = twins_.row_of(match);
      if (expected.count(row) == 0) return "no match of " + rule.text();
      ever.insert(row);
    }
    for (const Row& row : expected) {
      if (ever.count(row) == 0) return "a match is missed of " + rules_[row.rule].text();
    }
    ever_found_ = std::move(ever);
    return {};
  }

  std::string compare_refusals(const RunReport& report) {
    std::set<std::pair<uint32_t, Id>> distinct;
    for (const auto& [rule, root] : refused_) distinct.insert({rule, twins_.naive.find(root)});
    for (uint32_t i = 0; i < rules_.size(); ++i) {
      uint64_t counted = 0;
      for (const auto& [reason, count] : report.rules[i].refused) counted += count;
      uint64_t expected = 0;
      for (const auto& [rule, root] : distinct) expected += rule == i ? 1 : 0;
      if (counted != expected) {
        return "refusals of " + rules_[i].name + ": " + std::to_string(counted) + ", reference " +
               std::to_string(expected);
      }
    }
    return {};
  }

  Twins& twins_;
  const std::vector<TestRule>& rules_;
  const SideBySide& how_;
  std::vector<RecordedMatch> recorded_;
  std::set<Row> ever_found_;
  std::set<std::pair<uint32_t, Id>> refused_;
  SideBySideResult result_;
};

}  // namespace

SideBySideResult run_side_by_side(Twins& twins, const std::vector<TestRule>& rules,
                                  const SideBySide& how) {
  return Comparison(twins, rules, how).run();
}

}  // namespace flipsat::egraph::reference
