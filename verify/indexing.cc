// Data movement at places that are computed: dynamic slices, updates, gathers.
#include <algorithm>

#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::AttributeKey;
using hlo::Dims;

// Where a slice starts in each dim, clamped so that it fits: `room` is the last start in range. The
// indices are `room.size()` scalar operands from `first` on, or one operand that holds them all.
// False where they are not known yet.
bool Evaluator::starts(const Place& place, size_t first, const Dims& room,
                       std::vector<int64_t>& out) {
  const hlo::Instruction& in = module_[place.instruction];
  bool packed = in.operands.size() == first + 1 && module_[in.operands[first]].shape.rank() == 1;
  bool known = true;
  for (size_t i = 0; i < room.size(); ++i) {
    Place index = packed ? at_operand(place, first, static_cast<int64_t>(i))
                         : at_operand(place, first + i, 0);
    std::optional<Term> term = want(index);
    if (!term) {
      known = false;
      continue;
    }
    // Unsigned values past INT64_MAX are out of range all the same.
    int64_t start = domain_.start_index(*term, room[i] + 1);
    bool is_huge = start < 0 && hlo::is_unsigned_integer(module_[index.instruction].shape.type);
    out.push_back(is_huge ? room[i] : std::clamp<int64_t>(start, 0, room[i]));
  }
  return known;
}

Evaluator::Step Evaluator::move_dynamic_slice(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  Dims room = plan.operand_dims;
  for (size_t i = 0; i < room.size(); ++i) room[i] -= in.shape.dims[i];
  std::vector<int64_t> from;
  if (!starts(place, 1, room, from)) return Step::kWaiting;
  int64_t index = 0;
  int64_t rest = place.index;
  for (size_t i = 0; i < room.size(); ++i) {
    int64_t coordinate = rest / plan.strides[i];
    rest -= coordinate * plan.strides[i];
    index += (from[i] + coordinate) * plan.operand_strides[i];
  }
  place.instruction = in.operands[0];
  place.index = index;
  return Step::kMoved;
}

Evaluator::Step Evaluator::move_dynamic_update_slice(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  const Dims& update = module_[in.operands[1]].shape.dims;
  Dims room = plan.operand_dims;
  for (size_t i = 0; i < room.size(); ++i) room[i] -= update[i];
  std::vector<int64_t> from;
  if (!starts(place, 2, room, from)) return Step::kWaiting;
  note_window(place.instruction, from);
  Dims update_strides = hlo::row_major_strides(update);
  int64_t index = 0;
  int64_t rest = place.index;
  bool inside = true;
  for (size_t i = 0; i < room.size(); ++i) {
    int64_t coordinate = rest / plan.strides[i];
    rest -= coordinate * plan.strides[i];
    int64_t within = coordinate - from[i];
    inside = inside && within >= 0 && within < update[i];
    index += within * update_strides[i];
  }
  place.instruction = in.operands[inside ? 1 : 0];
  if (inside) place.index = index;
  return Step::kMoved;
}

void Evaluator::note_window(hlo::InstructionId update, const std::vector<int64_t>& from) {
  constexpr size_t kMostWindows = 32;
  Dims at(from.begin(), from.end());
  for (const Window& window : windows_) {
    if (window.instruction == update && window.from == at) return;
  }
  if (windows_.size() >= kMostWindows) return;
  const hlo::Instruction& in = module_[update];
  windows_.push_back({update, in.shape.dims, at, module_[in.operands[1]].shape.dims});
}

// The HLO gather (of indexed slices, not between devices). A result index splits into a batch part,
// which says which start vector is used, and an offset part, which says where in that slice.
Evaluator::Step Evaluator::move_gather(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  const hlo::IntList& offset_dims = in.ints(AttributeKey::kOffsetDims);
  const hlo::IntList& collapsed = in.ints(AttributeKey::kCollapsedSliceDims);
  const hlo::IntList& start_map = in.ints(AttributeKey::kStartIndexMap);
  const hlo::IntList& batching = in.ints(AttributeKey::kOperandBatchingDims);
  const hlo::IntList& index_batching = in.ints(AttributeKey::kStartIndicesBatchingDims);
  int64_t vector_dim = in.int_attribute(AttributeKey::kIndexVectorDim, 0);
  std::vector<int64_t> sizes = integers_in(in.raw_text(AttributeKey::kSliceSizes));
  size_t rank = plan.operand_dims.size();
  if (sizes.size() != rank) throw Unmodelled("a gather without slice sizes");
  auto contains = [](const hlo::IntList& list, int64_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };

  std::vector<int64_t> at(in.shape.dims.size());
  coordinates(place.index, plan.strides, in.shape.dims, at.data());
  std::vector<int64_t> batch, offset;
  for (size_t i = 0; i < at.size(); ++i) {
    (contains(offset_dims, static_cast<int64_t>(i)) ? offset : batch).push_back(at[i]);
  }
  const Dims& index_dims = module_[in.operands[1]].shape.dims;
  Dims index_strides = hlo::row_major_strides(index_dims);
  int64_t vector_step =
      vector_dim < static_cast<int64_t>(index_dims.size()) ? index_strides[vector_dim] : 0;
  int64_t base = 0;
  std::vector<int64_t> batch_at(index_dims.size(), 0);
  for (size_t i = 0, next = 0; i < index_dims.size(); ++i) {
    if (static_cast<int64_t>(i) == vector_dim) continue;
    batch_at[i] = batch.at(next++);
    base += batch_at[i] * index_strides[i];
  }
  std::vector<int64_t> from(rank, 0);
  bool known = true;
  for (size_t k = 0; k < start_map.size(); ++k) {
    std::optional<Term> term =
        want(at_operand(place, 1, base + static_cast<int64_t>(k) * vector_step));
    if (!term) {
      known = false;
      continue;
    }
    int64_t room = plan.operand_dims[start_map[k]] - sizes[start_map[k]];
    from[start_map[k]] = std::clamp<int64_t>(domain_.start_index(*term, room + 1), 0, room);
  }
  if (!known) return Step::kWaiting;
  for (size_t k = 0; k < batching.size(); ++k)
    from[batching[k]] = batch_at.at(index_batching.at(k));
  int64_t index = 0;
  for (size_t i = 0, next = 0; i < rank; ++i) {
    int64_t dim = static_cast<int64_t>(i);
    bool dropped = contains(collapsed, dim) || contains(batching, dim);
    index += (from[i] + (dropped ? 0 : offset.at(next++))) * plan.operand_strides[i];
  }
  place.instruction = in.operands[0];
  place.index = index;
  return Step::kMoved;
}

}  // namespace flipsat::verify
