#include "egraph/io/graphviz.h"

#include <algorithm>
#include <map>

namespace flipsat::egraph {
namespace {

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return text;
}

class Drawing {
 public:
  Drawing(const EGraph& graph, const NodeNames& names, const GraphvizOptions& options)
      : graph_(graph), names_(names), options_(options) {}

  std::string text() && {
    choose();
    text_ = "digraph egraph {\n  compound=true;\n  node [shape=box, style=rounded];\n";
    for (const auto& [cls, nodes] : shown_) draw_class(cls, nodes);
    for (const auto& [cls, nodes] : shown_) {
      for (const NodeId node : nodes) draw_children(node);
    }
    for (const auto& [cls, nodes] : shown_) draw_edges(cls);
    draw_what_is_left_out();
    return std::move(text_) + "}\n";
  }

 private:
  // Classes breadth first from the roots, then by age; as many as there is room for.
  void choose() {
    std::vector<ClassId> order;
    std::vector<bool> is_seen(graph_.node_bound());
    const auto visit = [&](ClassId name) {
      const ClassId cls = graph_.find(name);
      if (!is_seen[cls]) order.push_back(cls);
      is_seen[cls] = true;
    };
    size_t next = 0;
    size_t room = options_.max_nodes;
    const auto show_visited = [&] {
      for (; next < order.size() && room > 0; ++next) {
        std::vector<NodeId> nodes = sorted_nodes(order[next]);
        nodes.resize(std::min(nodes.size(), room));
        room -= nodes.size();
        for (const NodeId node : nodes) {
          for (const ClassId child : graph_.children(node)) visit(child);
        }
        shown_nodes_ += nodes.size();
        shown_.emplace(order[next], std::move(nodes));
      }
    };
    for (const ClassId root : options_.roots) visit(root);
    show_visited();
    for (const ClassId cls : graph_.classes()) {
      if (room == 0) break;
      visit(cls);
      show_visited();
    }
  }

  std::vector<NodeId> sorted_nodes(ClassId cls) const {
    std::vector<NodeId> nodes;
    for (const NodeId node : graph_.nodes(cls)) {
      if (graph_.is_live(node)) nodes.push_back(node);
    }
    std::ranges::sort(nodes);
    return nodes;
  }

  void draw_class(ClassId cls, const std::vector<NodeId>& nodes) {
    const std::string id = std::to_string(cls);
    text_ += "  subgraph cluster_" + id + " {\n    label=\"#" + id;
    if (const size_t all = sorted_nodes(cls).size(); all > nodes.size()) {
      text_ += " and " + std::to_string(all - nodes.size()) + " more nodes";
    }
    text_ += "\";\n";
    for (const NodeId node : nodes) {
      text_ += "    n" + std::to_string(node) + " [label=\"" + escaped(names_(node)) + "\"];\n";
    }
    text_ += "  }\n";
  }

  void draw_children(NodeId node) {
    const auto children = graph_.children(node);
    for (size_t i = 0; i < children.size(); ++i) {
      const std::string place = children.size() > 1 ? ", taillabel=" + std::to_string(i) : "";
      draw_arrow(node, graph_.find(children[i]), place);
    }
  }

  void draw_edges(ClassId cls) {
    for (const Edge& edge : graph_.edges(cls)) {
      draw_arrow(shown_.at(cls).front(), graph_.find(edge.to),
                 ", style=dashed, ltail=cluster_" + std::to_string(cls));
    }
  }

  // Arrows to classes must end at one of their nodes; `lhead` cuts them off at the box.
  void draw_arrow(NodeId from, ClassId to, const std::string& attributes) {
    const auto target = shown_.find(to);
    text_ += "  n" + std::to_string(from) + " -> ";
    if (target == shown_.end()) {
      leads_out_ = true;
      text_ += "left_out [" + attributes.substr(std::min<size_t>(attributes.size(), 2)) + "];\n";
      return;
    }
    const bool is_own_class = graph_.find(from) == to;
    text_ += "n" + std::to_string(target->second.front()) + " [";
    text_ += is_own_class ? attributes.substr(std::min<size_t>(attributes.size(), 2))
                          : "lhead=cluster_" + std::to_string(to) + attributes;
    text_ += "];\n";
  }

  void draw_what_is_left_out() {
    const uint64_t nodes = graph_.node_count() - shown_nodes_;
    const uint64_t classes = graph_.class_count() - shown_.size();
    if (nodes == 0 && !leads_out_) return;
    text_ += "  left_out [shape=plaintext, label=\"left out: " + std::to_string(nodes) +
             " nodes, " + std::to_string(classes) + " classes\"];\n";
  }

  const EGraph& graph_;
  const NodeNames& names_;
  const GraphvizOptions& options_;
  std::map<ClassId, std::vector<NodeId>> shown_;
  uint64_t shown_nodes_ = 0;
  bool leads_out_ = false;
  std::string text_;
};

}  // namespace

std::string graphviz(const EGraph& graph, const NodeNames& names, const GraphvizOptions& options) {
  return Drawing(graph, names, options).text();
}

}  // namespace flipsat::egraph
