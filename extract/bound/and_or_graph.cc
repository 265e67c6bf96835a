#include "extract/bound/and_or_graph.h"

#include <functional>
#include <queue>

#include "extract/saturating.h"

namespace flipsat::extract {

AndOrGraph::Class AndOrGraph::add_class(std::vector<AndOrNode> nodes) {
  classes_.push_back(std::move(nodes));
  return static_cast<Class>(classes_.size() - 1);
}

std::vector<AndOrGraph::Class> AndOrGraph::order() const {
  std::vector<Class> order;
  std::vector<bool> seen(classes_.size());
  struct Frame {
    Class cls;
    size_t node = 0, child = 0;
  };
  std::vector<Frame> stack;
  auto enter = [&](Class cls) {
    if (seen[cls]) return;
    seen[cls] = true;
    stack.push_back({cls});
  };
  for (Class root : roots_) {
    enter(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const auto& nodes = classes_[frame.cls];
      if (frame.node == nodes.size()) {
        order.push_back(frame.cls);
        stack.pop_back();
      } else if (frame.child == nodes[frame.node].children.size()) {
        ++frame.node;
        frame.child = 0;
      } else {
        enter(nodes[frame.node].children[frame.child++]);
      }
    }
  }
  return order;
}

std::vector<bool> AndOrGraph::forced() const {
  std::vector<bool> forced(classes_.size());
  std::vector<Class> open;
  auto force = [&](Class cls) {
    if (forced[cls]) return;
    forced[cls] = true;
    open.push_back(cls);
  };
  for (Class root : roots_) force(root);
  while (!open.empty()) {
    const Class cls = open.back();
    open.pop_back();
    if (classes_[cls].size() != 1) continue;
    for (Class child : classes_[cls][0].children) force(child);
  }
  return forced;
}

Heights::Heights(const AndOrGraph& graph) {
  const auto count = static_cast<AndOrGraph::Class>(graph.class_count());
  first_user_.assign(count + 1, 0);
  for (AndOrGraph::Class cls = 0; cls < count; ++cls) {
    for (const AndOrNode& node : graph.nodes(cls)) {
      class_of_node_.push_back(cls);
      children_of_node_.push_back(static_cast<uint32_t>(node.children.size()));
      for (uint32_t child : node.children) ++first_user_[child + 1];
    }
  }
  for (size_t i = 1; i < first_user_.size(); ++i) first_user_[i] += first_user_[i - 1];
  users_.resize(first_user_.back());
  std::vector<uint32_t> next(first_user_.begin(), first_user_.end() - 1);
  uint32_t number = 0;
  for (AndOrGraph::Class cls = 0; cls < count; ++cls) {
    for (const AndOrNode& node : graph.nodes(cls)) {
      for (uint32_t child : node.children) users_[next[child]++] = number;
      ++number;
    }
  }
}

std::vector<int64_t> Heights::of(const std::vector<int64_t>& weights) const {
  std::vector<uint32_t> missing = children_of_node_;
  std::vector<int64_t> height(class_count(), -1);
  using Entry = std::pair<int64_t, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  // Values come off in rising order, so those that are no higher than the last need no queue.
  std::vector<uint32_t> same;
  for (uint32_t node = 0; node < missing.size(); ++node) {
    if (missing[node] == 0) open.emplace(weights[class_of_node_[node]], class_of_node_[node]);
  }
  while (!open.empty() || !same.empty()) {
    uint32_t cls;
    if (!same.empty()) {
      cls = same.back();
      same.pop_back();
    } else {
      const auto [value, next] = open.top();
      open.pop();
      if (height[next] >= 0) continue;
      cls = next;
      height[cls] = value;
    }
    for (uint32_t i = first_user_[cls]; i < first_user_[cls + 1]; ++i) {
      const uint32_t node = users_[i], user = class_of_node_[node];
      // The last child that becomes known is the highest.
      if (--missing[node] > 0 || height[user] >= 0) continue;
      if (weights[user] == 0) {
        height[user] = height[cls];
        same.push_back(user);
      } else {
        open.emplace(saturating_add(height[cls], weights[user]), user);
      }
    }
  }
  return height;
}

}  // namespace flipsat::extract
