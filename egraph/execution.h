// One search under way: the walk through a decision tree over a graph.
//
// `visit` tries a node on a branch: operator, age, number of children, what registers already hold;
// if all fits it binds the rest, hands matches to the sink and goes on with the walks that hang on
// the branch. Work is charged step by step against the budget, so that limits hold inside a search.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "egraph/egraph.h"
#include "egraph/flat_tree.h"
#include "egraph/list_cache.h"
#include "egraph/match_tree.h"
#include "egraph/row_sink.h"

namespace flipsat::egraph {

class Execution {
 public:
  Execution(const EGraph& graph, const MatchTree& trees, bool in_full, FlatTree& flat,
            uint32_t since, Budget& budget, RowSink& sink)
      : graph_(graph),
        trees_(trees),
        tree_(in_full ? trees.full() : trees.delta()),
        flat_(flat),
        since_(since),
        budget_(budget),
        sink_(sink),
        ground_is_old_(trees.grounds()),
        values_(std::max<size_t>(tree_.places, 2 * trees.grounds())),
        is_cached_(2 * graph.node_count() >= 3 * graph.class_count()),
        nodes_(is_cached_ ? graph.node_bound() : 0),
        entries_(is_cached_ ? graph.node_bound() : 0),
        members_(tree_.all_walks.size()) {
    const auto count_emits = [&](FlatTree::Range branches) {
      uint64_t emits = 0;
      for (uint32_t at = branches.begin; at < branches.end; ++at) {
        const FlatTree::Branch& branch = flat.branches[at];
        emits += branch.emits.end - branch.emits.begin;
      }
      most_emits_ = std::max(most_emits_, emits);
    };
    for (const FlatTree::Walk& walk : flat.walks) count_emits(walk.branches);
    for (const FlatTree::Range start : flat.starts) count_emits(start);
    plan_check();
  }

  void run(std::span<const uint32_t> rules, const std::deque<CompiledRule>& compiled) {
    look_up_grounds();
    for (const uint32_t rule : rules) {
      const auto is_there = [&](uint32_t ground) { return values_[ground] != kNoId; };
      if (std::ranges::all_of(trees_.grounds_of(rule), is_there)) sink_.open(rule);
    }
    set_up_branches();
    for (const uint32_t walk : tree_.walks) {
      if (goes_on_) run_walk(walk);
    }
    if (goes_on_) scan();
    for (const uint32_t rule : rules) {
      if (compiled[rule].query.is_any_class && goes_on_) run_any_class(rule);
    }
    charge(until_check_);
    if (!goes_on_) sink_.close();
  }

  bool goes_on() const { return goes_on_; }

 private:
  // Nodes of a class that a walk wants, with their children: column by column.
  struct Members {
    ClassId of = kNoId;
    GrowArray<NodeId> nodes;
    GrowArray<ClassId> firsts;
    GrowArray<ClassId> seconds;
  };

  void look_up_grounds() {
    const uint32_t count = trees_.grounds();
    boost::container::small_vector<ClassId, 8> children;
    for (uint32_t i = 0; i < count; ++i) {
      const GroundTerm& term = trees_.ground_terms()[i];
      children.clear();
      for (const uint32_t child : term.children) children.push_back(values_[child]);
      const bool all_there = std::ranges::count(children, kNoId) == 0;
      const NodeId node =
          all_there ? graph_.find_node(term.op, {children.data(), children.size()}) : kNoId;
      values_[i] = node == kNoId ? kNoId : graph_.find(node);
      values_[count + i] = node;
      ground_is_old_[i] = node != kNoId && graph_.stamp(node) <= since_;
    }
  }

