#include "egraph/query.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace flipsat::egraph {
namespace {

// Turns patterns into atoms, giving out registers.
class Flattener {
 public:
  Flattener(Query& query, const Rule& rule, const EGraph& graph)
      : query_(query),
        rule_(rule),
        operators_(graph.operators()),
        is_unordered_([&graph](Kind kind) { return graph.is_unordered(kind); }) {}

  uint32_t flatten(const Pattern& pattern) {
    if (pattern.form == Pattern::Form::kVariable) {
      if (!pattern.class_name.empty()) fail("`.as` stands behind a variable");
      return variable(pattern.name);
    }
    if (pattern.form == Pattern::Form::kBound) fail("`same` stands on the left side");
    const auto index = static_cast<uint32_t>(query_.atoms.size());
    query_.atoms.emplace_back();
    if (!pattern.name.empty()) name_node(pattern.name, index);
    Atom atom;
    atom.cls = pattern.class_name.empty() ? query_.registers++ : variable(pattern.class_name);
    atom.is_exact = pattern.form == Pattern::Form::kExact;
    atom.op = pattern.op;
    atom.kind = atom.is_exact ? operators_.kind(pattern.op) : pattern.kind;
    atom.any_arity = pattern.arity == Pattern::kAnyArity;
    atom.is_unordered = is_unordered_(atom.kind);
    if (atom.is_unordered && !atom.any_arity) {
      fail("a pattern gives an order to children that have none");
    }
    for (const Pattern& child : pattern.children) atom.children.push_back(flatten(child));
    const auto is_ground = [&](uint32_t reg) {
      return std::ranges::any_of(
          query_.atoms, [&](const Atom& other) { return other.is_ground && other.cls == reg; });
    };
    atom.is_ground = atom.is_exact && index > 0 && pattern.class_name.empty() &&
                     std::ranges::all_of(atom.children, is_ground);
    query_.atoms[index] = std::move(atom);
    return query_.atoms[index].cls;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::logic_error("rule " + rule_.name() + ": " + what);
  }

  const std::vector<uint32_t>& variable_registers() const { return variable_registers_; }
  const std::vector<uint32_t>& named_atoms() const { return named_atoms_; }

 private:
  uint32_t variable(std::string_view name) {
    std::vector<std::string_view>& names = query_.layout.classes;
    const auto it = std::ranges::find(names, name);
    if (it != names.end()) return variable_registers_[it - names.begin()];
    names.push_back(name);
    variable_registers_.push_back(query_.registers++);
    return variable_registers_.back();
  }

  void name_node(std::string_view name, uint32_t atom) {
    std::vector<std::string_view>& names = query_.layout.nodes;
    if (std::ranges::find(names, name) != names.end()) {
      fail("two nodes are named " + std::string(name));
    }
    names.push_back(name);
    named_atoms_.push_back(atom);
  }

  Query& query_;
  const Rule& rule_;
  const Operators& operators_;
  std::function<bool(Kind)> is_unordered_;
  std::vector<uint32_t> variable_registers_;
  std::vector<uint32_t> named_atoms_;
};

class Planner {
 public:
  explicit Planner(const Query& query)
      : query_(query), bound_(query.registers), done_(query.atoms.size()) {
    // The classes of ground terms are known before any search step.
    for (uint32_t atom = 0; atom < query_.atoms.size(); ++atom) {
      if (!query_.atoms[atom].is_ground) continue;
      bound_[query_.atoms[atom].cls] = true;
      done_[atom] = true;
    }
  }

  // `first` is the atom to start from, or kNoId for the best.
  Plan plan(uint32_t first) {
    Plan plan;
    if (first != kNoId) {
      add(plan, first, Access::kScan);
    }
    for (uint32_t atom = cheapest_atom(); atom != kNoId; atom = cheapest_atom()) {
      add(plan, atom, cheapest_access(atom));
    }
    if (first != kNoId) set_ages(plan, first);
    return plan;
  }

  // Every atom but one starting scan was reached through something bound.
  static bool is_linked(const Plan& plan) {
    return std::ranges::count(plan, Access::kScan, &Step::access) <= 1;
  }

