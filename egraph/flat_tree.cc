#include "egraph/flat_tree.h"

namespace flipsat::egraph {
namespace {

template <class T>
FlatTree::Range append(std::vector<T>& to, const std::vector<T>& from) {
  FlatTree::Range range;
  range.begin = static_cast<uint32_t>(to.size());
  to.insert(to.end(), from.begin(), from.end());
  range.end = static_cast<uint32_t>(to.size());
  return range;
}

}  // namespace

bool FlatTree::ends_at(const Branch& branch) const {
  return branch.is_simple && !branch.has_guards && branch.walks.empty() &&
         branch.emits.end - branch.emits.begin == 1 &&
         emits[branch.emits.begin].old_grounds.empty() && !branch.class_is_bound;
}

FlatTree::FlatTree(const MatchTree::Tree& tree) {
  for (const MatchTree::Walk& from : tree.all_walks) {
    const Range range = add_branches(tree, from.branches, false);
    const bool is_last = range.end - range.begin == 1 && ends_at(branches[range.begin]);
    walks.push_back({from.access, from.is_repeated, from.reg, from.via, 0, range, is_last});
  }
  for (const std::vector<uint32_t>& from : tree.starts) {
    starts.push_back(add_branches(tree, from, true));
  }
}

FlatTree::Range FlatTree::add_branches(const MatchTree::Tree& tree,
                                       const std::vector<uint32_t>& indices, bool are_starts) {
  Range range;
  range.begin = static_cast<uint32_t>(branches.size());
  for (const uint32_t index : indices) {
    const MatchTree::Branch& from = tree.branches[index];
    Branch branch{};
    branch.index = index;
    branch.is_exact = from.is_exact;
    branch.op_or_kind = from.is_exact ? from.op : from.kind;
    branch.is_simple = !from.any_arity && from.arity <= 2;
    branch.arity = static_cast<uint8_t>(branch.is_simple ? from.arity : 0);
    branch.class_is_bound = from.class_is_bound;
    branch.has_guards = !from.guards.empty();
    branch.is_start = are_starts;
    branch.cls = from.cls;
    branch.node = from.node;
    branch.joined = kNone;
    if (branch.is_simple) {
      for (const MatchTree::Child& child : from.children) {
        branch.is_second[branch.children] = child.position == 1;
        branch.is_bound[branch.children] = child.is_bound;
        branch.reg[branch.children] = child.reg;
        const bool is_joined = child.is_bound && child.reg < from.first_place;
        if (is_joined && branch.joined == kNone) branch.joined = branch.children;
        ++branch.children;
      }
    }
    branch.walks = append(branch_walks, from.walks);
    branch.emits.begin = static_cast<uint32_t>(emits.size());
    for (const MatchTree::Emit& emit : from.emits) {
      const Range columns = append(places, emit.columns);
      emits.push_back({emit.rule, columns.begin, append(grounds, emit.old_grounds)});
    }
    branch.emits.end = static_cast<uint32_t>(emits.size());
    branches.push_back(branch);
  }
  range.end = static_cast<uint32_t>(branches.size());
  return range;
}

}  // namespace flipsat::egraph
