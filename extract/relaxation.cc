#include "extract/relaxation.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

constexpr size_t kNeighbourhood = 256;           // classes looked at for what may stand for what
constexpr int64_t kMostCost = int64_t{1} << 60;  // of all nodes together

}  // namespace

Relaxation::Relaxation(Problem& problem, ProgramState& state, const std::set<ClassId>& given_up)
    : problem_(problem), state_(state), given_up_(given_up) {
  const std::set<hlo::ComputationId> open = regions_with_choices();
  for (hlo::ComputationId region : problem.import().regions) {
    if (!open.count(region)) {
      fixed_ = saturating_add(fixed_, state.objective(region));
      continue;
    }
    for (Unit root : state.pinned(region)) {
      const bool is_result = root == problem.input().computations[region].root;
      roots_.push_back(is_result ? class_of(problem.reference_to(root)) : class_of_unit(root));
    }
  }
  fill();
  find_families();
  find_users();
  if (price_groups()) flat_ = flattened();
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

uint32_t Relaxation::add_class() {
  classes_.emplace_back();
  return static_cast<uint32_t>(classes_.size() - 1);
}

uint32_t Relaxation::class_of_unit(Unit unit) {
  auto [it, is_new] = of_unit_.try_emplace(unit);
  if (is_new) {
    it->second = add_class();
    open_units_.emplace_back(it->second, unit);
  }
  return it->second;
}

// Originals that nothing else can define are no choice.
uint32_t Relaxation::class_of_original(Unit original) {
  const ClassId cls = problem_.class_of(original);
  if (!is_choice(cls)) return class_of_unit(original);
  auto [it, is_new] = of_original_.try_emplace(original);
  if (is_new) {
    const uint32_t at = it->second = add_class();
    const uint32_t unit = class_of_unit(original), choice = class_of_choice(cls);
    classes_[at] = {{0, {unit}}, {0, {choice}}};
  }
  return of_original_.at(original);
}

uint32_t Relaxation::class_of_choice(ClassId cls) {
  auto [it, is_new] = of_choice_.try_emplace(cls);
  if (is_new) {
    it->second = add_class();
    open_choices_.emplace_back(it->second, cls);
  }
  return it->second;
}

uint32_t Relaxation::class_of(const Problem::Reference& reference) {
  if (reference.cls == egraph::kNoId) return class_of_unit(reference.written);
  if (reference.written == hlo::kNoId) return class_of_choice(reference.cls);
  return class_of_original(reference.written);
}

void Relaxation::fill() {
  const Objective objective = problem_.options().objective;
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
      std::vector<Node> options;
      for (NodeId node : nodes) options.push_back({0, {class_of_unit(problem_.unit(node))}});
      classes_[at] = std::move(options);
      continue;
    }
    const auto [at, unit] = open_units_.back();
    open_units_.pop_back();
    Node node;
    for (size_t i = 0; i < problem_.references(unit).size(); ++i) {
      const Problem::Reference reference = problem_.references(unit)[i];
      node.children.push_back(class_of(reference));
    }
    const Problem::CollectiveUnit* collective = problem_.collective(unit);
    int64_t cost = objective == Objective::kTime ? problem_.local_cost(unit) : 0;
    if (collective && objective == Objective::kBytes) cost = collective->wire;
    const bool is_combined = problem_.is_combined(unit);
    if (collective && !is_combined) {
      if (objective == Objective::kTime) {
        cost = saturating_add(cost, problem_.launch_time(*collective, collective->bytes));
      } else if (objective == Objective::kLaunches) {
        cost = 1;
      }
    }
    node.cost = saturating_multiply(cost, times(unit));
    if (is_combined && objective != Objective::kBytes) {
      const hlo::CombinerGraph::Candidate& candidate = *collective->candidate;
      Group& group =
          groups_[{problem_.instruction(unit).computation, candidate.kind, candidate.key}];
      group.members.push_back(at);
      group.units.push_back(unit);
      group.bytes = saturating_add(group.bytes, collective->bytes);
      group.least_bytes = std::min(group.least_bytes, collective->bytes);
    }
    classes_[at] = {std::move(node)};
  }
}

