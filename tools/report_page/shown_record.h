// What a page shows of one record of a report: the figures, and of long lists the part that counts
// most with the number of what is left out. A page holds thousands of these.
#pragma once

#include <cstddef>

#include "extract/machine.h"
#include "tools/json_text.h"

namespace flipsat::tools {

// How much of each list is shown.
struct ShownLimits {
  size_t changes, kept, refused, keys, sentences, alternatives;
};
inline constexpr ShownLimits kShownOfModule = {3000, 500, 300, 300, 100, 100};
inline constexpr ShownLimits kShownOfBatch = {10, 4, 8, 12, 6, 3};

// Fields have the names of the report, and `N_count` beside a list N tells its whole length.
Json shown_record(const Json& record, const ShownLimits& limits);

// A number of a report, exact or not.
double number_of(const Json& value);
extract::Picoseconds picoseconds_of(const Json& microseconds);

// How much a record of `keys` counts on a page: its bytes, in the program that has the most.
int64_t weight_of_key(const Json& key);

}  // namespace flipsat::tools
