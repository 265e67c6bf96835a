#include "egraph/io/rule_reader.h"

#include <algorithm>

namespace flipsat::egraph {
namespace {

bool is_variable(const TextTerm& term) { return term.nodes.back().symbol == kNoId; }

bool has_variable(const TextTerm& term, std::string_view variable) {
  return std::ranges::find(term.nodes, variable, &TextTerm::Node::variable) != term.nodes.end();
}

bool share_variable(const TextTerm& a, const TextTerm& b) {
  return std::ranges::any_of(a.nodes, [&](const TextTerm::Node& node) {
    return node.symbol == kNoId && has_variable(b, node.variable);
  });
}

}  // namespace

void RuleReader::take_names(std::span<const TextRule> known) {
  for (const TextRule& rule : known) names_.insert(rule.name);
}

void RuleReader::read(std::vector<TextRule>& rules) {
  const size_t begin = scanner_.at();
  TextRule rule;
  rule.name = name();
  take_name(rule.name, begin);
  rule.left = left_side();
  check_links(rule.left);
  scanner_.skip_blanks();
  const size_t arrow = scanner_.at();
  const bool both_ways = scanner_.take("<=>");
  if (!both_ways && !scanner_.take("=>")) scanner_.fail(arrow, "'=>' must stand here");
  scanner_.skip_blanks();
  rule.right = side();
  scanner_.skip_blanks_and_comment();
  if (!scanner_.at_line_end()) scanner_.fail(scanner_.at(), "the rule must end here");

  check_bound(rule.right, rule.left, "left");
  if (!both_ways) {
    rules.push_back(std::move(rule));
    return;
  }
  if (rule.left.size() != 1) scanner_.fail(arrow, "'<=>' stands after one pattern only");
  TextRule back{rule.name + "-rev", {rule.right}, rule.left.front()};
  take_name(back.name, begin);
  check_bound(back.right, back.left, "right");
  rules.push_back(std::move(rule));
  rules.push_back(std::move(back));
}

std::string RuleReader::name() {
  const size_t at = scanner_.at();
  std::string_view name = scanner_.name();
  if (name.ends_with(':')) {
    name.remove_suffix(1);
  } else {
    scanner_.skip_blanks();
    if (!scanner_.take(":")) scanner_.fail(scanner_.at(), "':' must stand after the rule's name");
  }
  if (name.empty()) scanner_.fail(at, "a rule's name must stand here");
  return std::string(name);
}

void RuleReader::take_name(const std::string& name, size_t at) {
  if (!names_.insert(name).second) scanner_.fail(at, "a second rule named " + in_quotes(name));
}

std::vector<TextTerm> RuleReader::left_side() {
  std::vector<TextTerm> left;
  size_t nodes = 0;
  do {
    scanner_.skip_blanks();
    left.push_back(side());
    nodes += left.back().nodes.size();
    if (nodes > kMaxRuleNodes) {
      scanner_.fail(left.back().nodes.back().at,
                    "more than " + std::to_string(kMaxRuleNodes) + " nodes on a rule's left side");
    }
    scanner_.skip_blanks();
  } while (scanner_.take(","));
  return left;
}

TextTerm RuleReader::side() {
  TextTerm term = TermReader(scanner_, symbols_, heads_).read();
  if (term.nodes.size() > kMaxRuleNodes) {
    scanner_.fail(term.nodes.back().at,
                  "more than " + std::to_string(kMaxRuleNodes) + " nodes on one side of a rule");
  }
  return term;
}

// Each pattern must be reached from the first through shared variables.
void RuleReader::check_links(const std::vector<TextTerm>& left) const {
  if (left.size() == 1) return;
  for (const TextTerm& term : left) {
    if (is_variable(term)) {
      scanner_.fail(term.nodes.back().at, "a variable alone beside another pattern");
    }
  }
  std::vector<bool> is_linked(left.size());
  std::vector<size_t> to_visit = {0};
  is_linked[0] = true;
  while (!to_visit.empty()) {
    const size_t from = to_visit.back();
    to_visit.pop_back();
    for (size_t to = 0; to < left.size(); ++to) {
      if (is_linked[to] || !share_variable(left[from], left[to])) continue;
      is_linked[to] = true;
      to_visit.push_back(to);
    }
  }
  const size_t apart = std::ranges::find(is_linked, false) - is_linked.begin();
  if (apart == left.size()) return;
  scanner_.fail(left[apart].nodes.back().at, "this pattern shares no variable with the others");
}

void RuleReader::check_bound(const TextTerm& term, const std::vector<TextTerm>& left,
                             const char* where) const {
  for (const TextTerm::Node& node : term.nodes) {
    if (node.symbol != kNoId) continue;
    const bool is_bound = std::ranges::any_of(
        left, [&](const TextTerm& pattern) { return has_variable(pattern, node.variable); });
    if (!is_bound) {
      scanner_.fail(node.at, in_quotes(node.variable) + " does not stand on the " + where);
    }
  }
}

}  // namespace flipsat::egraph
