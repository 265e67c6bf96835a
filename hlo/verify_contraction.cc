// dot and reduce.
#include <algorithm>

#include "hlo/verify_context.h"

namespace flipsat::hlo {
namespace {

// Marks dims in `used`; refuses those out of range or already marked.
void use_dims(const VerifyContext& context, const Instruction& instruction, const IntList& dims,
              std::vector<bool>& used) {
  for (int64_t d : dims) {
    bool in_range = d >= 0 && d < static_cast<int64_t>(used.size());
    if (!in_range) {
      context.refuse(instruction, "dimension " + std::to_string(d) + " is out of range for rank " +
                                      std::to_string(used.size()));
    }
    if (used[d]) context.refuse(instruction, "dimension " + std::to_string(d) + " is named twice");
    used[d] = true;
  }
}

void require_pairs_fit(const VerifyContext& context, const Instruction& dot, const IntList& left,
                       const IntList& right) {
  context.require(left.size() == right.size(), dot,
                  "its two sides name different numbers of batch or contracting dims");
  for (size_t i = 0; i < left.size(); ++i) {
    int64_t a = context.operand_shape(dot, 0).dims[left[i]];
    int64_t b = context.operand_shape(dot, 1).dims[right[i]];
    if (fits(Dims{a}, Dims{b})) continue;
    context.refuse(dot, "batch or contracting dims have sizes " + std::to_string(a) + " and " +
                            std::to_string(b));
  }
}

void verify_dot(const VerifyContext& context, const Instruction& dot) {
  const Shape& left = context.operand_array(dot, 0);
  const Shape& right = context.operand_array(dot, 1);
  if (dot.operands.size() > 2) return;  // sparse: the operands' dims are not what is multiplied
  const IntList& left_batch = dot.ints(AttributeKey::kLhsBatchDims);
  const IntList& right_batch = dot.ints(AttributeKey::kRhsBatchDims);
  const IntList& left_contracting = dot.ints(AttributeKey::kLhsContractingDims);
  const IntList& right_contracting = dot.ints(AttributeKey::kRhsContractingDims);
  std::vector<bool> left_used(left.rank(), false);
  std::vector<bool> right_used(right.rank(), false);
  use_dims(context, dot, left_batch, left_used);
  use_dims(context, dot, left_contracting, left_used);
  use_dims(context, dot, right_batch, right_used);
  use_dims(context, dot, right_contracting, right_used);
  require_pairs_fit(context, dot, left_batch, right_batch);
  require_pairs_fit(context, dot, left_contracting, right_contracting);
  Dims expected;
  for (int64_t d : left_batch) expected.push_back(left.dims[d]);
  for (int d = 0; d < left.rank(); ++d) {
    if (!left_used[d]) expected.push_back(left.dims[d]);
  }
  for (int d = 0; d < right.rank(); ++d) {
    if (!right_used[d]) expected.push_back(right.dims[d]);
  }
  context.require_result_dims(dot, expected);  // the type may be wider than the operands'
}

void verify_reduce(const VerifyContext& context, const Instruction& reduce) {
  size_t arrays = reduce.operands.size() / 2;
  context.require(reduce.operands.size() % 2 == 0, reduce,
                  "it needs an initial value for each array");
  const Shape& first = context.operand_array(reduce, 0);
  std::vector<bool> reduced(first.rank(), false);
  use_dims(context, reduce, reduce.dimensions(), reduced);
  Dims kept;
  for (int d = 0; d < first.rank(); ++d) {
    if (!reduced[d]) kept.push_back(first.dims[d]);
  }
  const Computation& reducer =
      context.module.computations[context.called(reduce, AttributeKey::kToApply)];
  context.require(reducer.parameters.size() == 2 * arrays, reduce,
                  "its reducer does not take two values for each array");
  if (arrays > 1) {
    context.require(reduce.shape.is_tuple() && reduce.shape.parts->size() == arrays, reduce,
                    "its result is not a tuple of one array for each it reduces");
  } else {
    context.require_array_result(reduce);
  }
  for (size_t i = 0; i < arrays; ++i) {
    context.require(fits(context.operand_array(reduce, i).dims, first.dims), reduce,
                    "its arrays have different dims");
    const Shape& initial = context.operand_array(reduce, arrays + i);
    context.require(initial.rank() == 0, reduce, "an initial value is not a scalar");
    const Shape& result = arrays > 1 ? (*reduce.shape.parts)[i] : reduce.shape;
    if (context.fits(result, Shape::array(initial.type, kept))) continue;
    context.refuse(reduce, "the result is " + to_string_without_layout(result) +
                               ", but its operands make " +
                               to_string_without_layout(Shape::array(initial.type, kept)));
  }
}

}  // namespace

void verify_contraction(const VerifyContext& context, const Instruction& instruction) {
  if (instruction.opcode == Opcode::kDot) verify_dot(context, instruction);
  if (instruction.opcode == Opcode::kReduce) verify_reduce(context, instruction);
}

}  // namespace flipsat::hlo
