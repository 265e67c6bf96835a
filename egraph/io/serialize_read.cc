// Reads event by event, not into a tree: the order of nodes stays, members given twice are seen,
// and nothing is kept of what is skipped.
#include <nlohmann/json.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include "egraph/io/serialize.h"

namespace flipsat::egraph {
namespace {

// A name of a node that is looked up when all nodes are there.
struct NodeReference {
  uint32_t from;   // node
  uint32_t place;  // among its children
  std::string id;
};

class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  SerializedGraph finish() && {
    if (!has_nodes_) fail("there is no member \"nodes\"");
    for (const NodeReference& child : children_) {
      const auto it = node_ids_.find(child.id);
      if (it == node_ids_.end()) {
        fail_at(child.from, "its child " + in_quotes(child.id) + " is no node");
      }
      graph_.nodes[child.from].children[child.place] = it->second;
    }
    for (const std::string& root : roots_) graph_.roots.push_back(known_class(root, "root"));
    for (auto& [name, type] : types_) {
      const uint32_t cls = known_class(name, "class with data");
      if (!graph_.types.emplace(cls, std::move(type)).second) {
        fail("class " + in_quotes(name) + " has data twice");
      }
    }
    return std::move(graph_);
  }

  // ---- events ----
  bool start_object(size_t) override {
    switch (state()) {
      case State::kStart:
        return push(State::kTop);
      case State::kTop:
        if (key_ == "nodes") return push(State::kNodes);
        if (key_ == "class_data") return push(State::kClassData);
        return skipped_container();
      case State::kNodes:
        start_node();
        return push(State::kNode);
      case State::kClassData:
        class_name_ = key_;
        return push(State::kClass);
      default:
        return skipped_container();
    }
  }
  bool start_array(size_t) override {
    if (state() == State::kTop && key_ == "root_eclasses") return push(State::kRoots);
    if (state() == State::kNode && key_ == "children") {
      once(has_children_);
      return push(State::kChildren);
    }
    return skipped_container();
  }
  bool end_object() override {
    if (state() == State::kNode) end_node();
    return pop();
  }
  bool end_array() override { return pop(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    if (state() == State::kTop && key_ == "nodes") once(has_nodes_);
    if (state() == State::kTop && key_ == "root_eclasses") once(has_roots_);
    if (state() == State::kTop && key_ == "class_data") once(has_class_data_);
    return true;
  }
  bool string(string_t& value) override {
    switch (state()) {
      case State::kNode:
        if (key_ == "op") {
          once(has_op_);
          node().op = std::move(value);
          return true;
        }
        if (key_ == "eclass") {
          if (node().cls != kNoId) fail_twice();
          node().cls = class_of(value);
          return true;
        }
        return scalar();
      case State::kChildren:
        children_.push_back(
            {node_index(), static_cast<uint32_t>(node().children.size()), std::move(value)});
        node().children.push_back(kNoId);
        return true;
      case State::kRoots:
        roots_.push_back(std::move(value));
        return true;
      case State::kClass:
        if (key_ == "type") types_.emplace_back(class_name_, std::move(value));
        return true;
      default:
        return scalar();
    }
  }
  bool boolean(bool value) override {
    if (state() != State::kNode || key_ != "subsumed") return scalar();
    once(has_subsumed_);
    node().subsumed = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool null() override { return state() == State::kClass ? true : scalar(); }
  bool binary(binary_t&) override { return scalar(); }
  bool parse_error(size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception...] parse error at line L, column C: what is wrong"
    std::string message = error.what();
    const size_t colon = message.find(": ");
    if (colon != std::string::npos) message.erase(0, colon + 2);
    for (char& c : message) c = c >= ' ' && c <= '~' ? c : '?';
    const size_t at = std::min(byte > 0 ? byte - 1 : 0, text_.size());
    throw InputError(place_in(text_, at, file_), std::move(message));
  }

 private:
  enum class State : uint8_t {
    kStart,      // before everything
    kTop,        // in the outermost object
    kNodes,      // in "nodes"
    kNode,       // in one node
    kChildren,   // in a node's children
    kRoots,      // in "root_eclasses"
    kClassData,  // in "class_data"
    kClass,      // in one class's data
    kSkipped,    // in something that is none of these
  };

  State state() const { return skipped_ > 0 ? State::kSkipped : states_.back(); }
  bool push(State state) {
    states_.push_back(state);
    return true;
  }
  bool pop() {
    if (skipped_ > 0) {
      --skipped_;
    } else {
      states_.pop_back();
    }
    return true;
  }
  // An object or array where none of the format stands.
  bool skipped_container() {
    scalar();
    ++skipped_;
    return true;
  }
  // A value that may only stand where it is skipped: unknown members and the like.
  bool scalar() {
    switch (state()) {
      case State::kStart:
        fail("an object must stand here, with a member \"nodes\"");
      case State::kTop:
        if (key_ == "nodes" || key_ == "class_data") fail("\"" + key_ + "\" is no object");
        if (key_ == "root_eclasses") fail("\"root_eclasses\" is no array");
        return true;
      case State::kNodes:
        fail("node " + in_quotes(key_) + " is no object");
      case State::kNode:
        if (key_ == "op" || key_ == "eclass") fail_at_node("\"" + key_ + "\" is no string");
        if (key_ == "children") fail_at_node("\"children\" is no array");
        if (key_ == "cost") fail_at_node("\"cost\" is no number");
        if (key_ == "subsumed") fail_at_node("\"subsumed\" is not true or false");
        return true;
      case State::kChildren:
        fail_at_node("a child is no string");
      case State::kRoots:
        fail("a root is no string");
      case State::kClassData:
        fail("the data of class " + in_quotes(key_) + " are no object");
      case State::kClass:
        if (key_ == "type") fail("the type of class " + in_quotes(class_name_) + " is no string");
        return true;
      case State::kSkipped:
        return true;
    }
    return true;
  }
  bool number(double value) {
    if (state() != State::kNode || key_ != "cost") return scalar();
    once(has_cost_);
    node().cost = value;
    return true;
  }

  SerializedGraph::Node& node() { return graph_.nodes.back(); }
  uint32_t node_index() const { return static_cast<uint32_t>(graph_.nodes.size() - 1); }
  void start_node() {
    if (graph_.nodes.size() == kNoId) fail("more than 2^32 - 1 nodes");
    graph_.nodes.emplace_back().id = key_;
    if (!node_ids_.emplace(key_, node_index()).second) fail("two nodes named " + in_quotes(key_));
    has_op_ = has_children_ = has_cost_ = has_subsumed_ = false;
  }
  void end_node() {
    if (!has_op_) fail_at_node("it has no \"op\"");
    if (node().cls == kNoId) fail_at_node("it has no \"eclass\"");
  }
  uint32_t class_of(const std::string& name) {
    const auto [it, is_new] =
        class_names_.emplace(name, static_cast<uint32_t>(graph_.classes.size()));
    if (is_new) graph_.classes.push_back(name);
    return it->second;
  }
  uint32_t known_class(const std::string& name, const char* what) const {
    const auto it = class_names_.find(name);
    if (it == class_names_.end()) {
      fail(std::string("the ") + what + " " + in_quotes(name) + " has no nodes");
    }
    return it->second;
  }

  void once(bool& seen) {
    if (std::exchange(seen, true)) fail_twice();
  }
  [[noreturn]] void fail_twice() const {
    const std::string twice = "\"" + key_ + "\" is given twice";
    if (state() == State::kNode) fail_at_node(twice);
    fail(twice);
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, 0, 0}, message);
  }
  [[noreturn]] void fail_at(uint32_t node, const std::string& message) const {
    fail("node " + in_quotes(graph_.nodes[node].id) + ": " + message);
  }
  [[noreturn]] void fail_at_node(const std::string& message) const {
    fail_at(node_index(), message);
  }

  std::string_view text_;
  const std::string& file_;
  SerializedGraph graph_;
  std::vector<State> states_ = {State::kStart};
  size_t skipped_ = 0;  // how deep we are in what is skipped
  std::string key_;     // last seen
  std::string class_name_;
  bool has_nodes_ = false, has_roots_ = false, has_class_data_ = false;
  bool has_op_ = false, has_children_ = false, has_cost_ = false, has_subsumed_ = false;
  boost::unordered_flat_map<std::string, uint32_t> node_ids_, class_names_;  // look-up only
  std::vector<NodeReference> children_;
  std::vector<std::string> roots_;
  std::vector<std::pair<std::string, std::string>> types_;
};

}  // namespace

SerializedGraph read_serialized(std::string_view json, const std::string& file) {
  Reader reader(json, file);
  nlohmann::json::sax_parse(json, &reader);
  return std::move(reader).finish();
}

}  // namespace flipsat::egraph
