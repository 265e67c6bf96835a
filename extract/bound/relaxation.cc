#include "extract/bound/relaxation.h"

#include <algorithm>

#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

constexpr int64_t kMostCost = int64_t{1} << 60;  // of all nodes together

}  // namespace

Relaxation::Relaxation(Problem& problem, ProgramState& state, const std::set<ClassId>& given_up,
                       const LaunchBoundOptions& options)
    : problem_(problem), given_up_(given_up), launches_(problem, state, graph_, options) {
  const std::set<hlo::ComputationId> open = regions_with_choices();
  for (hlo::ComputationId region : problem.import().regions) {
    if (!open.count(region)) {
      fixed_ = saturating_add(fixed_, state.objective(region));
      continue;
    }
    for (Unit root : state.pinned(region)) {
      const bool is_result = root == problem.input().computations[region].root;
      graph_.add_root(is_result ? class_of(problem.reference_to(root)) : class_of_unit(root));
    }
  }
  fill();
  if (problem.options().objective != Objective::kBytes) {
    std::set<Class> values;
    for (const auto& [unit, cls] : of_original_) values.insert(cls);
    launches_.price(values);
  }
  flat_ = flattened();
}

// May anything but what the input has define it?
bool Relaxation::is_choice(ClassId cls) {
  auto [it, is_new] = is_choice_.try_emplace(cls);
  if (is_new) it->second = !given_up_.count(cls) && !problem_.definitions(cls).empty();
  return it->second;
}

std::set<hlo::ComputationId> Relaxation::regions_with_choices() {
  std::set<hlo::ComputationId> regions;
  for (const auto& [cls, originals] : problem_.classes_with_originals()) {
    if (!is_choice(cls)) continue;
    regions.insert(problem_.hlo().facts_of(cls).region);
  }
  return regions;
}

int64_t Relaxation::times(Unit unit) const {
  return problem_.calls().executions(problem_.instruction(unit).computation);
}

Relaxation::Class Relaxation::class_of_unit(Unit unit) {
  auto [it, is_new] = of_unit_.try_emplace(unit);
  if (is_new) {
    it->second = graph_.add_class();
    open_units_.emplace_back(it->second, unit);
  }
  return it->second;
}

// Originals that nothing else can define are no choice.
Relaxation::Class Relaxation::class_of_original(Unit original) {
  const ClassId cls = problem_.class_of(original);
  if (!is_choice(cls)) return class_of_unit(original);
  auto [it, is_new] = of_original_.try_emplace(original);
  if (is_new) {
    const Class at = it->second = graph_.add_class();
    const Class unit = class_of_unit(original), choice = class_of_choice(cls);
    graph_.nodes(at) = {{0, {unit}}, {0, {choice}}};
  }
  return of_original_.at(original);
}

Relaxation::Class Relaxation::class_of_choice(ClassId cls) {
  auto [it, is_new] = of_choice_.try_emplace(cls);
  if (is_new) {
    it->second = graph_.add_class();
    open_choices_.emplace_back(it->second, cls);
  }
  return it->second;
}

Relaxation::Class Relaxation::class_of(const Problem::Reference& reference) {
  if (reference.cls == egraph::kNoId) return class_of_unit(reference.written);
  if (reference.written == hlo::kNoId) return class_of_choice(reference.cls);
  return class_of_original(reference.written);
}

void Relaxation::fill() {
  while (!open_units_.empty() || !open_choices_.empty()) {
    if (!open_choices_.empty()) {
      const auto [at, cls] = open_choices_.back();
      open_choices_.pop_back();
      std::vector<NodeId>& nodes = options_[cls];
      if (problem_.originals(cls).empty()) {
        const auto all = problem_.hlo().graph().nodes(cls);
        nodes.assign(all.begin(), all.end());
        std::erase_if(nodes, [&](NodeId node) { return !problem_.can_hold(node); });
      } else {
        nodes = problem_.definitions(cls);
      }
      std::vector<AndOrNode> options;
      for (NodeId node : nodes) options.push_back({0, {class_of_unit(problem_.unit(node))}});
      graph_.nodes(at) = std::move(options);
      continue;
    }
    const auto [at, unit] = open_units_.back();
    open_units_.pop_back();
    AndOrNode node = node_of(unit);
    graph_.nodes(at) = {std::move(node)};
    if (is_priced_by_launch(unit)) launches_.add(at, unit);
  }
}

bool Relaxation::is_priced_by_launch(Unit unit) const {
  return problem_.options().objective != Objective::kBytes && problem_.is_combined(unit);
}

AndOrNode Relaxation::node_of(Unit unit) {
  const Objective objective = problem_.options().objective;
  AndOrNode node;
  for (size_t i = 0; i < problem_.references(unit).size(); ++i) {
    const Problem::Reference reference = problem_.references(unit)[i];
    node.children.push_back(class_of(reference));
  }
  const Problem::CollectiveUnit* collective = problem_.collective(unit);
  int64_t cost = objective == Objective::kTime ? problem_.local_cost(unit) : 0;
  if (collective && objective == Objective::kBytes) {
    cost = collective->wire;
  } else if (collective && !is_priced_by_launch(unit)) {
    const bool is_time = objective == Objective::kTime;
    cost = saturating_add(cost, is_time ? problem_.launch_time(*collective, collective->bytes) : 1);
  }
  node.cost = saturating_multiply(cost, times(unit));
  return node;
}

