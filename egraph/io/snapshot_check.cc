#include "egraph/io/snapshot_check.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace flipsat::egraph {
namespace {

void require(bool holds, const char* fault) {
  if (!holds) throw std::runtime_error(fault);
}
void require(bool holds, const char* fault, uint64_t id) {
  if (!holds) throw std::runtime_error(std::string(fault) + " (id " + std::to_string(id) + ")");
}

class Checker {
 public:
  explicit Checker(const Arrays& arrays)
      : a_(arrays), nodes_(static_cast<uint32_t>(arrays.records_.size())) {}

  void run() {
    check_sizes();
    check_records();
    check_names();
    check_circles();
    check_parent_lists();
    check_children_are_older();
    check_queues();
  }

 private:
  static constexpr uint32_t kMaxEpoch = UINT32_MAX >> NodeRecord::kEpochShift;
  static constexpr uint32_t kNodesOfBlock = 1u << Arrays::kBlockShift;

  void check_sizes() const {
    require(nodes_ <= Arrays::kMaxNodes, "there are more nodes than fit");
    require(a_.words_.size() == nodes_, "there are not as many names as nodes");
    require(a_.class_links_.size() == nodes_, "there are not as many class links as nodes");
    require(a_.parent_links_.size() == nodes_, "there are not as many parent links as nodes");
    require(a_.untidy_.size() == (nodes_ + 63) / 64, "there are not as many untidy marks as nodes");
    require(a_.block_epochs_.size() == (nodes_ + kNodesOfBlock - 1) / kNodesOfBlock,
            "there are not as many epochs of blocks as blocks");
    const size_t wide = a_.wide_children_.size();
    require(wide < Arrays::kNoEntry - Arrays::kWideEntry, "there are more wide children than fit");
    require(a_.wide_links_.size() == wide && a_.wide_owners_.size() == wide,
            "there are not as many links or owners as children of wide nodes");
    require(a_.epoch_ >= 1 && a_.epoch_ <= kMaxEpoch, "the epoch is out of range");
    for (const uint32_t epoch : a_.block_epochs_) {
      require(epoch <= a_.epoch_, "a block is newer than the epoch");
    }
  }

  bool is_unordered(Kind kind) const {
    return kind < a_.is_unordered_.size() && a_.is_unordered_[kind] != 0;
  }
  std::span<const ClassId> children(NodeId node) const {
    const NodeRecord& record = a_.records_[node];
    if (record.is_wide()) return {a_.wide_children_.data() + record.first, record.second};
    return {&record.first, record.arity_code()};
  }

  void check_records() {
    uint64_t pool = 0;  // used by the nodes so far
    for (NodeId node = 0; node < nodes_; ++node) {
      const NodeRecord& record = a_.records_[node];
      require(record.op < a_.operators_.size(), "a node has no such operator", node);
      const bool unordered = is_unordered(a_.operators_.kind(record.op));
      stale_ += record.is_live() ? 0 : 1;
      if (record.is_wide()) {
        require(record.first == pool && record.second <= a_.wide_children_.size() - pool,
                "a wide node's children are not its own", node);
        require(unordered || record.second > 2, "a wide node has few children", node);
        for (uint32_t i = 0; i < record.second; ++i) {
          require(a_.wide_owners_[pool + i] == node, "a wide child has another owner", node);
        }
        pool += record.second;
      } else {
        require(!unordered, "a node of an unordered kind is not wide", node);
        const uint32_t arity = record.arity_code();
        require(arity > 0 || record.first == kNoId, "a node has a child too many", node);
        require(arity > 1 || record.second == kNoId, "a node has a child too many", node);
      }
      for (const ClassId child : children(node)) {
        require(child < nodes_, "a child is no class", node);
      }
    }
    require(pool == a_.wide_children_.size(), "a wide child is no node's");
  }