 private:
  Access cheapest_access(uint32_t index) const {
    const Atom& atom = query_.atoms[index];
    const auto is_bound = [&](uint32_t reg) { return bound_[reg]; };
    const bool by_place = !atom.is_unordered && !atom.any_arity;
    if (by_place && atom.is_exact && std::ranges::all_of(atom.children, is_bound)) {
      return Access::kLookup;
    }
    if (bound_[atom.cls]) return Access::kInClass;
    if (by_place && std::ranges::any_of(atom.children, is_bound)) return Access::kParentOf;
    return Access::kScan;
  }

  // kNoId when none is left.
  uint32_t cheapest_atom() const {
    const auto cost = [](Access access) {
      switch (access) {
        case Access::kLookup:
          return 0;
        case Access::kInClass:
          return 1;
        case Access::kParentOf:
          return 2;
        case Access::kScan:
          return 3;
      }
      return 3;
    };
    uint32_t best = kNoId;
    for (uint32_t atom = 0; atom < query_.atoms.size(); ++atom) {
      if (done_[atom]) continue;
      if (best == kNoId || cost(cheapest_access(atom)) < cost(cheapest_access(best))) best = atom;
    }
    return best;
  }

  void add(Plan& plan, uint32_t index, Access access) {
    const Atom& atom = query_.atoms[index];
    Step step;
    step.atom = index;
    step.access = access;
    step.class_is_bound = bound_[atom.cls];
    if (step.access == Access::kParentOf) {
      step.via = static_cast<uint32_t>(
          std::ranges::find_if(atom.children, [&](uint32_t reg) { return bound_[reg]; }) -
          atom.children.begin());
    }
    bound_[atom.cls] = true;
    for (uint32_t i = 0; i < atom.children.size(); ++i) {
      const uint32_t reg = atom.children[i];
      // The child through which the node was reached is right already.
      const bool is_given = step.access == Access::kParentOf && i == step.via;
      if (!is_given) step.children.push_back({i, reg, bound_[reg]});
      bound_[reg] = true;
    }
    if (step.access == Access::kLookup) step.children.clear();
    done_[index] = true;
    plan.push_back(std::move(step));
  }

  static void set_ages(Plan& plan, uint32_t first) {
    for (Step& step : plan) {
      step.age = step.atom == first ? Age::kNew : step.atom < first ? Age::kOld : Age::kAny;
    }
  }

  const Query& query_;
  std::vector<bool> bound_;
  std::vector<bool> done_;
};

}  // namespace

Query::Query(const Rule& rule, const EGraph& graph) {
  layout.rule = rule.name();
  Flattener flattener(*this, rule, graph);
  const uint32_t root = flattener.flatten(rule.patterns().front());
  for (size_t i = 1; i < rule.patterns().size(); ++i) {
    if (rule.patterns()[i].form == Pattern::Form::kVariable) {
      flattener.fail("a lone variable beside another pattern");
    }
    flattener.flatten(rule.patterns()[i]);
  }
  is_any_class = atoms.empty();
  if (!is_any_class && rule.patterns().front().form == Pattern::Form::kVariable) {
    flattener.fail("a lone variable beside another pattern");
  }

  columns.push_back(root);
  for (const uint32_t reg : flattener.variable_registers()) columns.push_back(reg);
  for (const ClassVar variable : rule.follow_variables()) {
    if (std::ranges::find(layout.classes, variable.name) != layout.classes.end()) {
      flattener.fail("the matcher's variable " + std::string(variable.name) + " is bound before");
    }
    layout.classes.push_back(variable.name);
    columns.push_back(root);  // until the matcher says
  }
  class_columns = static_cast<uint32_t>(columns.size());
  for (const uint32_t atom : flattener.named_atoms()) columns.push_back(atom);

  if (is_any_class) return;
  full = Planner(*this).plan(kNoId);
  bool linked = Planner::is_linked(full);
  for (uint32_t atom = 0; atom < atoms.size(); ++atom) {
    delta.push_back(Planner(*this).plan(atom));
    linked = linked && Planner::is_linked(delta.back());
  }
  if (!linked) flattener.fail("its patterns share no variable");
}

}  // namespace flipsat::egraph
