#include "egraph/io/text.h"

#include "egraph/io/rule_reader.h"

namespace flipsat::egraph {
namespace {

Pattern pattern_of(const TextTerm& term, const Symbols& symbols, EGraph& graph) {
  std::vector<Pattern> made;
  made.reserve(term.nodes.size());
  for (const TextTerm::Node& node : term.nodes) {
    if (node.symbol == kNoId) {
      made.emplace_back(ClassVar{node.variable});
      continue;
    }
    std::vector<Pattern> children;
    children.reserve(node.child_count);
    for (const uint32_t child : term.children_of(node)) {
      children.push_back(std::move(made[child]));
    }
    made.push_back(exact(symbols.intern(graph, node.symbol), std::move(children)));
  }
  return std::move(made.back());
}

}  // namespace

TextTerm read_term(std::string_view text, const std::string& file, Symbols& symbols) {
  Scanner scanner(text, file);
  scanner.skip_blank_lines();
  TextTerm term = TermReader(scanner, symbols, Heads::kOnFirstUse).read();
  scanner.skip_blank_lines();
  if (!scanner.at_end()) scanner.fail(scanner.at(), "the term must end here");
  for (const TextTerm::Node& node : term.nodes) {
    if (node.symbol == kNoId) scanner.fail(node.at, "a variable stands in a term without rules");
  }
  return term;
}

std::vector<TextRule> read_rules(std::string_view text, const std::string& file, Symbols& symbols,
                                 std::span<const TextRule> known) {
  Scanner scanner(text, file);
  RuleReader reader(scanner, symbols, Heads::kOnFirstUse);
  reader.take_names(known);
  std::vector<TextRule> rules;
  for (scanner.skip_blank_lines(); !scanner.at_end(); scanner.skip_blank_lines()) {
    reader.read(rules);
  }
  return rules;
}

ClassId add_term(EGraph& graph, const TextTerm& term, const Symbols& symbols) {
  std::vector<ClassId> classes;
  classes.reserve(term.nodes.size());
  std::vector<ClassId> children;
  for (const TextTerm::Node& node : term.nodes) {
    children.clear();
    for (const uint32_t child : term.children_of(node)) children.push_back(classes[child]);
    classes.push_back(graph.add(symbols.intern(graph, node.symbol), children));
  }
  return classes.back();
}

RuleSet make_rules(std::span<const TextRule> rules, const Symbols& symbols, EGraph& graph) {
  const auto pattern = [&](const TextTerm& term) { return pattern_of(term, symbols, graph); };
  RuleSet made;
  for (const TextRule& text : rules) {
    Rule rule(text.name, pattern(text.left.front()));
    for (size_t i = 1; i < text.left.size(); ++i) rule.also(pattern(text.left[i]));
    rule.to(pattern(text.right));
    made.add(std::move(rule));
  }
  return made;
}

std::string to_string(const TextTerm& term, const Symbols& symbols) {
  if (term.nodes.size() == 1 && term.nodes[0].symbol != kNoId) {
    const std::string name(symbols.name(term.nodes[0].symbol));
    // Bare and alone it would be read as what separates terms.
    const bool is_separator = name == "=>" || name == "<=>" || name.find(',') != std::string::npos;
    return is_separator ? "(" + name + ")" : name;
  }
  struct Open {
    uint32_t node;
    uint32_t next_child;
  };
  std::string text;
  std::vector<Open> stack;
  const auto open = [&](uint32_t index) {
    const TextTerm::Node& node = term.nodes[index];
    if (node.child_count > 0) {
      text += '(';
      stack.push_back({index, 0});
    }
    text += node.symbol == kNoId ? node.variable : symbols.name(node.symbol);
  };
  open(static_cast<uint32_t>(term.nodes.size() - 1));
  while (!stack.empty()) {
    Open& top = stack.back();
    const std::span<const uint32_t> children = term.children_of(term.nodes[top.node]);
    if (top.next_child == children.size()) {
      text += ')';
      stack.pop_back();
    } else {
      text += ' ';
      open(children[top.next_child++]);
    }
  }
  return text;
}

std::string to_string(const TextRule& rule, const Symbols& symbols) {
  std::string text;
  for (const TextTerm& pattern : rule.left) {
    if (!text.empty()) text += ", ";
    text += to_string(pattern, symbols);
  }
  return text + " => " + to_string(rule.right, symbols);
}

}  // namespace flipsat::egraph