  // The ages for this search; and branches that lead to no rule that is searched want what no node
  // has.
  void set_up_branches() {
    const uint32_t first_new = (since_ + 1) << NodeRecord::kEpochShift;
    any_start_ = false;
    for (FlatTree::Branch& branch : flat_.branches) {
      const bool is_active = std::ranges::any_of(
          cold(branch).rules, [&](uint32_t rule) { return sink_.is_active(rule); });
      const Age age = cold(branch).age;
      branch.visits = 0;
      branch.meta_low = !is_active ? UINT32_MAX : age == Age::kNew ? first_new : 0;
      branch.meta_high = age == Age::kOld ? first_new : UINT32_MAX;
    }
    for (size_t i = 0; i < flat_.walks.size(); ++i) {
      uint32_t kinds = 0;
      const FlatTree::Range branches = flat_.walks[i].branches;
      for (uint32_t at = branches.begin; at < branches.end; ++at) {
        if (is_active(at)) kinds |= EGraph::kind_bit(cold(flat_.branches[at]).kind);
      }
      flat_.walks[i].kinds = kinds;
    }
    start_is_active_.assign(tree_.starts.size(), 0);
    for (size_t kind = 0; kind < tree_.starts.size(); ++kind) {
      const FlatTree::Range branches = flat_.starts[kind];
      for (uint32_t at = branches.begin; at < branches.end; ++at) {
        start_is_active_[kind] |= is_active(at);
      }
      any_start_ |= start_is_active_[kind] != 0;
    }
  }
  bool is_active(uint32_t at) const { return flat_.branches[at].meta_low != UINT32_MAX; }
  const MatchTree::Branch& cold(const FlatTree::Branch& branch) const {
    return tree_.branches[branch.index];
  }

  void scan() {
    if (!any_start_) return;
    const uint32_t bound = graph_.node_bound();
    for (NodeId begin = 0; begin < bound && goes_on_; begin += EGraph::kNodesOfBlock) {
      if (graph_.block_stamp(begin) <= since_) continue;
      const NodeId end = std::min(begin + EGraph::kNodesOfBlock, bound);
      for (NodeId node = begin; node < end && goes_on_; ++node) {
        const NodeRecord& record = graph_.record(node);
        if (record.epoch() <= since_ || !record.is_live()) continue;
        const Kind kind = graph_.operators().kind(record.op);
        if (kind >= start_is_active_.size() || !start_is_active_[kind]) continue;
        visit_all(flat_.starts[kind], node, record, kNoId);
        charge(1);
      }
    }
  }

  void run_walk(uint32_t index) {
    const FlatTree::Walk& walk = flat_.walks[index];
    if (walk.kinds == 0) return;
    switch (walk.access) {
      case Access::kScan:
        return;
      case Access::kInClass: {
        const ClassId cls = values_[walk.reg];
        if ((graph_.kinds_of_name(cls) & walk.kinds) == 0) return;
        if (walk.is_repeated) {
          run_repeated_walk(index, cls);
        } else if (is_cached_) {
          walk_cached_class(walk, cls);
        } else {
          walk_class(walk, cls);
        }
        return;
      }
      case Access::kParentOf:
        if (is_cached_) {
          walk_cached_parents(walk, values_[walk.reg]);
        } else {
          walk_parents(walk, values_[walk.reg]);
        }
        return;
      case Access::kLookup: {
        boost::container::small_vector<ClassId, 4> children;
        const MatchTree::Walk& cold = tree_.all_walks[index];
        for (const Place place : cold.children) children.push_back(values_[place]);
        const NodeId node = graph_.find_node(cold.op, {children.data(), children.size()});
        if (node != kNoId) visit_all(walk.branches, node, graph_.record(node), kNoId);
        charge(1);
        return;
      }
    }
  }

  void walk_class(const FlatTree::Walk& walk, ClassId cls) {
    NodeId node = cls;
    do {
      charge(1);
      if (!goes_on_) return;
      const NodeId next = graph_.next_in_class(node);
      visit_all(walk.branches, node, graph_.record(node), cls);
      node = next;
    } while (node != cls);
  }

  void walk_cached_class(const FlatTree::Walk& walk, ClassId cls) {
    const auto [place, size] = nodes_.list(cls, [&](auto&& add) {
      NodeId node = cls;
      do {
        if (graph_.is_live(node)) add(node);
        node = graph_.next_in_class(node);
      } while (node != cls);
    });
    if (walk.is_last) {
      LastStep last(*this, walk);
      in_pieces(size, [&](uint32_t i) {
        const NodeId node = nodes_[place + i];
        last.visit(node, graph_.record(node), cls);
      });
    } else {
      for (uint32_t i = 0; i < size; ++i) {
        charge(1);
        if (!goes_on_) return;
        const NodeId node = nodes_[place + i];
        visit_all(walk.branches, node, graph_.record(node), cls);
      }
    }
  }

