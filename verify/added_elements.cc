#include "verify/added_elements.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/editor.h"
#include "hlo/loop_state.h"

namespace flipsat::verify {
namespace {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::LoopState;
using hlo::Opcode;

// Functions of their operand alone, wherever they stand.
bool can_move(const Instruction& in) {
  switch (in.opcode) {
    case Opcode::kAllGather:
    case Opcode::kConvert:
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kTranspose:
      return in.operands.size() == 1 && in.shape.is_array() && in.control_predecessors().empty();
    default:
      return false;
  }
}

// How many elements `after` has more, at the end; 0 where it is not that in which they differ.
size_t added_elements(const hlo::Shape& before, const hlo::Shape& after) {
  if (!before.is_tuple() || !after.is_tuple() || before.parts->size() >= after.parts->size()) {
    return 0;
  }
  const bool begins_alike =
      std::equal(before.parts->begin(), before.parts->end(), after.parts->begin(),
                 [](const hlo::Shape& a, const hlo::Shape& b) { return a.same_value_shape(b); });
  return begins_alike ? after.parts->size() - before.parts->size() : 0;
}

class LoopShortener {
 public:
  explicit LoopShortener(const hlo::Module& after)
      : module_(after), editor_(module_), calls_(module_) {}

  bool remove(InstructionId loop, size_t added) {
    const std::optional<LoopState> state = hlo::loop_state(module_, calls_, loop);
    if (!state) return false;
    const size_t all = module_[state->init].operands.size();
    const size_t kept = all - added;
    if (module_.computations[module_[loop].computation].root == loop ||
        module_.computations[module_[loop].computation].root == state->init ||
        editor_.users(state->init).size() != 1 || !editor_.users(state->root).empty() ||
        !reads_only(loop, kept) || !reads_only(state->condition_parameter, kept) ||
        !reads_only(state->body_parameter, all) || is_ordered(*state, kept)) {
      return false;
    }
    std::vector<std::vector<InstructionId>> ways;
    for (size_t element = kept; element < all; ++element) {
      if (!hlo::is_invariant(module_, *state, element)) return false;
      ways.push_back(way_from_kept(*state, module_[state->init].operands[element], kept));
      if (ways.back().empty()) return false;
    }
    for (size_t i = 0; i < added; ++i) compute_inside(*state, kept + i, ways[i]);
    for (InstructionId tuple : {state->init, state->root}) {
      std::vector<InstructionId> operands = module_[tuple].operands;
      operands.resize(kept);
      editor_.set_operands(tuple, std::move(operands), shortened(module_[tuple].shape, kept));
    }
    for (InstructionId id : {loop, state->body_parameter, state->condition_parameter}) {
      editor_.set_shape(id, shortened(module_[id].shape, kept));
    }
    editor_.finish();
    return true;
  }

  hlo::Module take() { return std::move(module_); }

 private:
  static hlo::Shape shortened(const hlo::Shape& tuple, size_t size) {
    return hlo::Shape::tuple({tuple.parts->begin(), tuple.parts->begin() + size});
  }

  // Of a tuple: nothing but elements before `end`.
  bool reads_only(InstructionId tuple, size_t end) const {
    return std::ranges::all_of(editor_.users(tuple), [&](InstructionId user) {
      return module_[user].opcode == Opcode::kGetTupleElement &&
             module_[user].tuple_index() < static_cast<int64_t>(end);
    });
  }

  // A read of an added element that has to stay where it is.
  bool is_ordered(const LoopState& state, size_t kept) const {
    auto reads_added = [&](InstructionId id) {
      const Instruction& in = module_[id];
      return in.opcode == Opcode::kGetTupleElement && in.operands[0] == state.body_parameter &&
             in.tuple_index() >= static_cast<int64_t>(kept);
    };
    return std::ranges::any_of(
        module_.computations[state.body].instructions, [&](InstructionId id) {
          const std::vector<InstructionId>& earlier = module_[id].control_predecessors();
          return std::ranges::any_of(earlier, reads_added) || (reads_added(id) && !earlier.empty());
        });
  }

  // The element that stays the same and begins as `value`; kNoId if none of the kept ones does.
  InstructionId inside(const LoopState& state, InstructionId value, size_t kept) const {
    for (size_t i = 0; i < kept; ++i) {
      if (module_[state.init].operands[i] == value && hlo::is_invariant(module_, state, i)) {
        return module_[state.root].operands[i];
      }
    }
    return kNoId;
  }

  // The element inside, and then what makes `value` of it outside; empty where nothing does.
  std::vector<InstructionId> way_from_kept(const LoopState& state, InstructionId value,
                                           size_t kept) const {
    std::vector<InstructionId> way;
    InstructionId begin = kNoId;
    while ((begin = inside(state, value, kept)) == kNoId) {
      if (!can_move(module_[value])) return {};
      way.push_back(value);
      value = module_[value].operands[0];
    }
    way.push_back(begin);
    std::ranges::reverse(way);
    return way;
  }

  void compute_inside(const LoopState& state, size_t element,
                      const std::vector<InstructionId>& way) {
    InstructionId value = way[0];
    for (size_t i = 1; i < way.size(); ++i) {
      Instruction copy = module_[way[i]];
      copy.name.clear();
      copy.operands = {value};
      value = editor_.add(state.body, std::move(copy));
    }
    const std::vector<InstructionId> readers = editor_.users(state.body_parameter);
    for (InstructionId reader : readers) {
      if (module_[reader].tuple_index() != static_cast<int64_t>(element)) continue;
      editor_.replace_all_uses(reader, value, hlo::Inherit::kNothing);
    }
  }

  hlo::Module module_;
  hlo::ModuleEditor editor_;
  hlo::CallGraph calls_;
};

}  // namespace

std::optional<hlo::Module> without_added_elements(const hlo::Module& before,
                                                  const hlo::Module& after) {
  std::unordered_map<std::string_view, InstructionId> loops;
  for (hlo::ComputationId computation : before.order) {
    for (InstructionId id : before.computations[computation].instructions) {
      if (before[id].opcode == Opcode::kWhile) loops.emplace(before[id].name, id);
    }
  }
  // Outer loops first: what they give up may be what inner ones begin with.
  std::vector<std::pair<InstructionId, size_t>> longer;
  for (auto computation = after.order.rbegin(); computation != after.order.rend(); ++computation) {
    for (InstructionId id : after.computations[*computation].instructions) {
      if (after[id].opcode != Opcode::kWhile) continue;
      auto found = loops.find(after[id].name);
      if (found == loops.end()) continue;
      const size_t added = added_elements(before[found->second].shape, after[id].shape);
      if (added > 0) longer.emplace_back(id, added);
    }
  }
  if (longer.empty()) return std::nullopt;
  LoopShortener shortener(after);
  bool changed = false;
  for (auto [loop, added] : longer) changed |= shortener.remove(loop, added);
  if (!changed) return std::nullopt;
  return shortener.take();
}

}  // namespace flipsat::verify
