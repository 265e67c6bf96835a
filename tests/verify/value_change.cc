#include "tests/verify/value_change.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/verify/any_order.h"
#include "verify/evaluator.h"
#include "verify/facts.h"
#include "verify/sampling.h"
#include "verify/start_marks.h"

namespace flipsat::verify::testing {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

constexpr int64_t kWork = 100'000;
constexpr size_t kElements = 16;

// Too dear or impossible to look into.
bool is_heavy(Opcode opcode) {
  switch (opcode) {
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kCustomCall:
    case Opcode::kFusion:
    case Opcode::kSort:
    case Opcode::kScatter:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kOptBarrier:
    case Opcode::kParameter:
      return true;
    default:
      return false;
  }
}

// Instructions within some steps above, themselves included.
void collect_above(const Module& module, InstructionId from, int steps,
                   std::set<InstructionId>& found) {
  std::vector<InstructionId> level{from};
  for (int step = 0; step <= steps && !level.empty(); ++step) {
    std::vector<InstructionId> next;
    for (InstructionId id : level) {
      if (!found.insert(id).second && step > 0) continue;
      if (step > 0 && is_heavy(module[id].opcode)) continue;
      next.insert(next.end(), module[id].operands.begin(), module[id].operands.end());
    }
    level = std::move(next);
  }
}

// A value that both programs have: an instruction, or an operand of one that is no array.
struct Shared {
  InstructionId before = hlo::kNoId;
  InstructionId after = hlo::kNoId;
  int operand = -1;

  InstructionId in_before(const Module& module) const { return pick(module, before); }
  InstructionId in_after(const Module& module) const { return pick(module, after); }

 private:
  InstructionId pick(const Module& module, InstructionId id) const {
    return operand < 0 ? id : module[id].operands[static_cast<size_t>(operand)];
  }
};

// The nearest values at and below `at`, an instruction of `after`, that both programs have.
std::vector<Shared> nearest_below(const Module& before, const Module& after, InstructionId at) {
  const auto users = hlo::users_of(after);
  const std::vector<bool> was_live = hlo::live_instructions(before);
  const hlo::ComputationId computation = after[at].computation;
  std::vector<Shared> found;
  std::set<InstructionId> below;
  std::vector<InstructionId> pending{at};
  auto add = [&](const Shared& shared) {
    const InstructionId old = shared.in_before(before);
    if (before[old].shape.is_array() && before[old].opcode != Opcode::kParameter &&
        before[old].shape.same_value_shape(after[shared.in_after(after)].shape)) {
      found.push_back(shared);
    }
  };
  while (!pending.empty()) {
    const InstructionId id = pending.back();
    pending.pop_back();
    if (!below.insert(id).second) continue;
    const bool is_shared = id < was_live.size() && was_live[id];
    if (is_shared && after[id].shape.is_array()) {
      add({id, id, -1});
    } else if (is_shared && before[id].operands.size() == after[id].operands.size()) {
      for (size_t i = 0; i < after[id].operands.size(); ++i) {
        if (id == at || below.count(after[id].operands[i])) add({id, id, static_cast<int>(i)});
      }
    } else {
      if (id == after.computations[computation].root) {
        add({before.computations[computation].root, id, -1});
      }
      pending.insert(pending.end(), users[id].begin(), users[id].end());
    }
  }
  return found;
}

// What is not looked into: shared instructions that are not open, and parameters.
class SharedLeaves : public LeafSource {
 public:
  SharedLeaves(const Module& before, const Module& module, Facts& facts, StartMarks& marks,
               const std::set<InstructionId>& open, const std::set<InstructionId>& below)
      : module_(module), facts_(facts), marks_(marks), open_(open), below_(below) {
    was_live_ = hlo::live_instructions(before);
  }

  const Leaf* leaf(InstructionId id, uint32_t part) override {
    if (id >= was_live_.size() || !was_live_[id] || below_.count(id)) return nullptr;
    const Opcode opcode = module_[id].opcode;
    if (opcode == Opcode::kConstant || opcode == Opcode::kPartitionId ||
        opcode == Opcode::kReplicaId || opcode == Opcode::kIota) {
      return nullptr;
    }
    if (open_.count(id) && !is_heavy(opcode)) return nullptr;
    auto [found, is_new] = leaves_.try_emplace({id, part});
    Leaf& leaf = found->second;
    if (is_new) {
      leaf.key = id;
      leaf.equal_on = facts_.equal_on(id, part);
      if (part_shape(module_[id].shape, part).element_count() == 1) {
        leaf.on_devices = facts_.on_devices(id);
      }
      leaf.starts = marks_.of(id, part);
    }
    return &leaf;
  }

 private:
  const Module& module_;
  Facts& facts_;
  StartMarks& marks_;
  const std::set<InstructionId>& open_;
  const std::set<InstructionId>& below_;
  std::vector<bool> was_live_;
  std::map<std::pair<InstructionId, uint32_t>, Leaf> leaves_;
};

std::set<InstructionId> everything_below(const Module& module, InstructionId at) {
  const auto users = hlo::users_of(module);
  std::set<InstructionId> below;
  std::vector<InstructionId> pending{at};
  while (!pending.empty()) {
    const InstructionId id = pending.back();
    pending.pop_back();
    if (!below.insert(id).second) continue;
    pending.insert(pending.end(), users[id].begin(), users[id].end());
  }
  return below;
}

}  // namespace

std::optional<bool> ValueChange::at(const Module& after, const Module& right,
                                    InstructionId at) const {
  const std::vector<Shared> shared = nearest_below(before_, right, at);
  if (shared.empty()) return std::nullopt;
  const std::set<InstructionId> below = everything_below(after, at);
  Facts facts(before_, counts_, {});
  StartMarks marks(before_);
  auto differ = [&](const Module& other, int steps, uint64_t seed) {
    for (const Shared& value : shared) {
      const InstructionId old = value.in_before(before_), now = value.in_after(other);
      std::set<InstructionId> open;
      collect_above(before_, old, steps, open);
      collect_above(other, now, steps, open);
      NumbersInAnyOrder numbers(seed, false);
      WorkMeter work(kWork);
      SharedLeaves old_leaves(before_, before_, facts, marks, open, below);
      SharedLeaves new_leaves(before_, other, facts, marks, open, below);
      Evaluator left(before_, counts_, numbers, old_leaves, work);
      Evaluator right_side(other, counts_, numbers, new_leaves, work);
      const Borders borders(counts_.devices());
      for (int64_t device : sample_devices(counts_.devices(), {}, seed)) {
        for (int64_t index : sample_elements(before_[old].shape.dims, borders, kElements, seed)) {
          const auto d = static_cast<uint32_t>(device);
          const Term a = left.value({old, 0, 0, d, index}, true);
          const Term b = right_side.value({now, 0, 0, d, index}, true);
          if (!(a == b)) return true;
        }
      }
    }
    return false;
  };
  for (int steps : {4, 12, 40}) {
    try {
      if (differ(right, steps, 1)) continue;  // what is given is too near
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        if (differ(after, steps, seed)) return true;
      }
      return false;
    } catch (const Unmodelled&) {
      return std::nullopt;
    } catch (const OutOfWork&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace flipsat::verify::testing
