// broadcast, reshape, transpose, reverse, concatenate, iota, pad, copy, bitcast.
#include <algorithm>

#include "hlo/verify_context.h"

namespace flipsat::hlo {
namespace {

// Every entry names a dim below `rank`, none twice.
void require_distinct_dims(const VerifyContext& context, const Instruction& instruction,
                           const IntList& dims, int rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t d : dims) {
    if (d < 0 || d >= rank) {
      context.refuse(instruction, "dimension " + std::to_string(d) + " is out of range for rank " +
                                      std::to_string(rank));
    }
    if (seen[d]) context.refuse(instruction, "dimension " + std::to_string(d) + " is named twice");
    seen[d] = true;
  }
}

void verify_broadcast(const VerifyContext& context, const Instruction& broadcast) {
  const Shape& operand = context.operand_array(broadcast, 0);
  context.require_result_type(broadcast, operand.type);
  const IntList& dims = broadcast.dimensions();
  context.require(dims.size() == operand.dims.size(), broadcast,
                  "it needs one dimension for each dim of its operand");
  require_distinct_dims(context, broadcast, dims, broadcast.shape.rank());
  for (size_t i = 0; i < dims.size(); ++i) {
    context.require(fits(Dims{broadcast.shape.dims[dims[i]]}, Dims{operand.dims[i]}), broadcast,
                    "a dim of the operand has another size in the result");
  }
}

bool is_unbounded(const Shape& shape) {
  return std::find(shape.dims.begin(), shape.dims.end(), kUnboundedDim) != shape.dims.end();
}

void verify_reshape(const VerifyContext& context, const Instruction& reshape) {
  const Shape& operand = context.operand_array(reshape, 0);
  context.require_result_type(reshape, operand.type);
  if (is_unbounded(operand) || is_unbounded(reshape.shape)) return;
  context.require(operand.element_count() == reshape.shape.element_count(), reshape,
                  "the result has another number of elements than the operand");
}

void verify_transpose(const VerifyContext& context, const Instruction& transpose) {
  const Shape& operand = context.operand_array(transpose, 0);
  const IntList& permutation = transpose.dimensions();
  context.require(permutation.size() == operand.dims.size(), transpose,
                  "its permutation does not have the operand's rank");
  require_distinct_dims(context, transpose, permutation, operand.rank());
  Dims dims;
  for (int64_t d : permutation) dims.push_back(operand.dims[d]);
  context.require_result(transpose, Shape::array(operand.type, dims));
}

void verify_concatenate(const VerifyContext& context, const Instruction& concatenate) {
  const Shape& first = context.operand_array(concatenate, 0);
  context.require(concatenate.dimensions().size() == 1, concatenate, "it needs one dimension");
  require_distinct_dims(context, concatenate, concatenate.dimensions(), first.rank());
  int64_t dim = concatenate.dimensions()[0];
  Shape expected = Shape::array(first.type, first.dims);
  for (size_t i = 1; i < concatenate.operands.size(); ++i) {
    const Shape& operand = context.operand_array(concatenate, i);
    bool alike = context.same_type(operand.type, first.type) && operand.rank() == first.rank();
    for (int d = 0; alike && d < first.rank(); ++d) {
      alike = d == dim || fits(Dims{operand.dims[d]}, Dims{first.dims[d]});
    }
    context.require(alike, concatenate, "its operands differ in more than the concatenated dim");
    bool known = expected.dims[dim] != kUnboundedDim && operand.dims[dim] != kUnboundedDim;
    expected.dims[dim] = known ? expected.dims[dim] + operand.dims[dim] : kUnboundedDim;
  }
  context.require_result(concatenate, expected);
}

void verify_iota(const VerifyContext& context, const Instruction& iota) {
  context.require_array_result(iota);
  int64_t dim = iota.int_attribute(AttributeKey::kIotaDimension, -1);
  bool in_range = dim >= 0 && dim < iota.shape.rank();
  context.require(in_range, iota, "its iota_dimension is not a dim of the result");
}

void verify_pad(const VerifyContext& context, const Instruction& pad) {
  const Shape& operand = context.operand_array(pad, 0);
  const Shape& value = context.operand_array(pad, 1);
  context.require(value.rank() == 0 && context.same_type(value.type, operand.type), pad,
                  "its padding value is not a scalar of the operand's type");
  const Attribute* attribute = pad.find(AttributeKey::kPadding);
  const auto* padding = attribute ? std::get_if<PaddingDims>(&attribute->value) : nullptr;
  // A scalar's padding has no entries and may be spelled in any way.
  bool fits_rank = operand.rank() == 0 || (padding && padding->size() == operand.dims.size());
  context.require(fits_rank, pad, "its padding does not have the operand's rank");
  Dims dims = operand.dims;
  for (int d = 0; d < operand.rank(); ++d) {
    const PaddingDim& one = (*padding)[d];
    context.require(one.interior >= 0, pad, "its interior padding is negative");
    if (dims[d] == kUnboundedDim) continue;
    dims[d] += one.low + one.high + std::max<int64_t>(dims[d] - 1, 0) * one.interior;
    context.require(dims[d] >= 0, pad, "its padding cuts away more than there is");
  }
  context.require_result(pad, Shape::array(operand.type, dims));
}

}  // namespace

void verify_data_movement(const VerifyContext& context, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kBroadcast:
      return verify_broadcast(context, instruction);
    case Opcode::kReshape:
      return verify_reshape(context, instruction);
    case Opcode::kTranspose:
      return verify_transpose(context, instruction);
    case Opcode::kConcatenate:
      return verify_concatenate(context, instruction);
    case Opcode::kIota:
      return verify_iota(context, instruction);
    case Opcode::kPad:
      return verify_pad(context, instruction);
    case Opcode::kReverse: {
      const Shape& operand = context.operand_array(instruction, 0);
      require_distinct_dims(context, instruction, instruction.dimensions(), operand.rank());
      return context.require_result(instruction, operand);
    }
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
      return context.require_result(instruction, context.operand_shape(instruction, 0));
    case Opcode::kBitcast: {
      // Layouts and padding decide how the sizes relate.
      const Shape& operand = context.operand_shape(instruction, 0);
      if (!operand.is_array()) return;
      return context.require_result_type(instruction, operand.type);
    }
    default:
      return;
  }
}

}  // namespace flipsat::hlo
