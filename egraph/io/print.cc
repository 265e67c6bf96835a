#include "egraph/io/print.h"

#include <algorithm>

namespace flipsat::egraph {
namespace {

// Writes terms over the chosen nodes with a stack of its own: they may be deep.
class TermWriter {
 public:
  TermWriter(const EGraph& graph, const Extraction& chosen, const NodeNames& names)
      : graph_(graph), chosen_(chosen), names_(names), let_(graph.node_bound()) {}

  std::string write(ClassId root, uint64_t max_nodes) {
    const std::vector<NodeId> nodes = chosen_.nodes(graph_, std::vector{root});
    if (size_written_out(nodes) > max_nodes) write_lets(nodes);
    term(nodes.back());
    return std::move(text_);
  }

 private:
  struct Open {
    NodeId node;
    uint32_t next_child;
  };

  // Stays at the largest number.
  uint64_t size_written_out(const std::vector<NodeId>& nodes) const {
    std::vector<uint64_t> sizes(graph_.node_bound());
    for (const NodeId node : nodes) {
      uint64_t size = 1;
      for (const ClassId child : graph_.children(node)) {
        const uint64_t more = sizes[node_of(child)];
        size = more > UINT64_MAX - size ? UINT64_MAX : size + more;
      }
      sizes[node] = size;
    }
    return sizes[nodes.back()];
  }

  void write_lets(const std::vector<NodeId>& nodes) {
    std::vector<uint32_t> uses(graph_.node_bound());
    for (const NodeId node : nodes) {
      for (const ClassId child : graph_.children(node)) ++uses[node_of(child)];
    }
    for (const NodeId node : nodes) {
      if (uses[node] < 2 || graph_.children(node).empty()) continue;
      const uint32_t number = ++lets_;
      text_ += "let $" + std::to_string(number) + " = ";
      term(node);
      text_ += '\n';
      let_[node] = number;
    }
  }

  void term(NodeId root) {
    open(root);
    while (!stack_.empty()) {
      Open& top = stack_.back();
      const auto children = graph_.children(top.node);
      if (top.next_child == children.size()) {
        text_ += ')';
        stack_.pop_back();
      } else {
        text_ += ' ';
        open(node_of(children[top.next_child++]));
      }
    }
  }

  void open(NodeId node) {
    if (let_[node] != 0) {
      text_ += '$' + std::to_string(let_[node]);
      return;
    }
    const bool has_children = !graph_.children(node).empty();
    if (has_children) text_ += '(';
    text_ += printed_name(names_(node));
    if (has_children) stack_.push_back({node, 0});
  }

  NodeId node_of(ClassId cls) const { return chosen_.node(graph_.find(cls)); }

  const EGraph& graph_;
  const Extraction& chosen_;
  const NodeNames& names_;
  std::vector<uint32_t> let_;  // by node: the number of its line, from 1
  uint32_t lets_ = 0;
  std::vector<Open> stack_;
  std::string text_;
};

}  // namespace

NodeNames names_of(const EGraph& graph, const Symbols& symbols) {
  return [&](NodeId node) { return std::string(symbols.name(graph, node)); };
}

std::string to_string(const EGraph& graph, NodeId node, const NodeNames& names) {
  std::string text = printed_name(names(node));
  if (graph.children(node).empty()) return text;
  for (const ClassId child : graph.children(node)) text += " #" + std::to_string(child);
  return "(" + text + ")";
}

std::string term_text(const EGraph& graph, const Extraction& chosen, ClassId root,
                      const NodeNames& names, uint64_t max_nodes) {
  return TermWriter(graph, chosen, names).write(root, max_nodes);
}

std::string printed_name(std::string name) {
  const auto is_plain = [](unsigned char c) {
    return c > ' ' && c != 0x7F && c != '(' && c != ')' && c != '"';
  };
  if (!name.empty() && std::ranges::all_of(name, is_plain)) return name;
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return text + '"';
}

}  // namespace flipsat::egraph
