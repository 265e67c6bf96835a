// The programs on which the harness tries each rule, one file a family: which programs, what the
// right-hand side would be without the condition, a fault that must be caught, and for each reason
// to refuse why it may hit what is right. A new family adds its function here.
#pragma once

#include "optimizer/harness/harness.h"

namespace flipsat::rules::testing {

using hlo::Dims;
using hlo::ElementType;
using hlo::Opcode;
using hlo::ReducerKind;
using optimizer::Case;
using optimizer::Choices;
using optimizer::Grouping;
using optimizer::Modules;
using optimizer::Program;
using optimizer::Promise;
using optimizer::Space;
using optimizer::Value;

std::vector<Space> gather_convert_spaces();
std::vector<Space> gather_reshape_spaces();
std::vector<Space> gather_elementwise_spaces();
std::vector<Space> gather_dynamic_slice_spaces();
std::vector<Space> reduce_convert_spaces();
std::vector<Space> scatter_transpose_spaces();
std::vector<Space> reduce_own_shard_spaces();
std::vector<Space> gather_own_shard_spaces();
std::vector<Space> collective_of_one_spaces();
std::vector<Space> reduce_update_spaces();
std::vector<Space> reduce_sum_spaces();
std::vector<Space> reduce_scale_spaces();
std::vector<Space> nested_collective_spaces();
std::vector<Space> reduce_scatter_gather_spaces();
std::vector<Space> collective_of_uniform_spaces();
std::vector<Space> exchange_spaces();
std::vector<Space> exchange_algebra_spaces();
std::vector<Space> dot_spaces();
std::vector<Space> movement_spaces();
std::vector<Space> reduce_reshape_spaces();
std::vector<Space> gather_reduce_own_dim_spaces();
std::vector<Space> see_through_spaces();

std::vector<Space> all_spaces();

// What the passes of the greedy baseline look for, one space a pass, `rule` being its registry name.
std::vector<Space> pass_spaces();

// ---- choices that many spaces make ----
extern const std::vector<ElementType> kAllTypes;   // real and integer ones, packed ones too
extern const std::vector<ElementType> kSomeTypes;  // one of each kind

// Of the given sizes; one in sixteen has a dim of none.
Dims some_dims(Choices& choices, int min_rank, int max_rank, const std::vector<int64_t>& sizes);
std::vector<int64_t> some_permutation(Choices& choices, int rank);
const Grouping& some_grouping(Choices& choices);  // of all, now and then of 6 or 8 devices
// Dims of the same number of elements: that number taken apart into factors.
Dims some_reshape(Choices& choices, int64_t elements, int max_rank);

// The same groups with the members of each in another order; for faults.
std::optional<Grouping> in_another_order(const Grouping& groups);

}  // namespace flipsat::rules::testing
