#include "extract/moves.h"

#include <algorithm>
#include <limits>
#include <set>

#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max() / 4;
constexpr size_t kCycleWork = 256;  // definitions looked at for a cycle
constexpr int kMaxTries = 64;       // definitions of a class that cannot have its cheapest one

}  // namespace

MoveFinder::MoveFinder(Problem& problem, ProgramState& state, std::set<ClassId> given_up)
    : problem_(problem), state_(state), given_up_(std::move(given_up)) {
  complete_new_classes();
}

int64_t MoveFinder::cost_if_added(Unit unit) {
  const Problem::CollectiveUnit* collective = problem_.collective(unit);
  const int64_t times = problem_.calls().executions(problem_.instruction(unit).computation);
  int64_t cost = 0;
  switch (problem_.options().objective) {
    case Objective::kTime:
      cost = problem_.local_cost(unit);
      if (collective) {
        // An empty collective takes no longer than one of a byte, and costs are never negative.
        const int64_t bytes = std::max<int64_t>(collective->bytes, 1);
        cost = saturating_add(cost, problem_.launch_time(*collective, bytes));
        // It may share a launch.
        if (collective->candidate) cost -= problem_.launch_time(*collective, 1);
      }
      break;
    case Objective::kBytes:
      cost = collective ? collective->wire : 0;
      break;
    case Objective::kLaunches:
      cost = collective && !collective->candidate;
      break;
  }
  return saturating_multiply(cost, times);
}

int64_t MoveFinder::cost_if_removed(Unit unit, Objective objective) {
  const Problem::CollectiveUnit* collective = problem_.collective(unit);
  int64_t cost = 0;
  switch (objective) {
    case Objective::kTime:
      cost = problem_.local_cost(unit);
      if (collective) {
        cost = saturating_add(cost, problem_.launch_time(*collective, collective->bytes));
      }
      break;
    case Objective::kBytes:
      cost = collective ? collective->wire : 0;
      break;
    case Objective::kLaunches:
      cost = collective != nullptr;
      break;
  }
  return saturating_multiply(cost,
                             problem_.calls().executions(problem_.instruction(unit).computation));
}

MoveFinder::Key MoveFinder::key_of(Unit candidate) {
  const hlo::CombinerGraph::Candidate& seen = *problem_.collective(candidate)->candidate;
  return {problem_.instruction(candidate).computation, seen.kind, seen.key};
}

// What a batch costs, cut where it is above the combiner's limits.
int64_t MoveFinder::price(const Key& key, const Batch& batch) {
  if (batch.count == 0) return 0;
  const auto [region, kind, unused] = key;
  const hlo::CombinerGraph::Limits& limits = problem_.limits(region)[kind];
  auto parts_of = [](int64_t whole, int64_t limit) {
    return limit > 0 ? whole / limit + (whole % limit != 0) : 1;
  };
  const int64_t parts = std::clamp<int64_t>(
      std::max(parts_of(batch.bytes, limits.bytes), parts_of(batch.count, limits.count)), 1,
      batch.count);
  int64_t cost = parts;
  if (problem_.options().objective == Objective::kTime) {
    cost = saturating_multiply(
        problem_.launch_time(*problem_.collective(batch.first), batch.bytes / parts), parts);
  }
  return saturating_multiply(cost, problem_.calls().executions(region));
}

