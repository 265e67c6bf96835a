#include "verify/cuts.h"

namespace flipsat::verify {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

bool is_transparent(const hlo::Instruction& in) {
  switch (in.opcode) {
    case Opcode::kConstant:
      return in.literal && !in.literal->elided;
    case Opcode::kIota:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kBroadcast:
    case Opcode::kOptBarrier:
      return true;
    default:
      return false;
  }
}

bool can_be_opened(const hlo::Instruction& in) {
  switch (in.opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kCustomCall:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kScatter:
    case Opcode::kConvolution:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kInfeed:
      return false;
    default:
      return true;
  }
}

}  // namespace

Cuts::Cuts(const hlo::Module& before, const hlo::Module& after, Facts& facts)
    : before_(before),
      after_(after),
      facts_(facts),
      before_marks_(before),
      after_marks_(after),
      before_side_(*this, before),
      after_side_(*this, after) {}

void Cuts::cut(InstructionId before, InstructionId after, bool closed) {
  int32_t number = before_side_.of[before];
  if (number < 0) {
    number = static_cast<int32_t>(cuts_.size());
    cuts_.emplace_back();
    is_met_.push_back(false);
    cuts_.back().before = before;
    cuts_.back().after = after;
    cuts_.back().transparent = is_transparent(before_[before]) && is_transparent(after_[after]);
    before_side_.of[before] = number;
    after_side_.of[after] = number;
  }
  Cut& cut = cuts_[number];
  cut.closed =
      cut.closed || closed || !(can_be_opened(before_[before]) && can_be_opened(after_[after]));
  // Constants are transparent though they cannot be opened further.
  if (cut.transparent && !closed) cut.closed = false;
}

void Cuts::uncut(InstructionId before, InstructionId after) {
  before_side_.of[before] = -1;
  after_side_.of[after] = -1;
}

bool Cuts::close(InstructionId id, bool is_before) {
  int32_t number = (is_before ? before_side_ : after_side_).of[id];
  if (number < 0 || cuts_[number].closed) return false;
  cuts_[number].closed = true;
  return true;
}

void Cuts::reset() {
  for (int32_t number : met_) is_met_[number] = false;
  for (int32_t number : opened_) cuts_[number].open = false;
  met_.clear();
  opened_.clear();
}

int Cuts::open_met() {
  int count = 0;
  for (int32_t number : met_) {
    is_met_[number] = false;
    if (cuts_[number].closed || cuts_[number].open) continue;
    cuts_[number].open = true;
    opened_.push_back(number);
    ++count;
  }
  met_.clear();
  return count;
}

bool Cuts::hides_something() const {
  for (int32_t number : met_) {
    if (!cuts_[number].closed && !cuts_[number].open) return true;
  }
  return false;
}

InstructionId Cuts::SideView::twin(InstructionId instruction) {
  if (twins_.empty()) twins_ = twins_of(module_);
  return twins_[instruction];
}

const Leaf* Cuts::SideView::leaf(InstructionId instruction, uint32_t part) {
  int32_t number = of[instruction];
  if (number < 0) number = of[twin(instruction)];
  return number < 0 ? nullptr : cuts_.leaf_of(number, part);
}

const Leaf* Cuts::leaf_of(int32_t number, uint32_t part) {
  Cut& cut = cuts_[number];
  if (!cut.closed && (cut.open || cut.transparent)) return nullptr;
  if (!is_met_[number]) {
    is_met_[number] = true;
    met_.push_back(number);
  }
  if (cut.parts.size() <= part) cut.parts.resize(part + 1);
  if (!cut.parts[part]) {
    auto leaf = std::make_unique<Leaf>();
    const InstructionId value = before_side_.twin(cut.before);
    leaf->key = combine(0x1eaf, value);
    leaf->equal_on = facts_.equal_on(value, part);
    leaf->on_devices = facts_.on_devices(value);
    leaf->starts = std::max(before_marks_.of(cut.before, part), after_marks_.of(cut.after, part));
    cut.parts[part] = std::move(leaf);
  }
  return cut.parts[part].get();
}

}  // namespace flipsat::verify
