#include "optimizer/hoist.h"

#include <algorithm>
#include <map>
#include <utility>

#include "extract/standalone.h"
#include "hlo/call_graph.h"
#include "hlo/editor.h"
#include "hlo/loop_state.h"
#include "language/import.h"
#include "optimizer/changes.h"

namespace flipsat::optimizer {
namespace {

using hlo::AttributeKey;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::LoopState;
using hlo::Opcode;

constexpr int64_t kFewestIterations = 2;

bool is_carried(Opcode opcode) {
  return opcode == Opcode::kConvert || opcode == Opcode::kCopy || opcode == Opcode::kReshape ||
         opcode == Opcode::kTranspose;
}

class Hoister {
 public:
  Hoister(const hlo::Module& input, const hlo::DeviceCounts& counts,
          const extract::Machine& machine)
      : input_(input),
        counts_(counts),
        machine_(machine),
        module_(input),
        editor_(module_),
        calls_(input),
        controls_others_(input.instructions.size(), false) {
    for (ComputationId computation : input.order) {
      for (InstructionId id : input.computations[computation].instructions) {
        for (InstructionId earlier : input[id].control_predecessors()) {
          controls_others_[earlier] = true;
        }
      }
    }
  }

  std::optional<Hoisted> run() {
    // Bodies come before their loops, so what left one loop can leave the next.
    for (ComputationId computation : input_.order) {
      if (calls_.executions(computation) == 0 || calls_.is_embedded(computation)) continue;
      for (InstructionId id : input_.computations[computation].instructions) {
        if (input_[id].opcode == Opcode::kWhile) leave(id);
      }
    }
    if (moves_.empty()) return std::nullopt;
    std::vector<Change> changes;
    for (const Move& move : moves_) changes.push_back(describe(move));
    return Hoisted{std::move(module_), std::move(changes)};
  }

 private:
  struct Move {
    InstructionId from = hlo::kNoId;
    InstructionId to = hlo::kNoId;
  };

  // A gather in a body with what leads to it: the element of the state first, the gather last.
  using Way = std::vector<InstructionId>;

  void leave(InstructionId loop) {
    const std::optional<int64_t> trips = hlo::trip_count(module_, module_[loop]);
    if (!trips || *trips < kFewestIterations) return;
    const std::optional<LoopState> state = hlo::loop_state(module_, calls_, loop);
    if (!state || !can_grow(*state)) return;
    std::vector<Way> ways;
    for (InstructionId id : module_.computations[state->body].instructions) {
      if (std::optional<Way> way = way_to(*state, id)) ways.push_back(std::move(*way));
    }
    if (ways.empty()) return;
    std::map<InstructionId, InstructionId> outside;  // of what ways share
    for (const Way& way : ways) move(*state, way, outside);
    editor_.finish();
  }

  bool is_whole(InstructionId tuple) const {
    return std::ranges::any_of(editor_.users(tuple), [&](InstructionId user) {
      return module_[user].opcode != Opcode::kGetTupleElement;
    });
  }

  bool can_grow(const LoopState& state) const {
    const InstructionId root = module_.computations[module_[state.loop].computation].root;
    if (root == state.loop || root == state.init) return false;
    if (editor_.users(state.init).size() != 1 || !editor_.users(state.root).empty()) return false;
    for (InstructionId id : {state.loop, state.body_parameter, state.condition_parameter}) {
      if (is_whole(id)) return false;
    }
    // Notes that go by the elements of the tuple.
    for (InstructionId id :
         {state.loop, state.init, state.body_parameter, state.condition_parameter, state.root}) {
      for (AttributeKey key : {AttributeKey::kSharding, AttributeKey::kParameterReplication,
                               AttributeKey::kOrigin, AttributeKey::kStatistics}) {
        if (module_[id].has(key)) return false;
      }
    }
    return true;
  }

  bool is_opaque(InstructionId id) const {
    const bool has_successor = id < controls_others_.size() && controls_others_[id];
    return !language::opaque_reason(module_, module_[id], counts_, has_successor).empty();
  }