int64_t MoveFinder::likely_gain(const Effect& effect) {
  if (problem_.options().objective == Objective::kBytes) return effect.gain;
  int64_t saved = 0, spent = 0;  // they may be as large as can be
  std::map<size_t, Batch> after;
  std::map<Key, Batch> fresh;
  auto candidate = [&](Unit unit) {
    const Problem::CollectiveUnit* collective = problem_.collective(unit);
    return collective && collective->candidate ? collective : nullptr;
  };
  auto local = [&](Unit unit) {
    if (problem_.options().objective != Objective::kTime) return int64_t{0};
    return saturating_multiply(problem_.local_cost(unit),
                               problem_.calls().executions(problem_.instruction(unit).computation));
  };
  for (Unit unit : effect.removed) {
    const size_t batch = in_program(unit).batch;
    saved = saturating_add(
        saved, batch == kNone ? cost_if_removed(unit, problem_.options().objective) : local(unit));
    if (batch == kNone) continue;
    Batch& left = after.try_emplace(batch, batches_[batch]).first->second;
    left.bytes -= problem_.collective(unit)->bytes;
    --left.count;
  }
  for (Unit unit : effect.added) {
    const Problem::CollectiveUnit* collective = candidate(unit);
    spent = saturating_add(spent, collective ? local(unit) : cost_if_added(unit));
    if (!collective) continue;
    auto open = open_batch_.find(key_of(unit));
    Batch& joined = open == open_batch_.end()
                        ? fresh[key_of(unit)]
                        : after.try_emplace(open->second, batches_[open->second]).first->second;
    if (joined.first == hlo::kNoId) joined.first = unit;
    joined.bytes = saturating_add(joined.bytes, collective->bytes);
    ++joined.count;
  }
  for (const auto& [index, batch] : after) {
    const Key key = key_of(batch.first);
    saved = saturating_add(saved, price(key, batches_[index]));
    spent = saturating_add(spent, price(key, batch));
  }
  for (const auto& [key, batch] : fresh) spent = saturating_add(spent, price(key, batch));
  return saved - spent;
}