// Groups that meet among the definitions of one class.
void Relaxation::find_families() {
  std::map<uint32_t, size_t> group_of;  // by class of a unit
  std::vector<size_t> leader;
  for (auto& [key, group] : groups_) {
    group.family = leader.size();
    for (uint32_t member : group.members) group_of[member] = group.family;
    leader.push_back(group.family);
  }
  auto find = [&](size_t x) {
    while (leader[x] != x) x = leader[x] = leader[leader[x]];
    return x;
  };
  std::set<uint32_t> originals;
  for (const auto& [unit, cls] : of_original_) originals.insert(cls);
  for (const auto& [unit, cls] : of_original_) {
    // What the class may bring, down to other classes of the input.
    std::vector<uint32_t> open{cls};
    std::set<uint32_t> seen{cls};
    std::optional<size_t> first;
    while (!open.empty() && seen.size() < kNeighbourhood) {
      const uint32_t at = open.back();
      open.pop_back();
      auto group = group_of.find(at);
      if (group != group_of.end()) {
        if (first) leader[find(group->second)] = find(*first);
        first = group->second;
      }
      for (const Node& node : classes_[at]) {
        for (uint32_t child : node.children) {
          if (!originals.count(child) && seen.insert(child).second) open.push_back(child);
        }
      }
    }
  }
  for (auto& [key, group] : groups_) group.family = find(group.family);
}

// Classes that every program has.
std::vector<bool> Relaxation::forced() const {
  std::vector<bool> forced(classes_.size());
  std::vector<uint32_t> open;
  auto force = [&](uint32_t cls) {
    if (forced[cls]) return;
    forced[cls] = true;
    open.push_back(cls);
  };
  for (uint32_t root : roots_) force(root);
  while (!open.empty()) {
    const uint32_t cls = open.back();
    open.pop_back();
    if (classes_[cls].size() != 1) continue;
    for (uint32_t child : classes_[cls][0].children) force(child);
  }
  return forced;
}

// By class, the least over all programs of the most weight that a path down from it has: Knuth's
// generalisation of Dijkstra's algorithm, which knows no cycles.
std::vector<int64_t> Relaxation::heights(const std::map<uint32_t, int64_t>& weights) const {
  const size_t count = first_user_.size() - 1;
  std::vector<uint32_t> missing = children_of_node_;
  std::vector<int64_t> height(count, -1), weight(count, 0);
  for (const auto& [cls, value] : weights) weight[cls] = value;
  using Entry = std::pair<int64_t, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  // Values come off in rising order, so those that are no higher than the last need no queue.
  std::vector<uint32_t> same;
  for (uint32_t node = 0; node < missing.size(); ++node) {
    if (missing[node] == 0) open.emplace(weight[class_of_node_[node]], class_of_node_[node]);
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
      if (weight[user] == 0) {
        height[user] = height[cls];
        same.push_back(user);
      } else {
        open.emplace(saturating_add(height[cls], weight[user]), user);
      }
    }
  }
  return height;
}

// By class, the nodes that need it. Launches, which come later, stand above nothing.
void Relaxation::find_users() {
  first_user_.assign(classes_.size() + 1, 0);
  for (uint32_t cls = 0; cls < classes_.size(); ++cls) {
    for (const Node& node : classes_[cls]) {
      class_of_node_.push_back(cls);
      children_of_node_.push_back(static_cast<uint32_t>(node.children.size()));
      for (uint32_t child : node.children) ++first_user_[child + 1];
    }
  }
  for (size_t i = 1; i < first_user_.size(); ++i) first_user_[i] += first_user_[i - 1];
  users_.resize(first_user_.back());
  std::vector<uint32_t> next(first_user_.begin(), first_user_.end() - 1);
  uint32_t number = 0;
  for (const auto& nodes : classes_) {
    for (const Node& node : nodes) {
      for (uint32_t child : node.children) users_[next[child]++] = number;
      ++number;
    }
  }
}

