// A small program in the making whose parts are drawn: values, groups, start indices.
#pragma once

#include <optional>
#include <vector>

#include "optimizer/harness/choices.h"
#include "optimizer/harness/program.h"

namespace flipsat::optimizer {

// Of the same devices as the first, which it is, now and then.
const Grouping& some_grouping_like(Choices& choices, const Grouping& first);
const Grouping& any_grouping(Choices& choices);

std::vector<int64_t> any_permutation(Choices& choices, int rank);
// Dims of so many elements.
hlo::Dims any_dims_of(Choices& choices, int64_t elements, int max_rank);
// A few small ones.
hlo::Dims any_dims(Choices& choices);

// A value that is as different between devices as another draw: a parameter, one equal on all.
Value any_value(Program& p, Choices& choices, hlo::ElementType type, const hlo::Dims& dims);

// Where one dim's slice starts: constant, equal on all devices, in each group, the own shard (of
// the member's place, or another one), by table, by arithmetic, unknown.
Value any_start(Program& p, Choices& choices, const Grouping& groups, int64_t whole, int64_t size);
// How much a slice leaves of a dim: all, one of n blocks, anything.
int64_t any_size(Choices& choices, const Grouping& groups, int64_t whole);

}  // namespace flipsat::optimizer