// The cheapest way to have each class that the input does not hold, over what the input holds.
void MoveFinder::complete_new_classes() {
  const egraph::EGraph& graph = problem_.hlo().graph();
  least_.assign(graph.node_bound(), kUnknown);
  least_node_.assign(graph.node_bound(), egraph::kNoId);
  std::vector<ClassId> fresh;
  for (ClassId cls : graph.classes()) {
    if (problem_.originals(cls).empty()) {
      fresh.push_back(cls);
    } else {
      least_[cls] = 0;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (ClassId cls : fresh) {
      for (NodeId node : graph.nodes(cls)) {
        if (!problem_.can_hold(node)) continue;
        int64_t cost = 0;
        for (ClassId child : graph.children(node)) {
          cost = std::min(kUnknown, saturating_add(cost, least_[graph.find(child)]));
        }
        if (cost == kUnknown) continue;
        // One more than it costs, so that a class never stands below itself.
        cost = saturating_add(cost, saturating_add(cost_if_added(problem_.unit(node)), 1));
        if (cost >= least_[cls]) continue;
        least_[cls] = cost;
        least_node_[cls] = node;
        changed = true;
      }
    }
  }
}

void MoveFinder::look() {
  state_.settle();
  places_.assign(problem_.unit_bound(), {});
  users_of_.resize(problem_.unit_bound());
  for (std::vector<Unit>& users : users_of_) users.clear();
  batches_.clear();
  open_batch_.clear();
  size_t place = 0;
  for (hlo::ComputationId region : problem_.import().regions) {
    for (const std::vector<Unit>& members : state_.live_batches(region)) {
      const size_t index = batches_.size();
      Batch batch{0, static_cast<int64_t>(members.size()), members.front()};
      for (Unit unit : members) {
        places_[unit].batch = index;
        batch.bytes = saturating_add(batch.bytes, problem_.collective(unit)->bytes);
      }
      auto [open, is_new] = open_batch_.try_emplace(key_of(batch.first), index);
      if (!is_new && batch.bytes < batches_[open->second].bytes) open->second = index;
      batches_.push_back(batch);
    }
    for (Unit unit : state_.live_units(region)) {
      places_[unit].place = place++;
      for (const Problem::Reference& reference : problem_.references(unit)) {
        const Unit operand = state_.resolve(reference);
        std::vector<Unit>& users = users_of_[operand];
        if (!users.empty() && users.back() == unit) continue;
        users.push_back(unit);
        ++places_[operand].users;
      }
    }
    const Unit root = problem_.input().computations[region].root;
    ++places_[state_.resolve(problem_.reference_to(root))].users;
  }
}

const MoveFinder::Place& MoveFinder::in_program(Unit unit) const {
  static const Place kNowhere;
  return unit < places_.size() ? places_[unit] : kNowhere;
}

std::span<const Unit> MoveFinder::users_of(Unit unit) const {
  if (unit >= users_of_.size()) return {};
  return users_of_[unit];
}

// Does a unit of the program read a class, itself or through one other?
bool MoveFinder::reads(Unit unit, ClassId cls, int steps) {
  for (const Problem::Reference& reference : problem_.references(unit)) {
    const Unit operand = state_.resolve(reference);
    if (operand == hlo::kNoId) continue;
    if (problem_.class_of(operand) == cls) return true;
    if (steps > 1 && reads(operand, cls, steps - 1)) return true;
  }
  return false;
}

// Does the program have the class as it is, and not by what is being defined?
bool MoveFinder::is_there(ClassId cls) {
  if (least_[cls] != 0) {
    const NodeId chosen = state_.chosen(cls);
    if (chosen == egraph::kNoId || !state_.is_live(problem_.unit(chosen))) return false;
  }
  const Unit unit = state_.resolve_class(cls);
  return std::ranges::none_of(path_, [&](ClassId defined) { return reads(unit, defined, 2); });
}

// Adds what defines a class by a node, over what the program has: false where that comes back to
// what is being defined.
bool MoveFinder::define(ClassId cls, NodeId node, Choices& choices) {
  const egraph::EGraph& graph = problem_.hlo().graph();
  const size_t before = choices.size();
  choices.emplace_back(cls, node);
  path_.push_back(cls);
  bool is_defined = true;
  for (ClassId name : graph.children(node)) {
    const ClassId child = graph.find(name);
    if (std::ranges::find(path_, child) != path_.end()) is_defined = false;
    if (!is_defined) break;
    const bool is_chosen =
        std::ranges::any_of(choices, [&](const auto& choice) { return choice.first == child; });
    if (!is_chosen && !is_there(child)) is_defined = define_well(child, choices);
  }
  path_.pop_back();
  if (!is_defined) choices.resize(before);
  return is_defined;
}

// By the node that costs least, or that is the cheapest of those that do not come back.
bool MoveFinder::define_well(ClassId cls, Choices& choices) {
  if (least_[cls] != 0) {
    if (least_node_[cls] == egraph::kNoId) return false;
    if (define(cls, least_node_[cls], choices)) return true;
  }
  const auto all = problem_.hlo().graph().nodes(cls);
  const std::vector<NodeId> nodes =
      least_[cls] == 0 ? alternatives_of(cls) : std::vector<NodeId>(all.begin(), all.end());
  const size_t before = choices.size();
  Choices best;
  int64_t least = kUnknown;
  for (NodeId node : nodes) {
    if (--tries_ < 0) break;
    if (!define(cls, node, choices)) continue;
    int64_t cost = 0;
    for (size_t i = before; i < choices.size(); ++i) {
      cost = saturating_add(cost, cost_if_added(problem_.unit(choices[i].second)));
    }
    if (cost < least) {
      least = cost;
      best.assign(choices.begin() + static_cast<int64_t>(before), choices.end());
    }
    choices.resize(before);
  }
  choices.insert(choices.end(), best.begin(), best.end());
  return !best.empty();
}

// Choices that define `cls` by `node`, and each class below that the program does not have, or has
// only by way of `cls`: where B is f(A), A may become B with f undone if B is defined without A.
bool MoveFinder::complete(ClassId cls, NodeId node, Choices& choices) {
  choices.clear();
  path_.clear();
  tries_ = kMaxTries;
  return define(cls, node, choices);
}

// The same with a new class below defined by a node of its own.
bool MoveFinder::complete_by(ClassId cls, NodeId node, ClassId below, NodeId by, Choices& choices) {
  choices.clear();
  path_.assign(1, cls);
  tries_ = kMaxTries;
  if (!define(below, by, choices)) return false;
  path_.clear();
  return define(cls, node, choices);
}

// What defines a class now.
std::vector<Unit> MoveFinder::holders_of(ClassId cls) {
  const NodeId chosen = state_.chosen(cls);
  if (chosen != egraph::kNoId) return {problem_.unit(chosen)};
  return problem_.originals(cls);
}

// Originals of a class that the program would read if it were taken back.
std::vector<Unit> MoveFinder::originals_read(ClassId cls) {
  std::vector<Unit> read;
  const Unit holder = state_.resolve_class(cls);
  auto take = [&](const Problem::Reference& reference) {
    if (reference.cls == cls) read.push_back(reference.written);
  };
  for (Unit user : users_of(holder)) {
    for (const Problem::Reference& reference : problem_.references(user)) take(reference);
  }
  const hlo::ComputationId region = problem_.hlo().facts_of(cls).region;
  take(problem_.reference_to(problem_.input().computations[region].root));
  return read;
}

MoveFinder::Effect MoveFinder::effect(const Choices& choices) {
  Effect result;
  std::map<ClassId, NodeId> chosen(choices.begin(), choices.end());
  auto resolve = [&](const Problem::Reference& reference) {
    if (reference.cls == egraph::kNoId) return reference.written;
    auto it = chosen.find(reference.cls);
    if (it == chosen.end()) return state_.resolve(reference);
    return it->second == egraph::kNoId ? reference.written : problem_.unit(it->second);
  };
  // What the choices bring, and what that needs.
  std::set<Unit> needed, added;
  std::vector<Unit> asked;
  auto need = [&](Unit unit) {
    if (unit == hlo::kNoId) return;
    needed.insert(unit);
    if (!is_live(unit) && added.insert(unit).second) asked.push_back(unit);
  };
  for (const auto& [cls, node] : choices) {
    const size_t before = asked.size();
    std::vector<Unit> made;
    if (node == egraph::kNoId) {
      made = originals_read(cls);
    } else {
      made = {problem_.unit(node)};
    }
    for (Unit unit : made) {
      need(unit);
      // One that is there stays, with what it then needs.
      if (asked.size() == before) {
        for (const auto& reference : problem_.references(unit)) need(resolve(reference));
      }
    }
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    const Unit unit = asked[i];
    for (const auto& reference : problem_.references(unit)) need(resolve(reference));
  }
  result.added = std::move(asked);
  // What nobody needs once the old definitions are gone.
  std::map<Unit, int64_t> lost;
  std::vector<Unit> dying;
  std::set<Unit> dead;
  for (const auto& [cls, node] : choices) {
    for (Unit holder : holders_of(cls)) {
      if (is_live(holder)) dying.push_back(holder);
    }
  }
  while (!dying.empty()) {
    Unit unit = dying.back();
    dying.pop_back();
    if (needed.count(unit) || !dead.insert(unit).second) continue;
    result.removed.push_back(unit);
    for (Unit operand : state_.operands(unit)) {
      if (++lost[operand] == in_program(operand).users) dying.push_back(operand);
    }
  }
  int64_t removed = 0, added_cost = 0;
  for (Unit unit : result.removed) {
    removed = saturating_add(removed, cost_if_removed(unit, problem_.options().objective));
  }
  for (Unit unit : result.added) added_cost = saturating_add(added_cost, cost_if_added(unit));
  result.gain = removed - added_cost;
  return result;
}

bool MoveFinder::is_likely_to_pay(const Choices& choices) {
  const Effect effect = this->effect(choices);
  return !(effect.added.empty() && effect.removed.empty()) && likely_gain(effect) >= 0;
}

// Would a value depend on itself? Says no where that takes long to find out: pricing will tell.
// Only what stands behind the first old definition can lead back to one.
bool MoveFinder::makes_a_cycle(const Choices& choices) {
  std::map<Unit, NodeId> redefined;  // old definitions
  size_t first = kNone;
  for (const auto& [cls, node] : choices) {
    for (Unit holder : holders_of(cls)) {
      const size_t place = in_program(holder).place;
      if (place == kNone) continue;
      redefined.emplace(holder, node);
      first = std::min(first, place);
    }
  }
  const std::map<ClassId, NodeId> chosen(choices.begin(), choices.end());
  enum Mark : uint8_t { kOpen, kDone };
  std::map<Unit, Mark> marks;
  struct Frame {
    Unit unit;
    std::vector<Unit> operands;
  };
  std::vector<Frame> stack;
  auto enter = [&](Unit unit) {
    auto it = redefined.find(unit);
    if (it != redefined.end()) unit = problem_.unit(it->second);
    if (in_program(unit).place < first) return true;
    auto [mark, is_new] = marks.try_emplace(unit, kOpen);
    if (!is_new) return mark->second == kDone;
    Frame frame{unit, {}};
    const NodeId node = problem_.is_new(unit) ? problem_.node_of(unit) : egraph::kNoId;
    if (node == egraph::kNoId) {
      frame.operands = state_.operands(unit);
    } else {
      for (ClassId name : problem_.hlo().graph().children(node)) {
        const ClassId child = problem_.hlo().graph().find(name);
        auto of_choice = chosen.find(child);
        const Unit operand = of_choice != chosen.end() ? problem_.unit(of_choice->second)
                                                       : state_.resolve_class(child);
        if (operand != hlo::kNoId) frame.operands.push_back(operand);
      }
    }
    stack.push_back(std::move(frame));
    return true;
  };
  for (const auto& [cls, node] : choices) {
    enter(problem_.unit(node));
    while (!stack.empty()) {
      if (marks.size() > kCycleWork) return false;
      if (stack.back().operands.empty()) {
        marks[stack.back().unit] = kDone;
        stack.pop_back();
        continue;
      }
      const Unit operand = stack.back().operands.back();
      stack.back().operands.pop_back();
      if (!enter(operand)) return true;
    }
  }
  return false;
}

// Other nodes that can define a class.
std::vector<NodeId> MoveFinder::alternatives_of(ClassId cls) {
  if (given_up_.count(cls)) return {};
  std::vector<NodeId> nodes = problem_.definitions(cls);
  std::erase(nodes, state_.chosen(cls));
  return nodes;
}

std::string MoveFinder::describe(Unit unit, bool with_shape) {
  const hlo::Instruction& instruction = problem_.instruction(unit);
  std::string text(hlo::to_string(instruction.opcode));
  if (const Problem::CollectiveUnit* collective = problem_.collective(unit)) {
    text += '#' + (collective->candidate ? std::to_string(collective->candidate->key) : "-");
  } else if (!with_shape) {
    return {};
  }
  if (with_shape) text += to_string_without_layout(instruction.shape);
  return text + ';';
}

Move MoveFinder::make_move(const Choices& choices, const Effect& effect) {
  Move move;
  move.at = choices.front().first;
  move.choices = choices;
  move.best_gain = effect.gain;
  move.likely_gain = likely_gain(effect);
  auto name = [&](const std::vector<Unit>& units, bool with_shape) {
    std::vector<std::string> words;
    for (Unit unit : units) words.push_back(describe(unit, with_shape));
    std::sort(words.begin(), words.end());
    if (!with_shape) words.erase(std::unique(words.begin(), words.end()), words.end());
    std::string text;
    for (const std::string& word : words) text += word;
    return text;
  };
  const hlo::ComputationId region = problem_.hlo().facts_of(move.at).region;
  move.kind =
      std::to_string(region) + ':' + name(effect.removed, false) + "->" + name(effect.added, false);
  move.signature = move.kind + '|' + name(effect.removed, true) + "->" + name(effect.added, true);
  return move;
}

std::vector<Move> MoveFinder::find() {
  look();
  const egraph::EGraph& graph = problem_.hlo().graph();
  std::vector<Move> moves;
  for (const auto& [cls, originals] : problem_.classes_with_originals()) {
    if (std::none_of(originals.begin(), originals.end(),
                     [&](Unit unit) { return state_.is_live(unit); }) &&
        state_.chosen(cls) == egraph::kNoId) {
      continue;
    }
    // The best alternative of each kind.
    std::map<std::string, Move> best;
    auto consider = [&](const Choices& choices) {
      Effect effect = this->effect(choices);
      if (effect.gain <= 0 || makes_a_cycle(choices)) return;
      Move move = make_move(choices, effect);
      auto [it, is_new] = best.try_emplace(move.kind, move);
      if (!is_new && move.likely_gain > it->second.likely_gain) it->second = std::move(move);
    };
    for (NodeId node : alternatives_of(cls)) {
      Choices choices;
      if (complete(cls, node, choices)) consider(choices);
      // What costs more by itself may save more of what is there.
      for (ClassId name : graph.children(node)) {
        const ClassId child = graph.find(name);
        if (least_[child] == 0 || is_there(child)) continue;
        for (NodeId other : graph.nodes(child)) {
          if (other == least_node_[child] || !problem_.can_hold(other)) continue;
          if (complete_by(cls, node, child, other, choices)) consider(choices);
        }
      }
    }
    for (auto& [kind, move] : best) moves.push_back(std::move(move));
  }
  add_joint_moves(moves);
  return moves;
}

// The cheapest way to define a class without using another class at once.
std::optional<Move> MoveFinder::best_without(ClassId cls, ClassId avoided) {
  std::optional<Move> best;
  const egraph::EGraph& graph = problem_.hlo().graph();
  for (NodeId node : alternatives_of(cls)) {
    Choices choices;
    if (!complete(cls, node, choices)) continue;
    bool uses = std::any_of(choices.begin(), choices.end(), [&](const auto& choice) {
      auto children = graph.children(choice.second);
      return std::any_of(children.begin(), children.end(),
                         [&](ClassId child) { return graph.find(child) == avoided; });
    });
    if (uses || makes_a_cycle(choices)) continue;
    Move move = make_move(choices, effect(choices));
    if (!best || move.likely_gain > best->likely_gain) best = std::move(move);
  }
  return best;
}

// Classes of a unit's users; those of a copy see the same value.
std::set<ClassId> MoveFinder::classes_of_users(Unit unit) {
  std::set<ClassId> classes;
  const std::span<const Unit> users = users_of(unit);
  std::vector<Unit> stack(users.begin(), users.end());
  while (!stack.empty()) {
    Unit user = stack.back();
    stack.pop_back();
    if (problem_.node_of(user) == egraph::kNoId) {
      const std::span<const Unit> beyond = users_of(user);
      stack.insert(stack.end(), beyond.begin(), beyond.end());
      continue;
    }
    classes.insert(problem_.class_of(user));
  }
  return classes;
}

// Adds choices that define each class without `avoided`; false, and none, where one has no such.
bool MoveFinder::define_without(const std::set<ClassId>& classes, ClassId avoided,
                                Choices& choices) {
  const size_t before = choices.size();
  for (ClassId cls : classes) {
    std::optional<Move> move = best_without(cls, avoided);
    if (!move) {
      choices.resize(before);
      return false;
    }
    for (const auto& choice : move->choices) {
      if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(choice);
    }
  }
  return !classes.empty();
}

// A user of a collective defined without it. An element of a collective of several operands lives
// on where it, or else all that use it, are defined without the collective.
bool MoveFinder::define_user_without(ClassId user, ClassId collective, bool is_element,
                                     Choices& choices) {
  Choices itself;
  bool is_defined = define_without({user}, collective, itself);
  if (is_element) {
    std::set<ClassId> classes;
    for (Unit element : problem_.originals(user)) classes.merge(classes_of_users(element));
    Choices beyond;
    if (define_without(classes, user, beyond) &&
        (!is_defined || effect(beyond).gain > effect(itself).gain)) {
      itself = std::move(beyond);
      is_defined = true;
    }
  }
  for (const auto& choice : itself) {
    if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(choice);
  }
  return is_defined;
}

// A collective with several users is only saved when all of them are defined without it.
void MoveFinder::add_joint_moves(std::vector<Move>& moves) {
  for (hlo::ComputationId region : problem_.import().regions) {
    for (Unit unit : state_.live_units(region)) {
      if (!problem_.collective(unit) || problem_.node_of(unit) == egraph::kNoId) continue;
      const bool has_elements = problem_.instruction(unit).shape.is_tuple();
      const std::set<ClassId> users = classes_of_users(unit);
      if (users.size() < (has_elements ? 1 : 2)) continue;
      Choices all;
      const bool is_saved = std::ranges::all_of(users, [&](ClassId user) {
        return define_user_without(user, problem_.class_of(unit), has_elements, all);
      });
      if (!is_saved) continue;
      Effect effect = this->effect(all);
      if (effect.gain > 0) moves.push_back(make_move(all, effect));
    }
  }
}

// Of its definitions, and those that it defines by one of another class.
std::set<ClassId> MoveFinder::classes_of_program() {
  std::set<ClassId> classes;
  for (hlo::ComputationId region : problem_.import().regions) {
    for (Unit unit : state_.live_units(region)) {
      const ClassId cls = problem_.class_of(unit);
      if (cls != egraph::kNoId) classes.insert(cls);
    }
  }
  for (const auto& [cls, node] : state_.selection().chosen) {
    if (state_.is_live(problem_.unit(node))) classes.insert(cls);
  }
  return classes;
}

std::vector<MoveFinder::Neighbour> MoveFinder::neighbours() {
  look();
  std::vector<Neighbour> result;
  Choices choices;
  for (ClassId cls : classes_of_program()) {
    const NodeId chosen = state_.chosen(cls);
    std::vector<NodeId> nodes;
    if (!problem_.originals(cls).empty()) {
      nodes = alternatives_of(cls);
      if (chosen != egraph::kNoId) {
        choices.assign(1, {cls, egraph::kNoId});
        result.push_back({choices, likely_gain(choices)});
      }
    } else {
      for (NodeId node : problem_.hlo().graph().nodes(cls)) {
        if (node != chosen && problem_.can_hold(node)) nodes.push_back(node);
      }
    }
    for (NodeId node : nodes) {
      if (complete(cls, node, choices)) result.push_back({choices, likely_gain(choices)});
    }
  }
  return result;
}

std::vector<MoveFinder::Alternative> MoveFinder::alternatives() {
  look();
  std::vector<Alternative> result;
  for (const auto& [cls, originals] : problem_.classes_with_originals()) {
    if (state_.chosen(cls) != egraph::kNoId) continue;
    if (!std::any_of(originals.begin(), originals.end(),
                     [&](Unit unit) { return state_.is_live(unit); })) {
      continue;
    }
    std::optional<Alternative> best;
    for (NodeId node : alternatives_of(cls)) {
      Choices choices;
      if (!complete(cls, node, choices)) continue;
      const Effect effect = this->effect(choices);
      const int64_t likely = likely_gain(effect);
      if (best && best->likely_gain >= likely) continue;
      if (makes_a_cycle(choices)) continue;
      best = Alternative{cls, node, choices, 0, likely};
      for (Unit unit : effect.removed) {
        best->removed = saturating_add(best->removed, cost_if_removed(unit, Objective::kTime));
      }
    }
    if (best) result.push_back(std::move(*best));
  }
  return result;
}

}  // namespace flipsat::extract
