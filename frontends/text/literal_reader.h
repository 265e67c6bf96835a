// Literals of HLO text: what stands between the parentheses of `constant(...)`.
#pragma once

#include "frontends/text/scanner.h"
#include "hlo/literal.h"

namespace flipsat::frontends {

// Reads a literal of this shape: a scalar, nested braces, `{...}` (elided), or a tuple of literals
// in parentheses. Rank, counts and ranges are checked.
hlo::LiteralRef read_literal(Scanner& in, const hlo::Shape& shape);

}  // namespace flipsat::frontends
