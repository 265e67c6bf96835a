#include "egraph/io/workload.h"

#include <algorithm>
#include <stdexcept>

namespace flipsat::egraph {
namespace {

[[noreturn]] void refuse_name(std::string_view name) {
  throw std::invalid_argument("the name '" + std::string(name) + "' cannot stand in a workload");
}

void check_word(std::string_view name) {
  if (name.empty() || name.find_first_of(" \t\r\n") != std::string_view::npos) refuse_name(name);
}

void check_rule_name(std::string_view name) {
  check_word(name);
  if (name.find_first_of("()") != std::string_view::npos) refuse_name(name);
}

void check_term(const TextTerm& term, const Symbols& symbols) {
  for (const TextTerm::Node& node : term.nodes) {
    if (node.symbol == kNoId) continue;
    const std::string_view name = symbols.name(node.symbol);
    check_rule_name(name);
    if (name.find_first_of(";#?") == 0) refuse_name(name);
  }
}

std::string rule_line(const TextRule& rule, const Symbols& symbols) {
  check_rule_name(rule.name);
  for (const TextTerm& pattern : rule.left) check_term(pattern, symbols);
  check_term(rule.right, symbols);
  const char* colon = rule.name.ends_with(':') ? ": " : " : ";
  return "rule " + rule.name + colon + to_string(rule, symbols) + '\n';
}

}  // namespace

void WorkloadFile::drop_start_nodes() {
  std::vector<SymbolId>().swap(start);
  std::vector<uint32_t>{0}.swap(first_child);
  std::vector<uint32_t>().swap(children);
  std::vector<uint32_t>().swap(roots);
}

std::vector<Cost> WorkloadFile::cost_of_symbols() const {
  std::vector<Cost> result(symbols.size());
  for (SymbolId symbol = 0; symbol < symbols.size(); ++symbol) {
    result[symbol] = symbols.is_leaf(symbol) ? leaf_cost : 1;
  }
  for (size_t i = 0; i < operators.size(); ++i) result[operators[i]] = costs[i];
  return result;
}

std::string write_workload(const WorkloadFile& workload) {
  const Symbols& symbols = workload.symbols;
  std::string text;
  const auto limit = [&](const char* item, uint64_t value) {
    if (value != Limits::kNone) text += std::string(item) + ' ' + std::to_string(value) + '\n';
  };
  if (!workload.name.empty()) {
    check_word(workload.name);
    text += "workload " + workload.name + '\n';
  }
  limit("iters", workload.iterations);
  limit("nodes", workload.nodes);
  for (size_t i = 0; i < workload.operators.size(); ++i) {
    const SymbolId op = workload.operators[i];
    check_word(symbols.name(op));
    text += "op " + std::string(symbols.name(op)) + ' ' + std::to_string(symbols.arity(op)) + ' ' +
            std::to_string(workload.costs[i]) + '\n';
  }
  text += "leafcost " + std::to_string(workload.leaf_cost) + '\n';
  for (const TextRule& rule : workload.rules) text += rule_line(rule, symbols);
  for (size_t node = 0; node < workload.start.size(); ++node) {
    check_word(symbols.name(workload.start[node]));
    text += "n ";
    text += symbols.name(workload.start[node]);
    for (const uint32_t child : workload.children_of(node)) text += ' ' + std::to_string(child);
    text += '\n';
  }
  for (const uint32_t root : workload.roots) text += "root " + std::to_string(root) + '\n';
  return text;
}

LoadedNodes load(const WorkloadFile& workload, EGraph& graph, size_t count) {
  count = std::min(count, workload.start.size());
  const std::vector<OperatorId> ops = workload.symbols.intern_all(graph);
  graph.reserve(graph.node_bound() + count, workload.first_child[count]);
  LoadedNodes loaded;
  loaded.nodes.resize(count);
  std::vector<ClassId> children;
  const auto name_children = [&](size_t node) {
    children.clear();
    for (const uint32_t child : workload.children_of(node)) {
      children.push_back(loaded.nodes[child]);
    }
  };
  constexpr size_t kAhead = 12;
  const auto is_loaded = [&](size_t before) {
    return [before](uint32_t child) { return child < before; };
  };
  for (size_t node = 0; node < count; ++node) {
    const size_t ahead = node + kAhead;
    if (ahead < count && std::ranges::all_of(workload.children_of(ahead), is_loaded(node))) {
      name_children(ahead);
      graph.expect(ops[workload.start[ahead]], children);
    }
    name_children(node);
    loaded.nodes[node] = graph.add(ops[workload.start[node]], children);
  }
  for (const uint32_t root : workload.roots) {
    if (root < count) loaded.roots.push_back(loaded.nodes[root]);
  }
  return loaded;
}

}  // namespace flipsat::egraph
