// slice, dynamic-slice, dynamic-update-slice.
#include "hlo/verify_context.h"

namespace flipsat::hlo {
namespace {

void verify_slice(const VerifyContext& context, const Instruction& slice) {
  const Shape& operand = context.operand_array(slice, 0);
  const Attribute* attribute = slice.find(AttributeKey::kSlice);
  const auto* dims = attribute ? std::get_if<SliceDims>(&attribute->value) : nullptr;
  context.require(dims && dims->size() == operand.dims.size(), slice,
                  "its slice does not have the operand's rank");
  Dims expected;
  for (int d = 0; d < operand.rank(); ++d) {
    const SliceDim& one = (*dims)[d];
    bool in_range = one.start >= 0 && one.start <= one.limit && one.stride > 0 &&
                    (one.limit <= operand.dims[d] || operand.dims[d] == kUnboundedDim);
    if (!in_range) {
      context.refuse(slice, "[" + std::to_string(one.start) + ":" + std::to_string(one.limit) +
                                ":" + std::to_string(one.stride) +
                                "] is no slice of a dim of size " +
                                std::to_string(operand.dims[d]));
    }
    int64_t whole_strides = (one.limit - one.start) / one.stride;
    expected.push_back(whole_strides + ((one.limit - one.start) % one.stride != 0));
  }
  context.require_result(slice, Shape::array(operand.type, expected));
}

// One scalar index for each dim, or all of them in one vector.
void require_start_indices(const VerifyContext& context, const Instruction& instruction,
                           size_t first, int rank) {
  size_t given = instruction.operands.size() - first;
  bool one_vector = given == 1 && context.operand_array(instruction, first).rank() == 1;
  if (one_vector) {
    context.require(fits(context.operand_shape(instruction, first).dims, Dims{rank}), instruction,
                    "its index vector does not have the operand's rank");
  } else {
    context.require(given == static_cast<size_t>(rank), instruction,
                    "it needs one start index for each dim");
  }
  for (size_t i = first; i < instruction.operands.size(); ++i) {
    const Shape& index = context.operand_array(instruction, i);
    context.require(is_integer(index.type), instruction, "a start index is not an integer");
    context.require(one_vector || index.rank() == 0, instruction, "a start index is not a scalar");
  }
}

void require_cut_fits(const VerifyContext& context, const Instruction& instruction, const Dims& cut,
                      const Dims& whole) {
  context.require(cut.size() == whole.size(), instruction,
                  "the cut has another rank than the array");
  for (size_t d = 0; d < cut.size(); ++d) {
    if (whole[d] == kUnboundedDim || cut[d] == kUnboundedDim) continue;
    if (cut[d] >= 0 && cut[d] <= whole[d]) continue;
    context.refuse(instruction, "a cut of size " + std::to_string(cut[d]) +
                                    " does not fit a dim of size " + std::to_string(whole[d]));
  }
}

void verify_dynamic_slice(const VerifyContext& context, const Instruction& slice) {
  const Shape& operand = context.operand_array(slice, 0);
  require_start_indices(context, slice, 1, operand.rank());
  const IntList& sizes = slice.ints(AttributeKey::kDynamicSliceSizes);
  Dims cut(sizes.begin(), sizes.end());
  require_cut_fits(context, slice, cut, operand.dims);
  context.require_result(slice, Shape::array(operand.type, cut));
}

void verify_dynamic_update_slice(const VerifyContext& context, const Instruction& update) {
  const Shape& operand = context.operand_array(update, 0);
  const Shape& cut = context.operand_array(update, 1);
  // XLA takes floats of another width here even where it takes them nowhere else.
  bool same = cut.type == operand.type || (is_float(cut.type) && is_float(operand.type));
  context.require(same, update, "the update has another element type than the array");
  require_cut_fits(context, update, cut.dims, operand.dims);
  require_start_indices(context, update, 2, operand.rank());
  context.require_result(update, operand);
}

}  // namespace

void verify_slices(const VerifyContext& context, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kSlice:
      return verify_slice(context, instruction);
    case Opcode::kDynamicSlice:
      return verify_dynamic_slice(context, instruction);
    case Opcode::kDynamicUpdateSlice:
      return verify_dynamic_update_slice(context, instruction);
    default:
      return;
  }
}

}  // namespace flipsat::hlo