std::optional<egraph::dag::Problem> Relaxation::flattened() {
  const std::vector<Class> order = graph_.order();
  flat_class_.assign(graph_.class_count(), egraph::kNoId);
  for (uint32_t i = 0; i < order.size(); ++i) flat_class_[order[i]] = i;
  egraph::dag::Problem problem;
  std::vector<uint32_t> children;
  int64_t total = 0;
  for (Class cls : order) {
    for (const AndOrNode& node : graph_.nodes(cls)) {
      total = saturating_add(total, node.cost);
      if (total > kMostCost) return std::nullopt;
      children.clear();
      for (uint32_t child : node.children) children.push_back(flat_class_[child]);
      problem.add_node(static_cast<uint64_t>(node.cost), children);
    }
    problem.close_class();
  }
  for (Class root : graph_.roots()) problem.roots.push_back(flat_class_[root]);
  std::ranges::sort(problem.roots);
  const auto twice = std::ranges::unique(problem.roots);
  problem.roots.erase(twice.begin(), twice.end());
  return problem;
}

egraph::dag::Selection Relaxation::selection_of(const ProgramState& program) const {
  egraph::dag::Selection selection(flat_->class_count());
  // By place within a class.
  auto select = [&](Class cls, size_t place) {
    const uint32_t at = flat_class_[cls];
    if (at == egraph::kNoId) return;
    const bool has = place < graph_.nodes(cls).size();
    selection[at] = has ? flat_->first_node[at] + static_cast<uint32_t>(place) : egraph::kNoId;
  };
  for (Class cls = 0; cls < graph_.class_count(); ++cls) select(cls, 0);
  for (const auto& [original, cls] : of_original_) {
    select(cls, program.chosen(problem_.class_of(original)) != egraph::kNoId);
  }
  for (const auto& [cls, nodes] : options_) {
    const auto place = std::ranges::find(nodes, program.chosen(cls));
    select(of_choice_.at(cls), static_cast<size_t>(place - nodes.begin()));
  }
  choose_launches(selection);
  return selection;
}

// Of each launch the cheapest line; where any launch will do, one that the program has for
// something else, or the cheapest.
void Relaxation::choose_launches(egraph::dag::Selection& selection) const {
  const std::vector<bool> has = classes_in(selection);
  const auto first_node = [&](Class cls) { return flat_->first_node[flat_class_[cls]]; };
  for (const LaunchBounds::Lined& launch : launches_.lined()) {
    std::vector<uint64_t> cost;
    for (Class line : launch.lines) {
      const bool is_there = flat_class_[line] != egraph::kNoId;
      cost.push_back(is_there ? flat_->cost[first_node(line)] : 0);
    }
    const auto each = [&](auto&& action) {
      for (Class cls : launch.collectives) {
        if (flat_class_[cls] != egraph::kNoId && has[flat_class_[cls]]) action(cls);
      }
    };
    each([&](Class cls) {
      for (size_t i = 0; i < cost.size(); ++i) cost[i] += flat_->cost[first_node(cls) + i];
    });
    const auto line = static_cast<uint32_t>(std::ranges::min_element(cost) - cost.begin());
    each([&](Class cls) { selection[flat_class_[cls]] = first_node(cls) + line; });
    if (flat_class_[launch.either] != egraph::kNoId) {
      selection[flat_class_[launch.either]] = first_node(launch.either) + line;
    }
  }
  for (Class cls : launches_.open_launches()) {
    if (flat_class_[cls] != egraph::kNoId) selection[flat_class_[cls]] = egraph::kNoId;
  }
  const std::vector<bool> has_launch = classes_in(selection);
  for (Class cls : launches_.open_launches()) {
    const uint32_t at = flat_class_[cls];
    if (at == egraph::kNoId) continue;
    std::optional<uint64_t> least;
    for (uint32_t node = flat_->first_node[at]; node < flat_->first_node[at + 1]; ++node) {
      const uint32_t launch = flat_->needs(node)[0];
      // The line of an `either` that nothing else has.
      uint32_t line = launch;
      while (flat_->needs(selection[line]).size() == 1 && flat_->cost[selection[line]] == 0) {
        line = flat_->needs(selection[line])[0];
      }
      const uint64_t cost = has_launch[launch] ? 0 : flat_->cost[selection[line]];
      if (least && cost >= *least) continue;
      least = cost;
      selection[at] = node;
    }
  }
}

// What the roots need, where classes without a selected node need nothing.
std::vector<bool> Relaxation::classes_in(const egraph::dag::Selection& selection) const {
  std::vector<uint32_t> open = flat_->roots;
  std::vector<bool> has(flat_->class_count());
  for (uint32_t root : open) has[root] = true;
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (selection[at] == egraph::kNoId) continue;
    for (uint32_t child : flat_->needs(selection[at])) {
      if (!has[child]) open.push_back(child);
      has[child] = true;
    }
  }
  return has;
}

Choices Relaxation::program_of(const egraph::dag::Selection& selection) const {
  // By place within a class; nullopt where nothing needs it.
  auto place = [&](Class cls) -> std::optional<uint32_t> {
    const uint32_t at = flat_class_[cls];
    if (at == egraph::kNoId || selection[at] == egraph::kNoId) return std::nullopt;
    return selection[at] - flat_->first_node[at];
  };
  Choices program;
  std::set<ClassId> redefined;
  for (const auto& [original, cls] : of_original_) {
    if (place(cls) == 1) redefined.insert(problem_.class_of(original));
  }
  for (const auto& [cls, nodes] : options_) {
    const auto chosen = place(of_choice_.at(cls));
    if (chosen && (problem_.originals(cls).empty() || redefined.count(cls))) {
      program.emplace_back(cls, nodes[*chosen]);
    }
  }
  return program;
}

}  // namespace flipsat::extract
