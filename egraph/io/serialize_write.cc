#include <nlohmann/json.hpp>

#include "egraph/io/serialize.h"

namespace flipsat::egraph {
namespace {

using Json = nlohmann::json;

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string write_serialized(const SerializedGraph& graph) {
  std::string text = "{\n\"nodes\": {";
  const char* separator = "\n";
  for (const SerializedGraph::Node& node : graph.nodes) {
    text += std::exchange(separator, ",\n") + json_text(node.id) + ": {\"op\": ";
    text += json_text(node.op) + ", \"children\": [";
    for (size_t i = 0; i < node.children.size(); ++i) {
      text += (i > 0 ? ", " : "") + json_text(graph.nodes[node.children[i]].id);
    }
    text += "], \"eclass\": " + json_text(graph.classes[node.cls]);
    text += ", \"cost\": " + json_text(node.cost);
    if (node.subsumed) text += ", \"subsumed\": true";
    text += '}';
  }
  text += "\n},\n\"root_eclasses\": [";
  for (size_t i = 0; i < graph.roots.size(); ++i) {
    text += (i > 0 ? ", " : "") + json_text(graph.classes[graph.roots[i]]);
  }
  text += "],\n\"class_data\": {";
  separator = "\n";
  for (const auto& [cls, type] : graph.types) {
    text += std::exchange(separator, ",\n") + json_text(graph.classes[cls]);
    text += ": {\"type\": " + json_text(type) + "}";
  }
  return text + (graph.types.empty() ? "}\n}\n" : "\n}\n}\n");
}

}  // namespace flipsat::egraph
