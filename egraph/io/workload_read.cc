
#include "egraph/io/rule_reader.h"
#include "egraph/io/workload.h"

namespace flipsat::egraph {
namespace {

constexpr size_t kMaxChildren = 32'767;  // of a node in an e-graph

class Reader {
 public:
  Reader(std::string_view text, const std::string& file)
      : scanner_(text, file), rules_(scanner_, workload_.symbols, Heads::kDeclared) {
    // What a start node's line is at least as long as.
    workload_.start.reserve(text.size() / 16);
    workload_.first_child.reserve(text.size() / 16 + 1);
    workload_.children.reserve(text.size() / 8);
  }

  WorkloadFile read() && {
    while (!scanner_.at_end()) {
      scanner_.skip_blanks_and_comment();
      if (!scanner_.at_line_end()) item();
      scanner_.skip_line();
    }
    return std::move(workload_);
  }

 private:
  void item() {
    const size_t at = scanner_.at();
    const std::string_view word = scanner_.word();
    if (word == "n") return start_node();
    if (word == "root") {
      workload_.roots.push_back(earlier_node(next()));
    } else if (word == "rule") {
      next();
      rules_.read(workload_.rules);
    } else if (word == "op") {
      declare();
    } else if (word == "leafcost") {
      workload_.leaf_cost = number(next());
    } else if (word == "iters") {
      workload_.iterations = number(next());
    } else if (word == "nodes") {
      workload_.nodes = number(next());
    } else if (word == "workload") {
      workload_.name = name(next());
    } else {
      scanner_.fail(at, "there is no item " + in_quotes(word));
    }
    end_of_line();
  }

  void start_node() {
    const size_t at = next();
    const std::string_view op = name(at);
    const size_t first = workload_.children.size();
    for (scanner_.skip_blanks(); !scanner_.at_line_end(); scanner_.skip_blanks()) {
      workload_.children.push_back(earlier_node(scanner_.at()));
    }
    const size_t count = workload_.children.size() - first;
    if (count > kMaxChildren) scanner_.fail(at, "more than 32,767 children");
    if (workload_.children.size() > UINT32_MAX || workload_.start.size() >= kNoId) {
      scanner_.fail(at, "more than 2^32 start nodes or children");
    }
    workload_.start.push_back(symbol(op, count, at));
    workload_.first_child.push_back(static_cast<uint32_t>(workload_.children.size()));
  }

  SymbolId symbol(std::string_view op, size_t children, size_t at) {
    Symbols& symbols = workload_.symbols;
    const SymbolId head = symbols.find_head(op);
    if (head == kNoId && children == 0) return symbols.leaf(op);
    if (head == kNoId) scanner_.fail(at, "there is no operator " + in_quotes(op));
    if (symbols.arity(head) != children) {
      scanner_.fail(at, in_quotes(op) + " is declared with " + std::to_string(symbols.arity(head)) +
                            " children, here it has " + std::to_string(children));
    }
    return head;
  }

  void declare() {
    const size_t at = next();
    const std::string_view op = name(at);
    const size_t arity_at = next();
    const uint64_t arity = number(arity_at);
    if (arity > kMaxChildren) scanner_.fail(arity_at, "more than 32,767 children");
    const Cost cost = number(next());
    Symbols& symbols = workload_.symbols;
    if (symbols.find_head(op) != kNoId || symbols.find_leaf(op) != kNoId) {
      scanner_.fail(at, in_quotes(op) + " is declared or used before");
    }
    if (!symbols.can_add_head()) scanner_.fail(at, "more than 65,535 operators");
    const SymbolId symbol = arity == 0 ? symbols.leaf(op) : symbols.head(op);
    symbols.set_arity(symbol, static_cast<uint32_t>(arity));
    workload_.operators.push_back(symbol);
    workload_.costs.push_back(cost);
  }

  // Where the line's next word begins.
  size_t next() {
    scanner_.skip_blanks();
    return scanner_.at();
  }

  std::string_view name(size_t at) {
    const std::string_view word = scanner_.word();
    if (word.empty()) scanner_.fail(at, "a name must stand here");
    return word;
  }

  uint64_t number(size_t at) {
    uint64_t value = 0;
    const std::string_view word = scanner_.word();
    if (word.empty()) scanner_.fail(at, "a number must stand here");
    for (const char c : word) {
      const uint64_t digit = static_cast<uint64_t>(c) - '0';
      if (digit > 9) scanner_.fail(at, in_quotes(word) + " is not a number");
      if (value > (UINT64_MAX - digit) / 10) scanner_.fail(at, in_quotes(word) + " is too large");
      value = value * 10 + digit;
    }
    return value;
  }

  uint32_t earlier_node(size_t at) {
    const uint64_t node = number(at);
    if (node >= workload_.start.size()) {
      scanner_.fail(at, "there is no start node " + std::to_string(node) + " above");
    }
    return static_cast<uint32_t>(node);
  }

  void end_of_line() {
    scanner_.skip_blanks();
    if (!scanner_.at_line_end()) scanner_.fail(scanner_.at(), "the line must end here");
  }

  Scanner scanner_;
  WorkloadFile workload_;
  RuleReader rules_;
};

}  // namespace

WorkloadFile read_workload(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace flipsat::egraph
