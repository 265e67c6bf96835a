// The shape that each operation of operators.h makes of its operands; nullopt where attributes and
// operands make no well-formed operation.
#pragma once

#include <optional>
#include <span>

#include "language/operator.h"
#include "rules/text/value.h"

namespace flipsat::rules::text::shapes {

using Attributes = std::span<const Value>;
using Operands = std::span<const hlo::Shape>;
using MaybeShape = std::optional<hlo::Shape>;

MaybeShape all_gather(Attributes a, Operands x);
MaybeShape all_reduce(Attributes a, Operands x);
MaybeShape reduce_scatter(Attributes a, Operands x);
MaybeShape own_shard(Attributes a, Operands x);
MaybeShape convert(Attributes a, Operands x);
MaybeShape reshape(Attributes a, Operands x);
MaybeShape transpose(Attributes a, Operands x);
MaybeShape broadcast(Attributes a, Operands x);
MaybeShape slice(Attributes a, Operands x);
MaybeShape dynamic_slice(Attributes a, Operands x);
MaybeShape constant(Attributes a, Operands x);
MaybeShape reverse(Attributes a, Operands x);
MaybeShape pad(Attributes a, Operands x);
MaybeShape concatenate(Attributes a, Operands x);
MaybeShape dynamic_update_slice(Attributes a, Operands x);
MaybeShape reduce(Attributes a, Operands x);
MaybeShape dot(Attributes a, Operands x);
MaybeShape all_to_all(Attributes a, Operands x);
MaybeShape collective_permute(Attributes a, Operands x);
MaybeShape elementwise(Attributes a, Operands x);

// Of a dot's attributes.
language::DotDims dot_dims_of(Attributes a);

}  // namespace flipsat::rules::text::shapes
