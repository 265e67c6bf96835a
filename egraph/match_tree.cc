#include "egraph/match_tree.h"

#include <algorithm>

#include "egraph/egraph.h"

namespace flipsat::egraph {

bool MatchTree::Branch::same_test(const Branch& other) const {
  return is_exact == other.is_exact && any_arity == other.any_arity &&
         class_is_bound == other.class_is_bound && age == other.age && kind == other.kind &&
         op == other.op && arity == other.arity && cls == other.cls && node == other.node &&
         children == other.children;
}

bool MatchTree::Walk::same_way(const Walk& other) const {
  return access == other.access && reg == other.reg && via == other.via && op == other.op &&
         children == other.children;
}

void MatchTree::add(uint32_t rule, const Rule& source, const Query& query, bool with_nodes) {
  Source& added = sources_.emplace_back(Source{rule, &source, &query, {}, with_nodes});
  if (grounds_of_.size() <= rule) grounds_of_.resize(rule + 1);
  added.ground_of_atom.assign(query.atoms.size(), kNoId);
  // Children have larger indices than the node that they are children of.
  for (uint32_t i = static_cast<uint32_t>(query.atoms.size()); i-- > 0;) {
    const Atom& atom = query.atoms[i];
    if (!atom.is_ground) continue;
    GroundTerm term{atom.op, {}};
    for (const uint32_t reg : atom.children) {
      for (uint32_t child = 0; child < query.atoms.size(); ++child) {
        if (query.atoms[child].is_ground && query.atoms[child].cls == reg) {
          term.children.push_back(added.ground_of_atom[child]);
        }
      }
    }
    auto it = std::ranges::find(grounds_, term);
    if (it == grounds_.end()) it = grounds_.insert(it, std::move(term));
    added.ground_of_atom[i] = static_cast<uint32_t>(it - grounds_.begin());
    grounds_of_[rule].push_back(added.ground_of_atom[i]);
  }
}

void MatchTree::finish() {
  full_ = Tree();
  delta_ = Tree();
  for (const Source& source : sources_) {
    if (source.query->is_any_class) continue;
    insert(full_, source, source.query->full, kNoId);
    for (uint32_t atom = 0; atom < source.query->delta.size(); ++atom) {
      insert(delta_, source, source.query->delta[atom], atom);
    }
  }
}

// Puts one plan into a tree. Places are the classes of the ground terms, their nodes, then what the
// path binds in its order: the class and the children of each node, and the node itself.
class MatchTree::PathBuilder {
 public:
  PathBuilder(const MatchTree& trees, Tree& tree, const Source& source)
      : tree_(tree),
        source_(source),
        query_(*source.query),
        place_of_reg_(query_.registers, kNoId),
        place_of_node_(query_.atoms.size(), kNoId),
        next_(2 * trees.grounds()),
        guard_is_done_(source.source->guards().size()) {
    for (uint32_t atom = 0; atom < query_.atoms.size(); ++atom) {
      if (source.ground_of_atom[atom] != kNoId) {
        place_of_reg_[query_.atoms[atom].cls] = source.ground_of_atom[atom];
        place_of_node_[atom] = trees.grounds() + source.ground_of_atom[atom];
      }
    }
  }

