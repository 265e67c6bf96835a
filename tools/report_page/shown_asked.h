// What a page shows of the parts of a report that are there only where an option asks for them.
#pragma once

#include <cstddef>

#include "tools/json_text.h"

namespace flipsat::tools {

// Adds `orders`, `alternatives`, `combined`, `solver` and `vary`, where the record has them.
void add_what_was_asked(const Json& record, size_t most_alternatives, Json& shown);

}  // namespace flipsat::tools
