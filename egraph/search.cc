#include "egraph/search.h"

#include <algorithm>
#include <stdexcept>

#include <boost/container/small_vector.hpp>

namespace flipsat::egraph {

CompiledRule::CompiledRule(const Rule& rule, const Operators& operators)
    : rule(rule), query(rule, operators) {
  if (!rule.term().empty()) term = Term(rule.term().front(), query.layout);
}

std::span<const NodeId> ChangedNodes::of_kind(const EGraph& graph, Kind kind, uint32_t since) {
  if (since == Search::kFromTheStart) return graph.nodes_of_kind(kind);
  if (entries_.size() <= kind) entries_.resize(kind + 1);
  Entry* reuse = nullptr;
  for (Entry& entry : entries_[kind]) {
    if (entry.epoch != graph.epoch()) {
      reuse = &entry;
    } else if (entry.since == since) {
      return entry.nodes;
    }
  }
  if (reuse == nullptr) reuse = &entries_[kind].emplace_back();
  reuse->epoch = graph.epoch();
  reuse->since = since;
  reuse->nodes.clear();
  for (const NodeId node : graph.nodes_of_kind(kind)) {
    if (graph.stamp(node) > since && graph.is_live(node)) reuse->nodes.push_back(node);
  }
  return reuse->nodes;
}

namespace {

// Runs the plans of one rule, and passes what they find through matcher and guard.
class Execution {
 public:
  Execution(const EGraph& graph, const CompiledRule& rule, uint32_t since, uint64_t limit,
            Budget& budget, std::vector<uint32_t>& rows, std::vector<Refusal>& refusals)
      : graph_(graph),
        rule_(rule.rule),
        query_(rule.query),
        since_(since),
        limit_(limit),
        budget_(budget),
        rows_(rows),
        refusals_(refusals),
        width_(rule.query.layout.width()),
        registers_(rule.query.registers),
        nodes_(rule.query.atoms.size()),
        row_(width_) {}

  void run_plan(const Plan& plan, std::span<const NodeId> starts) {
    plan_ = &plan;
    starts_ = starts;
    step(0);
  }

  void run_any_class() {
    for (ClassId cls = 0; cls < graph_.node_bound() && result_.is_complete; ++cls) {
      if (graph_.find(cls) != cls) continue;
      const auto is_new = [&](NodeId node) { return graph_.stamp(node) > since_; };
      if (std::ranges::none_of(graph_.nodes(cls), is_new)) continue;
      ++result_.started;
      registers_[0] = cls;
      found();
    }
  }

  bool goes_on() const { return result_.is_complete; }
  const SearchResult& result() const { return result_; }

 private:
  void step(size_t index) {
    if (index == plan_->size()) {
      found();
      return;
    }
    const Step& step = (*plan_)[index];
    const Atom& atom = query_.atoms[step.atom];
    switch (step.access) {
      case Access::kScan:
        for (const NodeId node : starts_) {
          ++result_.started;
          if (!visit(index, step, atom, node)) return;
        }
        return;
      case Access::kInClass: {
        const ClassId cls = registers_[atom.cls];
        if ((graph_.kinds(cls) & EGraph::kind_bit(atom.kind)) == 0) return;
        for (const NodeId node : graph_.nodes(cls)) {
          if (!visit(index, step, atom, node)) return;
        }
        return;
      }
      case Access::kParentOf:
        for (const NodeId node : graph_.parents(registers_[atom.children[step.via]])) {
          if (!visit(index, step, atom, node)) return;
        }
        return;
      case Access::kLookup: {
        boost::container::small_vector<ClassId, 8> children;
        for (const uint32_t reg : atom.children) children.push_back(registers_[reg]);
        const NodeId node = graph_.find_node(atom.op, {children.data(), children.size()});
        if (node == kNoId) return;
        if (index == 0) ++result_.started;
        visit(index, step, atom, node);
        return;
      }
    }
  }

