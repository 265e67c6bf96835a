#include "extract/alternatives.h"

#include <algorithm>

namespace flipsat::extract {
namespace {

constexpr int64_t kShareOfEnumeration = 4;  // of the work, before it is given up
constexpr size_t kNeighboursPriced = 48;    // of one program, and two more for each asked for

// Two hashes at once, to be sure of them.
struct Hash {
  uint64_t a = 0x9e3779b97f4a7c15, b = 0xd6e8feb86659fd93;

  void add(uint64_t word) {
    a = mixed(a ^ word, 0xff51afd7ed558ccd);
    b = mixed(b + word, 0xc4ceb9fe1a85ec53);
  }
  void add(const Hash& other) {
    add(other.a);
    add(other.b);
  }
  static uint64_t mixed(uint64_t word, uint64_t factor) {
    word = (word ^ word >> 32) * factor;
    return word ^ word >> 29;
  }
};

}  // namespace

// What each definition computes from what, with what costs nothing left out; the program is the
// collection of those that cost something, in no order.
ProgramSignature program_signature(Problem& problem, ProgramState& state, const StateCost& cost) {
  Hash program;
  program.add(static_cast<uint64_t>(cost.objective));
  program.add(static_cast<uint64_t>(cost.time));
  ProgramSignature all{program.a, program.b};
  std::vector<Hash> of_unit(problem.unit_bound());
  for (hlo::ComputationId region : problem.import().regions) {
    for (Unit unit : state.live_units(region)) {
      const hlo::Instruction& instruction = problem.instruction(unit);
      const Problem::CollectiveUnit* collective = problem.collective(unit);
      const Picoseconds local = problem.local_cost(unit);
      const auto references = problem.references(unit);
      const bool is_free = !collective && local == 0;
      if (is_free && references.size() == 1 &&
          instruction.opcode != hlo::Opcode::kGetTupleElement) {
        of_unit[unit] = of_unit[state.resolve(references[0])];
        continue;
      }
      Hash hash;
      hash.add(static_cast<uint64_t>(instruction.opcode));
      // Nothing else tells apart what has no operands.
      if (references.empty()) hash.add(unit);
      hash.add(static_cast<uint64_t>(instruction.tuple_index()));
      hash.add(static_cast<uint64_t>(instruction.shape.type));
      hash.add(static_cast<uint64_t>(local));
      if (collective) {
        hash.add(static_cast<uint64_t>(collective->bytes));
        hash.add(collective->grouping);
      }
      for (const Problem::Reference& reference : references) {
        hash.add(of_unit[state.resolve(reference)]);
      }
      of_unit[unit] = hash;
      if (is_free) continue;
      all.first += hash.a;
      all.second += hash.b;
    }
  }
  return all;
}

// Programs made one by one.
struct Alternatives::Walk {
  std::set<ClassId> decided;
  int64_t programs = 0;
  int64_t work = 0;  // definitions looked at, pricing aside
  std::vector<uint8_t> seen;
  std::vector<Unit> stack;
};

Alternatives::Alternatives(Problem& problem, ProgramState& state, const AlternativeOptions& options)
    : problem_(problem), state_(state), options_(options), limit_(state.work() + options.work) {
  const language::Selection best = state_.selection();
  if (const std::optional<StateCost> cost = state_.cost()) {
    state_.settle();
    best_ = program_signature(problem_, state_, *cost);
  }
  add();
  is_exact_ = enumerate();
  if (is_exact_) return;
  // The cheapest of some are not the cheapest.
  open_.clear();
  seen_.clear();
  finder_.emplace(problem_, state_, options_.given_up);
  take(best);
  add();
  take({});
  add();
}

std::vector<NodeId> Alternatives::options(ClassId cls) {
  std::vector<NodeId> nodes;
  if (!problem_.originals(cls).empty()) {
    if (options_.given_up.count(cls) == 0) nodes = problem_.definitions(cls);
    nodes.push_back(egraph::kNoId);
    return nodes;
  }
  for (NodeId node : problem_.hlo().graph().nodes(cls)) {
    if (problem_.can_hold(node)) nodes.push_back(node);
  }
  return nodes;
}

bool Alternatives::enumerate() {
  take({});
  Walk walk;
  return decide(walk);
}

// Goes on from what is decided: false where there are too many programs.
bool Alternatives::decide(Walk& walk) {
  const int64_t share = options_.work / kShareOfEnumeration;
  if (state_.work() > limit_ - options_.work + share || walk.work > share) return false;
  // The first class that the program asks for and that is open.
  ClassId open = egraph::kNoId;
  std::vector<NodeId> nodes;
  walk.seen.assign(problem_.unit_bound(), 0);
  walk.stack.clear();
  // By value: looking at the options may make units, and references with them.
  auto visit = [&](Problem::Reference reference) {
    if (open != egraph::kNoId) return;
    if (reference.cls != egraph::kNoId && walk.decided.count(reference.cls) == 0) {
      nodes = options(reference.cls);
      if (nodes.size() > 1 || (nodes.size() == 1 && nodes.front() != egraph::kNoId)) {
        open = reference.cls;
        return;
      }
    }
    const Unit unit = state_.resolve(reference);
    if (unit == hlo::kNoId) return;  // pricing will tell
    if (unit >= walk.seen.size()) walk.seen.resize(unit + 1, 0);
    if (walk.seen[unit]) return;
    walk.seen[unit] = 1;
    walk.stack.push_back(unit);
  };
  for (hlo::ComputationId region : problem_.import().regions) {
    const Unit result = problem_.input().computations[region].root;
    for (Unit root : state_.pinned(region)) {
      visit(root == result ? problem_.reference_to(root) : Problem::Reference{root, egraph::kNoId});
      while (!walk.stack.empty() && open == egraph::kNoId) {
        const Unit unit = walk.stack.back();
        walk.stack.pop_back();
        ++walk.work;
        for (size_t i = 0; i < problem_.references(unit).size(); ++i) {
          visit(problem_.references(unit)[i]);
        }
      }
    }
  }
  if (open == egraph::kNoId) {
    if (++walk.programs > options_.most_made) return false;
    add();
    return true;
  }
  walk.decided.insert(open);
  bool is_complete = true;
  for (NodeId node : nodes) {
    state_.choose(open, node);
    is_complete = decide(walk);
    if (!is_complete) break;
  }
  state_.choose(open, egraph::kNoId);
  walk.decided.erase(open);
  return is_complete;
}

// The program that the state holds, if it is one and a new one, or nearer the input than the one
// that waits in its place; of many only the cheapest wait.
void Alternatives::add() {
  const std::optional<StateCost> cost = state_.cost();
  if (!cost) return;
  if (open_.size() >= options_.most && *cost > open_.rbegin()->first) return;
  state_.settle();
  std::pair program(*cost, state_.selection().chosen);
  const auto [known, is_new] =
      seen_.try_emplace(program_signature(problem_, state_, *cost), program);
  if (!is_new) {
    if (known->first == best_ || known->second <= program || open_.erase(known->second) == 0)
      return;
    known->second = program;
  }
  open_.insert(std::move(program));
  if (open_.size() > options_.most) open_.erase(std::prev(open_.end()));
}

void Alternatives::take(const language::Selection& selection) {
  for (const auto& [cls, node] : state_.selection().chosen) {
    if (selection.chosen.count(cls) == 0) state_.choose(cls, egraph::kNoId);
  }
  for (const auto& [cls, node] : selection.chosen) state_.choose(cls, node);
}

// Choices for classes that the program does not ask for.
void Alternatives::drop_unused() {
  for (const auto& [cls, node] : state_.selection().chosen) {
    if (!state_.is_live(problem_.unit(node))) state_.choose(cls, egraph::kNoId);
  }
}

std::optional<Alternatives::Program> Alternatives::next() {
  if (open_.empty()) return std::nullopt;
  const auto [cost, chosen] = *open_.begin();
  open_.erase(open_.begin());
  take({chosen});
  state_.cost();
  state_.settle();
  drop_unused();
  Program program{state_.selection(), cost};
  if (!is_exact_) expand();
  return program;
}

void Alternatives::expand() {
  std::vector<MoveFinder::Neighbour> neighbours = finder_->neighbours();
  std::ranges::stable_sort(neighbours, std::greater{}, &MoveFinder::Neighbour::likely_gain);
  if (neighbours.size() > kNeighboursPriced + 2 * options_.most) {
    neighbours.resize(kNeighboursPriced + 2 * options_.most);
  }
  for (const MoveFinder::Neighbour& neighbour : neighbours) {
    if (state_.work() > limit_) break;
    const ProgramState::Snapshot before = state_.snapshot(neighbour.choices);
    for (const auto& [cls, node] : neighbour.choices) state_.choose(cls, node);
    add();
    state_.restore(before);
  }
}

}  // namespace flipsat::extract