  void walk_parents(const FlatTree::Walk& walk, ClassId cls) {
    for (Entry entry = graph_.first_parent_of_name(cls); entry != EGraph::kNoParent;
         entry = graph_.parent_after(entry)) {
      charge(1);
      if (!goes_on_) return;
      if (!graph_.is_at(entry, walk.via)) continue;
      const NodeId node = graph_.node_at(entry);
      visit_all(walk.branches, node, graph_.record(node), kNoId);
    }
  }

  void walk_cached_parents(const FlatTree::Walk& walk, ClassId cls) {
    const auto [place, size] = entries_.list(cls, [&](auto&& add) {
      for (Entry entry = graph_.first_parent_of_name(cls); entry != EGraph::kNoParent;
           entry = graph_.parent_after(entry)) {
        if (graph_.is_live(graph_.node_at(entry))) add(entry);
      }
    });
    if (walk.is_last) {
      LastStep last(*this, walk);
      in_pieces(size, [&](uint32_t i) {
        const Entry entry = entries_[place + i];
        if (!graph_.is_at(entry, walk.via)) return;
        const NodeId node = graph_.node_at(entry);
        last.visit(node, graph_.record(node), kNoId);
      });
      return;
    }
    for (uint32_t i = 0; i < size; ++i) {
      charge(1);
      if (!goes_on_) return;
      const Entry entry = entries_[place + i];
      if (!graph_.is_at(entry, walk.via)) continue;
      const NodeId node = graph_.node_at(entry);
      visit_all(walk.branches, node, graph_.record(node), kNoId);
    }
  }

  // The last step of one rule's path: all that can be is settled before the nodes come.
  class LastStep {
   public:
    LastStep(Execution& execution, const FlatTree::Walk& walk)
        : execution_(execution),
          branch_(execution.flat_.branches[walk.branches.begin]),
          emit_(execution.flat_.emits[branch_.emits.begin]),
          width_(execution.sink_.width(emit_.rule)),
          places_(&execution.flat_.places[emit_.columns]) {}

    void visit(NodeId node, const NodeRecord& record, ClassId in) {
      if (!execution_.has_operator_and_age(branch_, record)) return;
      ++branch_.visits;
      if (!execution_.bind_simple(branch_, node, record, in)) return;
      uint32_t* values = execution_.values_.data();
      values[branch_.node] = node;
      uint32_t* row = execution_.sink_.room(emit_.rule);
      if (row == nullptr) {
        execution_.sink_.put(emit_.rule, values, places_);
        return;
      }
      for (uint32_t i = 0; i < width_; ++i) row[i] = values[places_[i]];
      execution_.sink_.wrote(emit_.rule);
    }

   private:
    Execution& execution_;
    FlatTree::Branch& branch_;
    const FlatTree::Emit& emit_;
    const uint32_t width_;
    const Place* places_;
  };

  // The nodes of a class that is walked again and again, side by side.
  void run_repeated_walk(uint32_t index, ClassId cls) {
    const FlatTree::Walk& walk = flat_.walks[index];
    Members& members = members_[index];
    if (members.of != cls) fill(members, walk, cls);
    const size_t size = members.nodes.size();
    for (uint32_t at = walk.branches.begin; at < walk.branches.end; ++at) {
      FlatTree::Branch& branch = flat_.branches[at];
      if (branch.meta_low == UINT32_MAX) continue;
      if (branch.joined == FlatTree::kNone) {
        for (size_t i = 0; i < size; ++i) {
          charge(1);
          if (!goes_on_) return;
          visit(branch, members.nodes[i], cls);
        }
      } else {
        // A join: most members fall at the child that was bound before.
        const ClassId wanted = values_[branch.reg[branch.joined]];
        const ClassId* const child =
            branch.is_second[branch.joined] ? members.seconds.data() : members.firsts.data();
        for (size_t i = 0; i < size; ++i) {
          if (child[i] != wanted) continue;
          charge(1);
          if (!goes_on_) return;
          visit(branch, members.nodes[i], cls);
        }
        branch.visits += size / 8;  // which cost about as much as one
        charge(size / 8);
      }
      if (!goes_on_) return;
    }
  }

