#include "extract/bound/separation.h"

#include <algorithm>
#include <optional>

namespace flipsat::extract {
namespace {

using Class = AndOrGraph::Class;

constexpr uint32_t kNone = 0xffffffff;
constexpr size_t kMostCuts = 12;        // by member
constexpr size_t kMostWords = 1 << 24;  // of all classes together
constexpr size_t kMostMembers = 4096;   // of a list to be parted; takes its square
constexpr int kMostPasses = 64;

// Immediate dominators from the roots: Semi-NCA (Georgiadis 2005).
class Dominators {
 public:
  explicit Dominators(const AndOrGraph& graph) : number_(graph.class_count(), 0) {
    visit(graph);
    find(predecessors(graph));
  }

  // kNone where only the roots as a whole dominate it, and for what no root needs.
  uint32_t of(Class cls) const {
    const uint32_t at = number_[cls] == 0 ? 0 : dominator_[number_[cls]];
    return at <= 1 ? kNone : class_[at];
  }

 private:
  // Numbers in preorder, from 1, which stands above the roots.
  void visit(const AndOrGraph& graph) {
    class_ = {kNone, kNone};
    parent_ = {0, 0};
    struct Frame {
      Class cls;
      size_t node = 0, child = 0;
    };
    std::vector<Frame> stack;
    auto enter = [&](Class cls, uint32_t parent) {
      if (number_[cls] != 0) return;
      number_[cls] = static_cast<uint32_t>(class_.size());
      class_.push_back(cls);
      parent_.push_back(parent);
      stack.push_back({cls});
    };
    for (Class root : graph.roots()) {
      enter(root, 1);
      while (!stack.empty()) {
        Frame& frame = stack.back();
        const auto& nodes = graph.nodes(frame.cls);
        if (frame.node == nodes.size()) {
          stack.pop_back();
        } else if (frame.child == nodes[frame.node].children.size()) {
          ++frame.node;
          frame.child = 0;
        } else {
          enter(nodes[frame.node].children[frame.child++], number_[frame.cls]);
        }
      }
    }
  }

  std::vector<std::vector<uint32_t>> predecessors(const AndOrGraph& graph) const {
    std::vector<std::vector<uint32_t>> all(class_.size());
    for (Class root : graph.roots()) all[number_[root]].push_back(1);
    for (uint32_t at = 2; at < class_.size(); ++at) {
      for (const AndOrNode& node : graph.nodes(class_[at])) {
        for (Class child : node.children) all[number_[child]].push_back(at);
      }
    }
    return all;
  }

  void find(const std::vector<std::vector<uint32_t>>& predecessors) {
    dominator_ = parent_;
    semi_ = parent_;
    label_.resize(class_.size());
    for (uint32_t at = 0; at < label_.size(); ++at) label_[at] = at;
    ancestor_ = parent_;
    for (uint32_t at = static_cast<uint32_t>(class_.size()) - 1; at > 1; --at) {
      for (uint32_t from : predecessors[at]) {
        semi_[at] = std::min(semi_[at], from <= at ? from : semi_[lowest(from, at + 1)]);
      }
    }
    for (uint32_t at = 2; at < class_.size(); ++at) {
      while (dominator_[at] > semi_[at]) dominator_[at] = dominator_[dominator_[at]];
    }
  }

  // Of the linked ones above, that with the lowest semidominator; shortens the way there.
  uint32_t lowest(uint32_t at, uint32_t first_linked) {
    if (ancestor_[at] < first_linked) return label_[at];
    path_.clear();
    do {
      path_.push_back(at);
      at = ancestor_[at];
    } while (ancestor_[at] >= first_linked);
    uint32_t above = at, best = label_[at];
    for (; !path_.empty(); path_.pop_back()) {
      at = path_.back();
      ancestor_[at] = ancestor_[above];
      if (semi_[best] < semi_[label_[at]]) {
        label_[at] = best;
      } else {
        best = label_[at];
      }
      above = at;
    }
    return label_[above];
  }

