#include "verify/border.h"

#include <algorithm>

#include "verify/twins.h"

namespace flipsat::verify {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::Module;
using hlo::Opcode;

namespace {

constexpr size_t kMostInside = 2000;
constexpr int kMostOpened = 200;

// What it computes follows from its operands, and XLA can be asked for it by itself.
bool can_open(const Module& module, InstructionId id) {
  if (hlo::synchronous(module[id].opcode) != module[id].opcode) return false;
  switch (module[id].opcode) {
    case Opcode::kParameter:
    case Opcode::kCall:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kCustomCall:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kOptBarrier:
    case Opcode::kAfterAll:
    case Opcode::kDomain:
      return false;
    case Opcode::kConstant:
      return !module[id].literal->elided;
    case Opcode::kGetTupleElement:
      return can_open(module, module[id].operands[0]);
    default:
      return true;
  }
}

// Definitions that say much and cost little.
bool is_cheap(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kConvert:
    case Opcode::kCopy:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

}  // namespace

BorderFinder::BorderFinder(const Module& before, const Module& after, const Pairing& pairing)
    : before_(before),
      after_(after),
      pairing_(pairing),
      position_(before.instructions.size(), 0),
      closed_(before.instructions.size(), -1),
      twins_before_(twins_of(before)),
      twins_after_(twins_of(after)) {
  for (const hlo::Computation& computation : before.computations) {
    uint32_t position = 0;
    for (InstructionId id : computation.instructions) position_[id] = position++;
  }
}

Neighbourhood BorderFinder::around(InstructionId before, InstructionId after) {
  const bool is_pair = pairing_.before_of(after) == before;
  Ids opened;
  Neighbourhood found;
  for (int round = 0; round < kMostOpened; ++round) {
    Side left = look(before, true, is_pair, opened);
    Side right = look(after, false, is_pair, opened);
    if (left.inside.size() + right.inside.size() > kMostInside) break;
    std::optional<InstructionId> open = to_open(left, right);
    if (!open) open = akin(left, right);
    if (!open) open = computed_inside(left, right);
    if (open) {
      opened.insert(*open);
      continue;
    }
    for (auto [side, module] : {std::pair(&left, &before_), std::pair(&right, &after_)}) {
      for (InstructionId id : side->inside) {
        if (can_open(*module, id)) continue;
        found.refused = "it needs %" + (*module)[id].name + " (" +
                        std::string(to_string((*module)[id].opcode)) + ")";
        return found;
      }
    }
    Ids border = left.border;
    border.insert(right.border.begin(), right.border.end());
    found.border = in_order(before_, border);
    found.before = in_order(before_, left.inside);
    found.after = in_order(after_, right.inside);
    return found;
  }
  found.refused = "its neighbourhood is too large";
  return found;
}

BorderFinder::Side BorderFinder::look(InstructionId from, bool is_before, bool is_pair,
                                      const Ids& opened) {
  const Module& module = is_before ? before_ : after_;
  Side side;
  std::vector<InstructionId> open;
  auto meet = [&](InstructionId id) {
    InstructionId border = border_of(id, is_before, opened);
    if (border != kNoId) {
      side.border.insert(border);
    } else if (side.inside.insert(id).second) {
      open.push_back(id);
    }
  };
  // A pair is not its own border: where it cannot be looked into, that is refused later. But one of
  // two values of other names may be the border itself.
  if (is_pair) {
    side.inside.insert(from);
    open.push_back(from);
  } else {
    meet(from);
  }
  while (!open.empty() && side.inside.size() <= kMostInside) {
    InstructionId id = open.back();
    open.pop_back();
    if (!can_open(module, id)) continue;
    for (InstructionId operand : module[id].operands) meet(operand);
  }
  return side;
}

InstructionId BorderFinder::border_of(InstructionId id, bool is_before, const Ids& opened) {
  InstructionId after = is_before ? pairing_.after_of(id) : id;
  if (after == kNoId || pairing_.is_guess(after)) return kNoId;
  InstructionId before = pairing_.before_of(after);
  if (before == kNoId || !before_[before].shape.same_value_shape(after_[after].shape)) return kNoId;
  bool opens = can_open(before_, before) && can_open(after_, after);
  return opens && (opened.contains(before) || is_transparent(before)) ? kNoId : before;
}

bool BorderFinder::is_transparent(InstructionId before) {
  const Instruction& in = before_[before];
  // Of several results some may be equal, which would be lost if they were given.
  const bool has_several = in.shape.is_tuple() && hlo::is_collective(in.opcode);
  return is_cheap(in.opcode) || has_several || is_closed(before);
}

// Computed from constants and device ids alone.
bool BorderFinder::is_closed(InstructionId before) {
  std::vector<InstructionId> open = {before};
  while (!open.empty()) {
    InstructionId id = open.back();
    if (closed_[id] >= 0) {
      open.pop_back();
      continue;
    }
    const Instruction& in = before_[id];
    if (!can_open(before_, id) || hlo::is_collective(in.opcode)) {
      closed_[id] = 0;
      continue;
    }
    bool all = true;
    bool waits = false;
    for (InstructionId operand : in.operands) {
      if (closed_[operand] < 0) {
        open.push_back(operand);
        waits = true;
      } else {
        all &= closed_[operand] > 0;
      }
    }
    if (!waits) closed_[id] = all ? 1 : 0;
  }
  return closed_[before] > 0;
}

// The last value of the border that depends on one that only one side reads, or is read by one side
// and depends on another: given by itself, it would not be what it is to that one.
std::optional<InstructionId> BorderFinder::to_open(const Side& before, const Side& after) {
  Ids alone;
  std::set_symmetric_difference(before.border.begin(), before.border.end(), after.border.begin(),
                                after.border.end(), std::inserter(alone, alone.end()));
  if (alone.empty()) return std::nullopt;
  Ids border = before.border;
  border.insert(after.border.begin(), after.border.end());
  std::optional<InstructionId> last;
  for (InstructionId id : border) {
    if (last && comes_before(id, *last)) continue;
    InstructionId pair = pairing_.after_of(id);
    if (!can_open(before_, id) || !can_open(after_, pair)) continue;
    if (depends(id, alone.contains(id) ? border : alone)) last = id;
  }
  return last;
}

std::optional<InstructionId> BorderFinder::computed_inside(const Side& before,
                                                           const Side& after) const {
  Ids twins_before, twins_after;
  for (InstructionId id : before.inside) twins_before.insert(twins_before_[id]);
  for (InstructionId id : after.inside) twins_after.insert(twins_after_[id]);
  Ids border = before.border;
  border.insert(after.border.begin(), after.border.end());
  for (InstructionId id : border) {
    InstructionId pair = pairing_.after_of(id);
    if (!can_open(before_, id) || !can_open(after_, pair)) continue;
    if (twins_before.contains(twins_before_[id]) || twins_after.contains(twins_after_[pair])) {
      return id;
    }
  }
  return std::nullopt;
}

// Values and what they are computed from, constants and device ids left out; ends when it is much.
BorderFinder::Ids BorderFinder::sources(const Ids& of) {
  Ids seen = of;
  std::vector<InstructionId> open(of.begin(), of.end());
  while (!open.empty() && seen.size() < kMostInside) {
    InstructionId id = open.back();
    open.pop_back();
    for (InstructionId operand : before_[id].operands) {
      if (!is_closed(operand) && seen.insert(operand).second) open.push_back(operand);
    }
  }
  return seen;
}

// The last of what one side alone reads that has a source in common with what the other alone
// reads: one may be written in terms of the other.
std::optional<InstructionId> BorderFinder::akin(const Side& before, const Side& after) {
  Ids left, right;
  std::ranges::set_difference(before.border, after.border, std::inserter(left, left.end()));
  std::ranges::set_difference(after.border, before.border, std::inserter(right, right.end()));
  std::optional<InstructionId> last;
  for (const auto& [mine, others] : {std::pair(left, right), std::pair(right, left)}) {
    if (mine.empty() || others.empty()) continue;
    const Ids of_others = sources(others);
    for (InstructionId id : mine) {
      if (!can_open(before_, id) || !can_open(after_, pairing_.after_of(id))) continue;
      if (last && comes_before(id, *last)) continue;
      const Ids of_mine = sources({id});
      const bool meets = std::ranges::any_of(
          of_mine, [&](InstructionId source) { return of_others.contains(source); });
      if (meets) last = id;
    }
  }
  return last;
}

bool BorderFinder::depends(InstructionId before, const Ids& on) const {
  uint32_t first = position_[*std::min_element(
      on.begin(), on.end(), [this](auto a, auto b) { return comes_before(a, b); })];
  Ids seen;
  std::vector<InstructionId> open = {before};
  while (!open.empty()) {
    InstructionId id = open.back();
    open.pop_back();
    for (InstructionId operand : before_[id].operands) {
      if (on.contains(operand)) return true;
      if (position_[operand] > first && seen.insert(operand).second) open.push_back(operand);
    }
  }
  return false;
}

bool BorderFinder::comes_before(InstructionId a, InstructionId b) const {
  return position_[a] < position_[b];
}

std::vector<InstructionId> BorderFinder::in_order(const Module& module, const Ids& ids) const {
  std::vector<InstructionId> ordered;
  if (ids.empty()) return ordered;
  const auto& lines = module.computations[module[*ids.begin()].computation].instructions;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(ordered),
               [&](InstructionId id) { return ids.contains(id); });
  return ordered;
}

}  // namespace flipsat::verify