bool Relaxation::price_groups() {
  if (problem_.options().objective == Objective::kBytes) return true;
  const std::vector<bool> is_forced = forced();
  std::map<size_t, std::vector<std::pair<const Key, Group>*>> families;
  for (auto& entry : groups_) families[entry.second.family].push_back(&entry);
  for (auto& [unused, family] : families) {
    std::map<uint32_t, int64_t> one;
    for (const auto* entry : family) {
      for (uint32_t member : entry->second.members) one[member] = 1;
    }
    const std::vector<int64_t> height = heights(one);
    int64_t longest = 0;
    for (uint32_t root : roots_) {
      if (root < height.size()) longest = std::max(longest, height[root]);  // no launch
    }
    if (longest > static_cast<int64_t>(family.size())) {
      if (!price_by_path(family)) return false;
      continue;
    }
    for (const auto* entry : family) {
      if (!price_by_key(entry->first, entry->second, is_forced)) return false;
    }
  }
  return true;
}

bool Relaxation::price_by_key(const Key& key, const Group& group,
                              const std::vector<bool>& is_forced) {
  const auto [region, kind, unused] = key;
  const int64_t times = problem_.calls().executions(region);
  const hlo::CombinerGraph::Limits& limits = problem_.limits(region)[kind];
  int64_t live_bytes = 0, batches = 0;
  const std::set<Unit> units(group.units.begin(), group.units.end());
  for (const std::vector<Unit>& batch : state_.live_batches(region)) {
    if (!units.count(batch.front())) continue;
    ++batches;
    for (Unit unit : batch) live_bytes += problem_.collective(unit)->bytes;
  }
  int64_t forced_bytes = 0, forced_full = 0, forced_count = 0;
  std::map<uint32_t, int64_t> one;
  for (size_t i = 0; i < group.units.size(); ++i) {
    one[group.members[i]] = 1;
    if (!is_forced[group.members[i]]) continue;
    const int64_t bytes = problem_.collective(group.units[i])->bytes;
    ++forced_count;
    forced_bytes = saturating_add(forced_bytes, bytes);
    forced_full = saturating_add(forced_full, std::min(bytes, limits.bytes));
  }
  const std::vector<int64_t> depth = heights(one);
  int64_t most = 1;
  for (uint32_t member : group.members) most = std::max(most, depth[member]);

  const auto parts = [](int64_t whole, int64_t limit) {
    return limit > 0 ? whole / limit + (whole % limit != 0) : whole;
  };
  const int64_t at_least =
      std::max(parts(forced_full, limits.bytes), parts(forced_count, limits.count));

  LaunchLine line{1, 0};
  if (problem_.options().objective == Objective::kTime) {
    const Problem::CollectiveUnit& first = *problem_.collective(group.units.front());
    // One launch can be thought to move all bytes, and so at least those that every program moves.
    const int64_t from =
        most == 1 && at_least <= 1 ? std::max(group.least_bytes, forced_bytes) : group.least_bytes;
    const int64_t at = batches > 0 ? live_bytes / batches : group.bytes;
    const auto found = launch_line(problem_.machine(), first.opcode, problem_.spans(first), from,
                                   group.bytes, std::clamp(at, from, group.bytes));
    if (!found) return false;
    line = *found;
  }
  // Launch d needs launch d - 1.
  std::vector<uint32_t> launches;
  auto launch = [&](int64_t number) {
    while (static_cast<int64_t>(launches.size()) < number) {
      const uint32_t at = add_class();
      classes_[at] = {{saturating_multiply(line.fixed, times), {}}};
      if (!launches.empty()) classes_[at][0].children = {launches.back()};
      launches.push_back(at);
    }
    return launches[number - 1];
  };
  for (size_t i = 0; i < group.members.size(); ++i) {
    const uint32_t needed = launch(std::max<int64_t>(depth[group.members[i]], 1));
    Node& node = classes_[group.members[i]][0];
    const int64_t bytes = problem_.collective(group.units[i])->bytes;
    node.cost = saturating_add(node.cost, saturating_multiply(line.moving(bytes), times));
    node.children.push_back(needed);
  }
  if (at_least > 1) roots_.push_back(launch(at_least));
  return true;
}