  bool is_root(ClassId name) const { return (a_.words_[name] & Arrays::kRoot) != 0; }
  ClassId find(ClassId name) const { return is_root(name) ? name : a_.words_[name]; }
  bool is_entry(Entry entry) const {
    if (entry == Arrays::kNoEntry) return true;
    if (entry >= Arrays::kWideEntry) return entry - Arrays::kWideEntry < a_.wide_links_.size();
    return entry >> 1 < nodes_;
  }

  void check_names() const {
    for (NodeId node = 0; node < nodes_; ++node) {
      const uint32_t word = a_.words_[node];
      if (is_root(node)) {
        require(is_entry(word & ~Arrays::kRoot), "a list of parents begins nowhere", node);
      } else {
        require(word < nodes_ && is_root(word), "a node's name is no class", node);
      }
      require(is_entry(a_.parent_links_[node][0]) && is_entry(a_.parent_links_[node][1]),
              "a list of parents goes on nowhere", node);
    }
    for (const Entry link : a_.wide_links_) {
      require(is_entry(link), "a list of parents goes on nowhere");
    }
  }

  // Every node stands in the circle of its class, or is stale and a circle of its own.
  void check_circles() const {
    std::vector<uint8_t> is_listed(nodes_);
    for (ClassId cls = 0; cls < nodes_; ++cls) {
      require(a_.class_links_[cls].next < nodes_, "a class goes on nowhere", cls);
    }
    for (ClassId cls = 0; cls < nodes_; ++cls) {
      if (!is_root(cls)) continue;
      NodeId node = cls;
      do {
        require(find(node) == cls, "a node stands in a class that is not its own", node);
        require(is_listed[node] == 0, "a class lists a node twice", node);
        is_listed[node] = 1;
        node = a_.class_links_[node].next;
      } while (node != cls);
    }
    for (NodeId node = 0; node < nodes_; ++node) {
      if (is_listed[node] != 0) continue;
      require(!a_.records_[node].is_live(), "a live node is in no class", node);
      require(a_.class_links_[node].next == node, "a node that was taken out goes on", node);
    }
  }

  void check_parent_lists() const {
    std::vector<uint8_t> is_listed(2 * size_t{nodes_}), is_wide_listed(a_.wide_links_.size());
    for (ClassId cls = 0; cls < nodes_; ++cls) {
      if (!is_root(cls)) continue;
      for (Entry entry = a_.words_[cls] & ~Arrays::kRoot; entry != Arrays::kNoEntry;) {
        const bool is_wide = entry >= Arrays::kWideEntry;
        const uint32_t at = is_wide ? entry - Arrays::kWideEntry : entry;
        const NodeId parent = is_wide ? a_.wide_owners_[at] : at >> 1;
        const NodeRecord& record = a_.records_[parent];
        require(record.is_wide() == is_wide && (is_wide || (at & 1) < record.arity_code()),
                "a class lists a parent that has no such child", parent);
        uint8_t& listed = is_wide ? is_wide_listed[at] : is_listed[at];
        require(listed == 0, "parents are listed twice", parent);
        listed = 1;
        const ClassId child = is_wide ? a_.wide_children_[at] : (&record.first)[at & 1];
        require(find(child) == cls, "a class lists a parent of another", parent);
        entry = is_wide ? a_.wide_links_[at] : a_.parent_links_[at >> 1][at & 1];
      }
    }
  }

  // A node was made of what was there, so that every class has a finite term.
  void check_children_are_older() const {
    std::vector<NodeId> oldest(nodes_, kNoId);  // by class
    for (NodeId node = 0; node < nodes_; ++node) {
      for (const ClassId child : children(node)) {
        require(oldest[find(child)] != kNoId, "a node is older than its child", node);
      }
      NodeId& first = oldest[find(node)];
      if (first == kNoId) first = node;
    }
  }

  void check_queues() const {
    require(a_.untidy_nodes_ <= stale_, "more nodes are untidy than stale");
    if (nodes_ % 64 != 0) {
      require(a_.untidy_.back() >> (nodes_ % 64) == 0, "what is no class is untidy");
    }
    for (const ClassId name : a_.to_modify_) {
      require(name < nodes_, "what is no class waits for the analysis", name);
    }
  }