  void fill(Members& members, const FlatTree::Walk& walk, ClassId cls) const {
    members.of = cls;
    members.nodes.clear();
    members.firsts.clear();
    members.seconds.clear();
    NodeId node = cls;
    do {
      const NodeRecord& record = graph_.record(node);
      if (record.is_live() && is_wanted(walk, record)) {
        members.nodes.push_back(node);
        members.firsts.push_back(record.first);
        members.seconds.push_back(record.second);
      }
      node = graph_.next_in_class(node);
    } while (node != cls);
  }

  bool is_wanted(const FlatTree::Walk& walk, const NodeRecord& record) const {
    for (uint32_t at = walk.branches.begin; at < walk.branches.end; ++at) {
      if (has_operator(flat_.branches[at], record)) return true;
    }
    return false;
  }
  bool has_operator(const FlatTree::Branch& branch, const NodeRecord& record) const {
    return branch.op_or_kind == (branch.is_exact ? record.op : graph_.operators().kind(record.op));
  }

  // `in` is the node's class where that is known.
  void visit_all(FlatTree::Range branches, NodeId node, const NodeRecord& record, ClassId in) {
    for (uint32_t at = branches.begin; at < branches.end; ++at) {
      visit(flat_.branches[at], node, record, in);
    }
  }

  void visit(FlatTree::Branch& branch, NodeId node, ClassId in) {
    visit(branch, node, graph_.record(node), in);
  }
  void visit(FlatTree::Branch& branch, NodeId node, const NodeRecord& record, ClassId in) {
    if (!has_operator_and_age(branch, record)) return;
    ++branch.visits;
    const bool fits = branch.is_simple ? bind_simple(branch, node, record, in)
                                       : record.is_live() && bind_class(branch, node, in) &&
                                             bind_children(branch, node);
    if (!fits) return;
    values_[branch.node] = node;
    if (branch.has_guards) {
      go_on_guarded(branch);
    } else {
      go_on(branch);
    }
  }

  bool has_operator_and_age(const FlatTree::Branch& branch, const NodeRecord& record) const {
    return has_operator(branch, record) && record.meta >= branch.meta_low &&
           record.meta < branch.meta_high;
  }

  // Class and children of a live node of at most two, if they agree with what is bound.
  bool bind_simple(const FlatTree::Branch& branch, NodeId node, const NodeRecord& record,
                   ClassId in) {
    constexpr uint32_t kArityAndStale = (1u << NodeRecord::kEpochShift) - 1;
    if ((record.meta & kArityAndStale) != branch.arity) return false;
    if (!bind_class(branch, node, in)) return false;
    for (uint32_t i = 0; i < branch.children; ++i) {
      const ClassId child = branch.is_second[i] ? record.second : record.first;
      if (!branch.is_bound[i]) {
        values_[branch.reg[i]] = child;
      } else if (values_[branch.reg[i]] != child) {
        return false;
      }
    }
    return true;
  }

  bool bind_class(const FlatTree::Branch& branch, NodeId node, ClassId in) {
    const ClassId cls = in == kNoId ? graph_.find(node) : in;
    if (branch.class_is_bound) return values_[branch.cls] == cls;
    values_[branch.cls] = cls;
    return true;
  }

  bool bind_children(const FlatTree::Branch& flat, NodeId node) {
    const MatchTree::Branch& branch = cold(flat);
    const std::span<const ClassId> children = graph_.children(node);
    if (branch.any_arity) return true;
    if (children.size() != branch.arity) return false;
    for (const MatchTree::Child& child : branch.children) {
      if (!child.is_bound) {
        values_[child.reg] = children[child.position];
      } else if (values_[child.reg] != children[child.position]) {
        return false;
      }
    }
    return true;
  }