bool Relaxation::price_by_path(const std::vector<std::pair<const Key, Group>*>& family) {
  std::map<uint32_t, int64_t> weights;
  std::map<uint32_t, int64_t> moving;
  for (const auto* entry : family) {
    const auto& [key, group] = *entry;
    const int64_t times = problem_.calls().executions(std::get<0>(key));
    std::optional<LaunchSlope> slope;
    for (size_t i = 0; i < group.members.size(); ++i) {
      const Problem::CollectiveUnit& unit = *problem_.collective(group.units[i]);
      int64_t fixed = 1, by_bytes = 0;
      if (problem_.options().objective == Objective::kTime) {
        if (!slope) {
          slope = launch_slope(problem_.machine(), unit.opcode, problem_.spans(unit),
                               group.least_bytes, group.bytes);
        }
        by_bytes = slope->moving(unit.bytes);
        fixed =
            std::max<int64_t>(problem_.launch_time(unit, unit.bytes) - by_bytes - slope->slack, 0);
      }
      weights[group.members[i]] = saturating_multiply(fixed, times);
      moving[group.members[i]] = saturating_multiply(by_bytes, times);
    }
  }
  const std::vector<int64_t> height = heights(weights);
  // Time up to each height that a collective may stand at.
  std::map<int64_t, uint32_t> up_to;
  for (const auto& [member, weight] : weights) {
    if (height[member] > 0) up_to[height[member]] = 0;
  }
  int64_t before = 0;
  std::optional<uint32_t> below;
  for (auto& [time, cls] : up_to) {
    cls = add_class();
    classes_[cls] = {{time - before, {}}};
    if (below) classes_[cls][0].children = {*below};
    before = time;
    below = cls;
  }
  for (const auto& [member, weight] : weights) {
    Node& node = classes_[member][0];
    node.cost = saturating_add(node.cost, moving[member]);
    if (height[member] > 0) node.children.push_back(up_to.at(height[member]));
  }
  return true;
}

// What the roots need, each class after what it needs but for cycles.
std::vector<uint32_t> Relaxation::find_order() const {
  std::vector<uint32_t> order;
  std::vector<bool> seen(classes_.size());
  struct Frame {
    uint32_t cls;
    size_t node = 0, child = 0;
  };
  std::vector<Frame> stack;
  auto enter = [&](uint32_t cls) {
    if (seen[cls]) return;
    seen[cls] = true;
    stack.push_back({cls});
  };
  for (uint32_t root : roots_) {
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

std::optional<egraph::dag::Problem> Relaxation::flattened() {
  const std::vector<uint32_t> order = find_order();
  flat_class_.assign(classes_.size(), egraph::kNoId);
  for (uint32_t i = 0; i < order.size(); ++i) flat_class_[order[i]] = i;
  egraph::dag::Problem problem;
  std::vector<uint32_t> children;
  int64_t total = 0;
  for (uint32_t cls : order) {
    for (const Node& node : classes_[cls]) {
      total = saturating_add(total, node.cost);
      if (total > kMostCost) return std::nullopt;
      children.clear();
      for (uint32_t child : node.children) children.push_back(flat_class_[child]);
      problem.add_node(static_cast<uint64_t>(node.cost), children);
    }
    problem.close_class();
  }
  for (uint32_t root : roots_) problem.roots.push_back(flat_class_[root]);
  std::ranges::sort(problem.roots);
  const auto twice = std::ranges::unique(problem.roots);
  problem.roots.erase(twice.begin(), twice.end());
  return problem;
}

egraph::dag::Selection Relaxation::selection_of(const ProgramState& program) const {
  egraph::dag::Selection selection(flat_->class_count());
  // By place within a class.
  auto select = [&](uint32_t cls, size_t place) {
    const uint32_t at = flat_class_[cls];
    if (at == egraph::kNoId) return;
    const bool has = place < classes_[cls].size();
    selection[at] = has ? flat_->first_node[at] + static_cast<uint32_t>(place) : egraph::kNoId;
  };
  for (uint32_t cls = 0; cls < classes_.size(); ++cls) select(cls, 0);
  for (const auto& [original, cls] : of_original_) {
    select(cls, program.chosen(problem_.class_of(original)) != egraph::kNoId);
  }
  for (const auto& [cls, nodes] : options_) {
    const auto place = std::ranges::find(nodes, program.chosen(cls));
    select(of_choice_.at(cls), static_cast<size_t>(place - nodes.begin()));
  }
  return selection;
}

Choices Relaxation::program_of(const egraph::dag::Selection& selection) const {
  // By place within a class; nullopt where nothing needs it.
  auto place = [&](uint32_t cls) -> std::optional<uint32_t> {
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
