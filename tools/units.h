// Figures as people read them, and as reports hold them.
#pragma once

#include <cstdint>
#include <string>

#include "extract/machine.h"

namespace flipsat::tools {

// Microseconds as an exact decimal of integer picoseconds, trailing zeros trimmed: "120.5", "88".
std::string exact_microseconds(extract::Picoseconds time);

// For tables: about three digits that count. "88.2 us", "1.32 ms", "2.05 s".
std::string readable_time(extract::Picoseconds time);
// "640 B", "12.5 KiB", "1 GiB".
std::string readable_bytes(int64_t bytes);
// "-26.9 %", "+3.1 %", "0 %": how far `after` is from `before`. Empty where `before` is 0 and
// `after` is not.
std::string readable_change(int64_t before, int64_t after);
// "1 launch", "3 launches": `plural` where it is not the word with an s.
std::string counted(int64_t count, const std::string& word, const std::string& plural = "");

}  // namespace flipsat::tools