  std::vector<uint32_t> number_;  // by class; 0: no root needs it
  std::vector<Class> class_;      // by number, as the rest
  std::vector<uint32_t> parent_, dominator_, semi_, label_, ancestor_, path_;
};

bool needs_directly(const AndOrGraph& graph, Class upper, Class lower) {
  const auto& nodes = graph.nodes(upper);
  return nodes.size() == 1 &&
         std::ranges::find(nodes[0].children, lower) != nodes[0].children.end();
}

}  // namespace

Separation::Separation(const AndOrGraph& graph, std::span<const Class> members)
    : cuts_of_(graph.class_count()), cut_(graph.class_count(), kNone) {
  if (members.empty()) return;
  find_cuts(graph, members);
  words_ = (cut_count_ + 63) / 64;
  if (words_ * graph.class_count() > kMostWords) {
    for (auto& cuts : cuts_of_) cuts.clear();
    return;
  }
  find_needs(graph);
}

void Separation::find_cuts(const AndOrGraph& graph, std::span<const Class> members) {
  const Dominators dominators(graph);
  for (Class member : members) {
    std::vector<uint32_t>& cuts = cuts_of_[member];
    uint32_t last = kNone;
    for (uint32_t at = member; at != kNone && cuts.size() < kMostCuts; at = dominators.of(at)) {
      // What stands above and needs the last one in any case says no more.
      if (last == kNone || !needs_directly(graph, at, last)) {
        if (cut_[at] == kNone) cut_[at] = cut_count_++;
        cuts.push_back(cut_[at]);
      }
      last = at;
    }
  }
}

// The largest solution of: a class needs itself and what each of its nodes needs. No program has
// cycles, so what is needed only by way of a cycle through the class itself is not in it.
void Separation::find_needs(const AndOrGraph& graph) {
  const std::vector<Class> order = graph.order();
  needs_.assign(words_ * graph.class_count(), ~uint64_t{0});
  std::vector<uint64_t> all(words_), of_node(words_);
  // By class, counting steps: when it was looked at, and when it changed. Nearly all classes stand
  // after what they need, and one look is enough.
  std::vector<uint64_t> looked(graph.class_count(), 0), altered(graph.class_count(), 0);
  uint64_t step = 0;
  auto is_settled = [&](Class cls) {
    if (looked[cls] == 0) return false;
    for (const AndOrNode& node : graph.nodes(cls)) {
      for (Class child : node.children) {
        if (altered[child] > looked[cls]) return false;
      }
    }
    return true;
  };
  bool changed = true;
  for (int pass = 0; changed; ++pass) {
    if (pass == kMostPasses) {
      // Before it has settled it says too much.
      for (auto& cuts : cuts_of_) cuts.clear();
      return;
    }
    changed = false;
    for (Class cls : order) {
      if (is_settled(cls)) continue;
      looked[cls] = ++step;
      std::ranges::fill(all, ~uint64_t{0});
      for (const AndOrNode& node : graph.nodes(cls)) {
        std::ranges::fill(of_node, 0);
        for (Class child : node.children) {
          const uint64_t* needs = &needs_[words_ * child];
          for (size_t i = 0; i < words_; ++i) of_node[i] |= needs[i];
        }
        for (size_t i = 0; i < words_; ++i) all[i] &= of_node[i];
      }
      if (cut_[cls] != kNone) all[cut_[cls] / 64] |= uint64_t{1} << (cut_[cls] % 64);
      uint64_t* needs = &needs_[words_ * cls];
      if (std::equal(all.begin(), all.end(), needs)) continue;
      std::ranges::copy(all, needs);
      altered[cls] = ++step;
      changed = true;
    }
  }
}

bool Separation::is_below(Class lower, Class upper) const {
  if (cuts_of_[lower].empty()) return false;
  const uint64_t* needs = &needs_[words_ * upper];
  return std::ranges::any_of(
      cuts_of_[lower], [&](uint32_t cut) { return (needs[cut / 64] >> (cut % 64) & 1) != 0; });
}

std::vector<int> Separation::parts(std::span<const Class> some, std::span<const int64_t> first,
                                   const std::vector<bool>& is_kept) const {
  std::vector<int> part(some.size(), kNoPart);
  if (words_ == 0 || some.size() > kMostMembers) return part;
  // Who could stand beside a member of another part, until nobody can.
  std::vector<std::vector<bool>> clashes(some.size(), std::vector<bool>(some.size()));
  std::vector<size_t> count(some.size(), 0);
  for (size_t i = 0; i < some.size(); ++i) {
    for (size_t k = i + 1; k < some.size(); ++k) {
      if (first[i] == first[k]) continue;
      if (is_below(some[i], some[k]) || is_below(some[k], some[i])) continue;
      clashes[i][k] = clashes[k][i] = true;
      ++count[i];
      ++count[k];
    }
  }
  std::vector<bool> is_out(some.size());
  while (true) {
    std::optional<size_t> worst;
    for (size_t i = 0; i < some.size(); ++i) {
      if (count[i] == 0) continue;
      if (!worst || std::pair(!is_kept[i], count[i]) > std::pair(!is_kept[*worst], count[*worst])) {
        worst = i;
      }
    }
    if (!worst) break;
    is_out[*worst] = true;
    count[*worst] = 0;
    for (size_t i = 0; i < some.size(); ++i) {
      if (clashes[*worst][i] && !is_out[i]) --count[i];
    }
  }
  std::vector<int64_t> sorted;
  for (size_t i = 0; i < some.size(); ++i) {
    if (!is_out[i]) sorted.push_back(first[i]);
  }
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  for (size_t i = 0; i < some.size(); ++i) {
    if (is_out[i]) continue;
    part[i] = static_cast<int>(std::ranges::lower_bound(sorted, first[i]) - sorted.begin());
  }
  return part;
}

}  // namespace flipsat::extract
