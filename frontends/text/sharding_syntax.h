// `sharding={...}`: kept as spelling, checked for its syntax.
#pragma once

#include "frontends/text/scanner.h"

namespace flipsat::frontends {

// Steps over one sharding with its braces: a tile assignment, a word, a mesh, or a tuple of these.
void skip_sharding(Scanner& in);

}  // namespace flipsat::frontends