  void step(const Step& step) {
    const Atom& atom = query_.atoms[step.atom];
    Walk walk{};
    walk.access = step.access;
    if (step.access == Access::kInClass) {
      walk.reg = place_of_reg_[atom.cls];
      walk.is_repeated = at_ != kNoId && walk.reg < tree_.branches[at_].first_place;
    }
    if (step.access == Access::kParentOf) {
      walk.reg = place_of_reg_[atom.children[step.via]];
      walk.via = step.via;
    }
    if (step.access == Access::kLookup) {
      walk.op = atom.op;
      for (const uint32_t reg : atom.children) walk.children.push_back(place_of_reg_[reg]);
    }

    Branch branch;
    branch.is_exact = atom.is_exact;
    branch.any_arity = atom.any_arity;
    branch.class_is_bound = step.class_is_bound && step.access != Access::kInClass;
    branch.age = step.age;
    branch.kind = atom.kind;
    branch.op = atom.op;
    branch.first_place = next_;
    branch.arity = static_cast<uint32_t>(atom.children.size());
    branch.cls = bind(atom.cls);
    for (const Step::Child& child : step.children) {
      branch.children.push_back({child.position, bind(child.reg), child.is_bound});
    }
    branch.node = next_++;
    place_of_node_[step.atom] = branch.node;

    std::vector<uint32_t>* branches;
    if (step.access == Access::kScan) {
      if (tree_.starts.size() <= atom.kind) tree_.starts.resize(atom.kind + 1);
      branches = &tree_.starts[atom.kind];
    } else {
      const uint32_t at = find_or_add(walk);
      branches = &tree_.all_walks[at].branches;
    }
    const auto same = std::ranges::find_if(
        *branches, [&](uint32_t index) { return tree_.branches[index].same_test(branch); });
    if (same != branches->end()) {
      at_ = *same;
    } else {
      at_ = static_cast<uint32_t>(tree_.branches.size());
      branches->push_back(at_);
      tree_.branches.push_back(std::move(branch));
    }
    std::vector<uint32_t>& rules = tree_.branches[at_].rules;
    if (rules.empty() || rules.back() != source_.rule) rules.push_back(source_.rule);
    add_early_guards();
    tree_.places = std::max(tree_.places, next_);
  }

  void emit(uint32_t first) {
    Emit emit;
    emit.rule = source_.rule;
    for (uint32_t i = 0; i < query_.columns.size(); ++i) emit.columns.push_back(column(i));
    if (source_.with_nodes) {
      for (uint32_t atom = 0; atom < query_.atoms.size(); ++atom) {
        emit.columns.push_back(place_of_node_[atom]);
      }
    }
    if (first != kNoId) {
      for (uint32_t atom = 0; atom < first; ++atom) {
        const uint32_t ground = source_.ground_of_atom[atom];
        if (ground != kNoId) emit.old_grounds.push_back(ground);
      }
    }
    tree_.branches[at_].emits.push_back(std::move(emit));
  }

 private:
  // kNoId while it is not bound.
  Place column(uint32_t index) const {
    const uint32_t source = query_.columns[index];
    return index < query_.class_columns ? place_of_reg_[source] : place_of_node_[source];
  }

  Place bind(uint32_t reg) {
    if (place_of_reg_[reg] == kNoId) place_of_reg_[reg] = next_++;
    return place_of_reg_[reg];
  }

  uint32_t find_or_add(Walk& walk) {
    std::vector<uint32_t>& walks = at_ == kNoId ? tree_.walks : tree_.branches[at_].walks;
    const auto same = std::ranges::find_if(
        walks, [&](uint32_t index) { return tree_.all_walks[index].same_way(walk); });
    if (same != walks.end()) return *same;
    walks.push_back(static_cast<uint32_t>(tree_.all_walks.size()));
    tree_.all_walks.push_back(std::move(walk));
    return static_cast<uint32_t>(tree_.all_walks.size() - 1);
  }

  void add_early_guards() {
    const std::vector<Rule::GuardAt>& guards = source_.source->guards();
    for (uint32_t i = 0; i < guards.size(); ++i) {
      if (guard_is_done_[i] || !source_.source->is_asked_early(i)) continue;
      EarlyGuard early{source_.rule, i, {}};
      bool all_bound = column(0) != kNoId;
      for (uint32_t c = 0; c < query_.columns.size(); ++c) {
        if (column(c) != kNoId) early.columns.emplace_back(c, column(c));
      }
      for (const std::string_view name : guards[i].wants) {
        all_bound &= column(query_.layout.column_of(name)) != kNoId;
      }
      if (!all_bound) continue;
      guard_is_done_[i] = true;
      tree_.branches[at_].guards.push_back(std::move(early));
    }
  }

  Tree& tree_;
  const Source& source_;
  const Query& query_;
  std::vector<Place> place_of_reg_;
  std::vector<Place> place_of_node_;
  Place next_;
  uint32_t at_ = kNoId;  // the branch at the end of the path so far
  std::vector<bool> guard_is_done_;
};

void MatchTree::insert(Tree& tree, const Source& source, const Plan& plan, uint32_t first) {
  PathBuilder path(*this, tree, source);
  for (const Step& step : plan) path.step(step);
  path.emit(first);
}

}  // namespace flipsat::egraph