  // Goes on with `node` for the atom, if it fits; false when the search is broken off.
  bool visit(size_t index, const Step& step, const Atom& atom, NodeId node) {
    if ((++visits_ & 1023) == 0 && budget_.spent(graph_)) result_.is_complete = false;
    if (!result_.is_complete) return false;
    if (graph_.kind(node) != atom.kind || !graph_.is_live(node)) return true;
    if (atom.is_exact && graph_.op(node) != atom.op) return true;
    const std::span<const ClassId> children = graph_.children(node);
    if (!atom.any_arity && children.size() != atom.children.size()) return true;
    if (step.age != Age::kAny && (graph_.stamp(node) > since_) != (step.age == Age::kNew)) {
      return true;
    }
    const ClassId cls = graph_.find(node);
    if (step.class_is_bound) {
      if (registers_[atom.cls] != cls) return true;
    } else {
      registers_[atom.cls] = cls;
    }
    for (const Step::Child& child : step.children) {
      if (!child.is_bound) {
        registers_[child.reg] = children[child.position];
      } else if (registers_[child.reg] != children[child.position]) {
        return true;
      }
    }
    nodes_[step.atom] = node;
    this->step(index + 1);
    return result_.is_complete;
  }

  void found() {
    ++result_.matched;
    if (budget_.spent_on_matches(graph_, 1, rows_.size() * sizeof(uint32_t))) {
      result_.is_complete = false;
      return;
    }
    for (uint32_t i = 0; i < query_.class_columns; ++i) row_[i] = registers_[query_.columns[i]];
    for (uint32_t i = query_.class_columns; i < width_; ++i) row_[i] = nodes_[query_.columns[i]];
    if (!rule_.matcher()) {
      consider();
      return;
    }
    const size_t extra = rule_.follow_variables().size();
    const auto go_on = [&](std::span<const ClassId> classes) {
      if (classes.size() != extra) {
        throw std::logic_error("rule " + rule_.name() + ": its matcher gives too many or too few");
      }
      if (!result_.is_complete) return;
      std::ranges::copy(classes, row_.begin() + query_.class_columns - extra);
      consider();
    };
    rule_.matcher()(Match(graph_, query_.layout, row_.data()), go_on);
  }

  void consider() {
    if (rule_.guard()) {
      const Verdict verdict = rule_.guard()(Match(graph_, query_.layout, row_.data()));
      if (!verdict) {
        refusals_.push_back({row_[0], verdict.reason});
        return;
      }
    }
    if (accepted_ == limit_) {
      result_.is_complete = false;
      return;
    }
    ++accepted_;
    for (const uint32_t value : row_) rows_.push_back(value);
  }

  const EGraph& graph_;
  const Rule& rule_;
  const Query& query_;
  const uint32_t since_;
  const uint64_t limit_;
  Budget& budget_;
  std::vector<uint32_t>& rows_;
  std::vector<Refusal>& refusals_;
  const uint32_t width_;

  const Plan* plan_ = nullptr;
  std::span<const NodeId> starts_;
  std::vector<ClassId> registers_;
  std::vector<NodeId> nodes_;  // by atom
  std::vector<uint32_t> row_;
  uint64_t accepted_ = 0;
  uint64_t visits_ = 0;
  SearchResult result_;
};

}  // namespace

SearchResult Search::run(const CompiledRule& rule, uint32_t since, uint64_t limit, Budget& budget,
                         std::vector<uint32_t>& rows, std::vector<Refusal>& refusals) {
  const Query& query = rule.query;
  Execution execution(graph_, rule, since, limit, budget, rows, refusals);
  const auto starts_of = [&](const Plan& plan) -> std::span<const NodeId> {
    const auto scan = std::ranges::find(plan, Access::kScan, &Step::access);
    if (scan == plan.end()) return {};
    return changed_.of_kind(graph_, query.atoms[scan->atom].kind, since);
  };
  if (query.is_any_class) {
    execution.run_any_class();
  } else if (since == kFromTheStart) {
    execution.run_plan(query.full, starts_of(query.full));
  } else {
    for (const Plan& plan : query.delta) {
      if (execution.goes_on()) execution.run_plan(plan, starts_of(plan));
    }
  }
  return execution.result();
}

}  // namespace flipsat::egraph
