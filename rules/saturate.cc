#include "rules/saturate.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace flipsat::rules {
namespace {

using egraph::Pattern;
using language::ClassId;
using language::HloGraph;
using language::Kind;
using language::NodeId;

constexpr int kMaxLevel = 4;

// An operation and the collective that some rule looks for below it.
using Pairs = std::set<std::pair<Kind, Kind>>;

// Notes what stands above a collective in a pattern; true where one is at or below its top.
bool note_pairs(const Pattern& pattern, Pairs& pairs) {
  if (pattern.form != Pattern::Form::kKind) return false;
  const Kind kind = static_cast<Kind>(pattern.kind);
  bool has_collective = language::is_collective(kind);
  for (const Pattern& child : pattern.children) {
    if (!note_pairs(child, pairs)) continue;
    pairs.emplace(kind, static_cast<Kind>(child.kind));
    has_collective = true;
  }
  return has_collective;
}

class EdgeLifting {
 public:
  explicit EdgeLifting(RuleBook& book) : hlo_(book.hlo()) {
    for (uint32_t rule = 0; rule < book.set().size(); ++rule) {
      for (const Pattern& pattern : book.set()[rule].patterns()) note_pairs(pattern, pairs_);
    }
  }

  // By one level, on a rebuilt graph: rules have to turn what was lifted into a collective before
  // it is worth lifting further.
  void lift() {
    egraph::EGraph& graph = hlo_.graph();
    std::vector<Lift> found;
    ClassId last = egraph::kNoId;
    for (const egraph::Edge& first : graph.all_edges().all()) {  // sorted by `from`
      if (first.from == last) continue;
      last = first.from;
      for (const auto& [to, reason] : reached_from(first.from)) {
        const int level = level_of(to) + 1;
        if (level > kMaxLevel) continue;
        for (NodeId parent : graph.parents(first.from)) {
          if (has_partner(static_cast<Kind>(graph.kind(parent)), to)) {
            found.push_back({parent, first.from, to, reason, level});
          }
        }
      }
    }
    const egraph::Reason origin = graph.origin();
    for (const Lift& lift : found) {
      graph.set_origin(lift.reason);
      const ClassId above = hlo_.with_operand(lift.parent, lift.from, lift.to);
      if (graph.add_edge(lift.parent, above)) lifted_.emplace_back(above, lift.level);
    }
    graph.set_origin(origin);
  }

 private:
  struct Lift {
    NodeId parent;
    ClassId from, to;
    egraph::Reason reason;
    int level;
  };

  // Where one edge or several lead from a class, each with the reason of the last.
  std::vector<std::pair<ClassId, egraph::Reason>> reached_from(ClassId from) const {
    std::vector<std::pair<ClassId, egraph::Reason>> reached{{from, egraph::kNoReason}};
    for (size_t i = 0; i < reached.size(); ++i) {
      for (const egraph::Edge& edge : hlo_.graph().edges(reached[i].first)) {
        const bool is_known =
            std::ranges::any_of(reached, [&](const auto& one) { return one.first == edge.to; });
        if (!is_known) reached.emplace_back(edge.to, edge.reason);
      }
    }
    reached.erase(reached.begin());
    return reached;
  }

  bool has_partner(Kind parent, ClassId below) const {
    for (NodeId node : hlo_.graph().nodes(below)) {
      if (pairs_.count({parent, static_cast<Kind>(hlo_.graph().kind(node))})) return true;
    }
    return false;
  }

  int level_of(ClassId to) const {
    int level = 0;
    for (const auto& [cls, lifted_by] : lifted_) {
      if (hlo_.graph().find(cls) == to) level = std::max(level, lifted_by);
    }
    return level;
  }

  HloGraph& hlo_;
  Pairs pairs_;
  std::vector<std::pair<ClassId, int>> lifted_;  // ends of lifted edges
};

}  // namespace

egraph::RunReport saturate(RuleBook& book, egraph::RunOptions options) {
  book.prepare();
  EdgeLifting lifting(book);
  options.after_iteration = [&](egraph::EGraph&, uint64_t) {
    lifting.lift();
    return true;
  };
  return egraph::run(book.hlo().graph(), book.set(), options);
}

}  // namespace flipsat::rules