  std::optional<Way> way_to(const LoopState& state, InstructionId gather) const {
    const Instruction& last = module_[gather];
    if (last.opcode != Opcode::kAllGather || last.operands.size() != 1 || !last.shape.is_array() ||
        is_opaque(gather) || editor_.users(gather).empty()) {
      return std::nullopt;
    }
    Way way = {gather};
    InstructionId at = last.operands[0];
    for (; is_carried(module_[at].opcode); at = module_[at].operands[0]) {
      if (is_opaque(at)) return std::nullopt;
      way.push_back(at);
    }
    const Instruction& first = module_[at];
    if (first.opcode != Opcode::kGetTupleElement || first.operands[0] != state.body_parameter) {
      return std::nullopt;
    }
    const auto element = static_cast<size_t>(first.tuple_index());
    if (!hlo::is_invariant(module_, state, element)) return std::nullopt;
    if (hlo::has_binding_layout(module_[module_[state.init].operands[element]].shape)) {
      return std::nullopt;
    }
    way.push_back(at);
    std::ranges::reverse(way);
    return way;
  }

  void move(const LoopState& state, const Way& way,
            std::map<InstructionId, InstructionId>& outside) {
    const ComputationId parent = module_[state.loop].computation;
    InstructionId value = module_[state.init].operands[module_[way[0]].tuple_index()];
    for (size_t i = 1; i < way.size(); ++i) {
      auto [found, is_new] = outside.try_emplace(way[i]);
      if (is_new) {
        Instruction copy = module_[way[i]];
        copy.name.clear();
        copy.operands = {value};
        found->second = editor_.add(parent, std::move(copy));
      }
      value = found->second;
    }
    const InstructionId gather = way.back();
    const hlo::Shape shape = module_[gather].shape;
    const size_t element = module_[state.init].operands.size();
    Instruction read;
    read.opcode = Opcode::kGetTupleElement;
    read.shape = shape;
    read.operands = {state.body_parameter};
    read.set(AttributeKey::kIndex, static_cast<int64_t>(element));
    append(state.init, value, shape);
    for (InstructionId id : {state.loop, state.body_parameter, state.condition_parameter}) {
      editor_.set_shape(id, longer(module_[id].shape, shape));
    }
    const InstructionId inside = editor_.add(state.body, std::move(read));
    editor_.replace_all_uses(gather, inside);
    append(state.root, inside, shape);
    note(gather, value);
  }

  static hlo::Shape longer(const hlo::Shape& tuple, const hlo::Shape& part) {
    std::vector<hlo::Shape> parts = *tuple.parts;
    parts.push_back(part);
    return hlo::Shape::tuple(std::move(parts));
  }

  void append(InstructionId tuple, InstructionId operand, const hlo::Shape& shape) {
    std::vector<InstructionId> operands = module_[tuple].operands;
    operands.push_back(operand);
    editor_.set_operands(tuple, std::move(operands), longer(module_[tuple].shape, shape));
  }

  void note(InstructionId from, InstructionId to) {
    for (Move& move : moves_) {
      if (move.to != from) continue;
      move.to = to;
      return;
    }
    moves_.push_back({from, to});
  }

  Change describe(const Move& move) const {
    const Instruction& from = input_[move.from];
    const Instruction& to = module_[move.to];
    const extract::StandaloneCost cost =
        extract::standalone_cost(input_, move.from, counts_, machine_);
    Change change;
    change.at = "%" + from.name;
    change.computation = input_.computations[from.computation].name;
    change.rules = {"hoist"};
    change.from = {change.at};
    change.to = {"%" + to.name};
    change.bytes_before = change.bytes_after = cost.wire_bytes;
    change.time_before = cost.time * calls_.executions(from.computation);
    change.time_after = cost.time * calls_.executions(to.computation);
    change.source = source_of(input_, from);
    return change;
  }

  const hlo::Module& input_;
  const hlo::DeviceCounts& counts_;
  const extract::Machine& machine_;
  hlo::Module module_;
  hlo::ModuleEditor editor_;
  hlo::CallGraph calls_;
  std::vector<bool> controls_others_;
  std::vector<Move> moves_;
};

}  // namespace

std::optional<Hoisted> hoist_gathers(const hlo::Module& input, const hlo::DeviceCounts& counts,
                                     const extract::Machine& machine) {
  return Hoister(input, counts, machine).run();
}

}  // namespace flipsat::optimizer
