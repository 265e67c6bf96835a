#include "egraph/io/rule_reader.h"

namespace flipsat::egraph {
namespace {

constexpr size_t kMaxChildren = 32'767;  // of a node in an e-graph

std::string children_text(size_t count) {
  if (count == 0) return "no children";
  return std::to_string(count) + (count == 1 ? " child" : " children");
}

}  // namespace

TextTerm TermReader::read() {
  term_ = {};
  open_.clear();
  stack_.clear();
  do {
    if (!open_.empty()) scanner_.skip_blank_lines();
    if (scanner_.at_end() && !open_.empty()) {
      scanner_.fail(open_.back().at, "this parenthesis is never closed");
    }
    if (scanner_.peek() == '(') {
      open();
    } else if (scanner_.peek() == ')') {
      close();
    } else {
      bare_name();
    }
  } while (!open_.empty());
  return std::move(term_);
}

void TermReader::open() {
  const size_t at = scanner_.at();
  scanner_.skip(1);
  scanner_.skip_blank_lines();
  const size_t name_at = scanner_.at();
  const std::string_view name = scanner_.name();
  if (name.empty()) scanner_.fail(name_at, "a name must stand after '('");
  if (name[0] == '?') scanner_.fail(name_at, "a variable cannot be a head");
  open_.push_back({name, at, stack_.size()});
}

void TermReader::close() {
  if (open_.empty()) scanner_.fail(scanner_.at(), "no parenthesis is open that this could close");
  scanner_.skip(1);
  const Open open = open_.back();
  open_.pop_back();
  const size_t count = stack_.size() - open.first_on_stack;
  if (count > kMaxChildren) scanner_.fail(open.at, "more than 32,767 children");
  TextTerm::Node node;
  node.symbol = count == 0 ? leaf(open.head, open.at) : head(open, count);
  node.first_child = static_cast<uint32_t>(term_.children.size());
  node.child_count = static_cast<uint32_t>(count);
  node.at = open.at;
  term_.children.insert(term_.children.end(), stack_.end() - static_cast<ptrdiff_t>(count),
                        stack_.end());
  stack_.resize(open.first_on_stack);
  put(node);
}

void TermReader::bare_name() {
  const size_t at = scanner_.at();
  const std::string_view name = open_.empty() ? scanner_.name_before_comma() : scanner_.name();
  const bool is_arrow = open_.empty() && (name == "=>" || name == "<=>");
  const bool is_term = !name.empty() && name[0] != ';' && name[0] != '#' && !is_arrow;
  if (!is_term) scanner_.fail(at, "a term must stand here");
  TextTerm::Node node;
  node.at = at;
  if (name[0] == '?') {
    if (name.size() == 1) scanner_.fail(at, "a variable needs a name");
    node.variable = symbols_.variable(name);
  } else {
    node.symbol = leaf(name, at);
  }
  put(node);
}

void TermReader::put(TextTerm::Node node) {
  if (term_.nodes.size() == UINT32_MAX) scanner_.fail(node.at, "the term is too large");
  stack_.push_back(static_cast<uint32_t>(term_.nodes.size()));
  term_.nodes.push_back(node);
}

SymbolId TermReader::head(const Open& open, size_t children) {
  SymbolId symbol = symbols_.find_head(open.head);
  if (symbol == kNoId) {
    if (heads_ == Heads::kDeclared) {
      scanner_.fail(open.at, "there is no operator " + in_quotes(open.head));
    }
    if (symbols_.find_leaf(open.head) != kNoId) {
      scanner_.fail(open.at, in_quotes(open.head) + " had no children before, here it has " +
                                 children_text(children));
    }
    if (!symbols_.can_add_head()) scanner_.fail(open.at, "more than 65,535 heads");
    symbol = symbols_.head(open.head);
  }
  const uint32_t arity = symbols_.arity(symbol);
  if (arity == kNoId) symbols_.set_arity(symbol, static_cast<uint32_t>(children));
  if (arity != kNoId && arity != children) {
    scanner_.fail(open.at, in_quotes(open.head) + " has " + children_text(arity) +
                               ", here it has " + children_text(children));
  }
  return symbol;
}

SymbolId TermReader::leaf(std::string_view name, size_t at) {
  const SymbolId as_head = symbols_.find_head(name);
  if (as_head != kNoId && symbols_.arity(as_head) != kNoId) {
    scanner_.fail(at, in_quotes(name) + " has " + children_text(symbols_.arity(as_head)) +
                          ", here it has none");
  }
  return symbols_.leaf(name);
}

}  // namespace flipsat::egraph
