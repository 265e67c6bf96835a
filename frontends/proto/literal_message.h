// Constant values of HLO protos.
#pragma once

#include "frontends/proto/hlo.pb.h"
#include "hlo/literal.h"

namespace flipsat::frontends {

// Throws std::runtime_error where the values do not fit the shape. A literal that has a shape and
// no values at all, as XLA writes without constants, comes out elided.
hlo::LiteralRef literal_from(const hlo_proto::Literal& message);

// `shape` decides the layout that the literal gets. Elided literals get a shape alone.
void set_literal(const hlo::Literal& literal, hlo_proto::Literal* message);

}  // namespace flipsat::frontends