  const Arrays& a_;
  const uint32_t nodes_;
  uint64_t stale_ = 0;
};

// The unions once more, in their order.
class Replay {
 public:
  explicit Replay(const Arrays& arrays) : a_(arrays), above_(arrays.records_.size()) {
    for (NodeId node = 0; node < above_.size(); ++node) above_[node] = node;
  }

  void run() {
    const std::span<const Union> unions = a_.history_.unions;
    for (const Union& made : unions) {
      require(made.a < above_.size() && made.b < above_.size(), "a union is of no nodes");
      require(made.match == kNoId || made.match < a_.history_.matches.size(),
              "a union's match is not there", made.a);
      const NodeId a = find(made.a), b = find(made.b);
      require(a != b, "a union is of equal nodes", made.a);
      if (made.reason == kCongruence) {
        require(are_congruent(made.a, made.b), "a congruence is none", made.a);
      }
      above_[a] = b;
    }
    // Unions in one class each, and as many as make these classes: they are these classes.
    for (const Union& made : unions) {
      require(name(made.a) == name(made.b), "a union is of two classes", made.a);
    }
    require(unions.size() + a_.live_classes_ == above_.size(),
            "there are not as many unions as "
            "make these classes");
  }

 private:
  ClassId name(NodeId node) const {
    return (a_.words_[node] & Arrays::kRoot) != 0 ? node : a_.words_[node];
  }
  NodeId find(NodeId node) {
    while (above_[node] != node) node = above_[node] = above_[above_[node]];
    return node;
  }
  std::vector<NodeId> children(NodeId node) {
    std::vector<NodeId> names;
    for (const NodeId child : a_.history_.written(node)) names.push_back(find(child));
    return names;
  }
  bool are_congruent(NodeId a, NodeId b) {
    if (a_.records_[a].op != a_.records_[b].op) return false;
    std::vector<NodeId> of_a = children(a), of_b = children(b);
    const Kind kind = a_.operators_.kind(a_.records_[a].op);
    if (kind < a_.is_unordered_.size() && a_.is_unordered_[kind] != 0) {
      std::ranges::sort(of_a);
      std::ranges::sort(of_b);
    }
    return of_a == of_b;
  }

  const Arrays& a_;
  std::vector<NodeId> above_;
};

}  // namespace

void check_arrays(const Arrays& arrays) { Checker(arrays).run(); }

void check_history(const Arrays& arrays) {
  const History& history = arrays.history_;
  if (!history.is_kept) {
    require(history.origins.empty() && history.children.empty() && history.first_child.empty() &&
                history.unions.empty() && history.matches.empty(),
            "there is a history that is not kept");
    return;
  }
  const auto nodes = static_cast<uint32_t>(arrays.records_.size());
  require(history.origins.size() == nodes, "there are not as many origins as nodes");
  require(history.first_child.size() == size_t{nodes} + 1 && history.first_child[0] == 0 &&
              history.first_child.back() == history.children.size() &&
              std::ranges::is_sorted(history.first_child),
          "the children of the history are not the nodes'");
  const auto find = [&](NodeId node) {
    return (arrays.words_[node] & Arrays::kRoot) != 0 ? node : arrays.words_[node];
  };
  for (NodeId node = 0; node < nodes; ++node) {
    const NodeRecord& record = arrays.records_[node];
    const std::span<const NodeId> written = history.written(node);
    const ClassId* const now =
        record.is_wide() ? arrays.wide_children_.data() + record.first : &record.first;
    require(written.size() == (record.is_wide() ? record.second : record.arity_code()),
            "a node was written with other children", node);
    for (size_t i = 0; i < written.size(); ++i) {
      require(written[i] < node, "a node was written with a newer child", node);
      require(find(written[i]) == find(now[i]), "a node was written with another child", node);
    }
  }
  for (const uint32_t value : history.matches) {
    require(value == kNoId || value < nodes, "a match has what is no node");
  }
  Replay(arrays).run();
}

}  // namespace flipsat::egraph