  void go_on(const FlatTree::Branch& branch) {
    for (uint32_t at = branch.emits.begin; at < branch.emits.end; ++at) {
      const FlatTree::Emit& emit = flat_.emits[at];
      if (!emit.old_grounds.empty() && !are_old(emit.old_grounds)) continue;
      sink_.put(emit.rule, values_.data(), &flat_.places[emit.columns]);
    }
    for (uint32_t at = branch.walks.begin; at < branch.walks.end; ++at) {
      run_walk(flat_.branch_walks[at]);
    }
  }

  bool are_old(FlatTree::Range grounds) const {
    for (uint32_t at = grounds.begin; at < grounds.end; ++at) {
      if (!ground_is_old_[flat_.grounds[at]]) return false;
    }
    return true;
  }

  // Rules that an early guard refuses sit out what hangs on this branch.
  void go_on_guarded(const FlatTree::Branch& flat) {
    const MatchTree::Branch& branch = cold(flat);
    boost::container::small_vector<uint32_t, 8> refused;
    for (const MatchTree::EarlyGuard& guard : branch.guards) {
      if (!sink_.admits(guard, values_.data())) refused.push_back(guard.rule);
    }
    const bool some_left =
        std::ranges::any_of(branch.rules, [&](uint32_t rule) { return sink_.is_open(rule); });
    if (some_left) go_on(flat);
    for (const uint32_t rule : refused) sink_.readmit(rule);
  }

  void run_any_class(uint32_t rule) {
    for (ClassId cls = 0; cls < graph_.node_bound() && goes_on_; ++cls) {
      if (graph_.find(cls) != cls) continue;
      const auto is_new = [&](NodeId node) { return graph_.stamp(node) > since_; };
      if (std::ranges::none_of(graph_.nodes(cls), is_new)) continue;
      sink_.put_class(rule, cls);
      charge(1);
    }
  }

  // The limits are asked in the measure of work, so that they hold and cost nothing.
  void charge(uint64_t steps) {
    if (steps < until_check_) {
      until_check_ -= steps;
      return;
    }
    const uint64_t matched = sink_.matched();
    if (budget_.spent_on_matches(graph_, matched - booked_, sink_.bytes())) goes_on_ = false;
    booked_ = matched;
    plan_check();
  }
  // Calls step(i) for each i below `count`; steps that are charged when they are done.
  template <class Step>
  void in_pieces(uint32_t count, Step&& step) {
    for (uint32_t begin = 0; begin < count && goes_on_;) {
      const auto end =
          begin + static_cast<uint32_t>(std::min<uint64_t>(count - begin, until_check_));
      for (uint32_t i = begin; i < end; ++i) step(i);
      charge(end - begin);
      begin = end;
    }
  }
  // A step finds as many matches as the branches of a walk emit, at most.
  void plan_check() {
    constexpr uint64_t kOften = 2048;
    const uint64_t most = budget_.limits().matches;
    const uint64_t left = most - std::min(most, budget_.matches());
    until_check_ = std::clamp<uint64_t>(left / most_emits_, 1, kOften);
  }

  const EGraph& graph_;
  const MatchTree& trees_;
  const MatchTree::Tree& tree_;
  FlatTree& flat_;
  const uint32_t since_;
  Budget& budget_;
  RowSink& sink_;

  std::vector<uint8_t> start_is_active_;  // by kind
  bool any_start_ = false;
  std::vector<uint8_t> ground_is_old_;
  std::vector<uint32_t> values_;  // by place
  const bool is_cached_;          // not where classes are small: they are hardly walked twice
  ListCache nodes_;               // of classes
  ListCache entries_;             // of parents of classes
  std::vector<Members> members_;  // by walk that is repeated

  uint64_t most_emits_ = 1;
  uint64_t booked_ = 0;  // matches
  uint64_t until_check_ = 0;
  bool goes_on_ = true;
};

}  // namespace flipsat::egraph
