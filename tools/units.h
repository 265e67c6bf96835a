// Figures as people read them, and as reports hold them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "extract/machine.h"

namespace flipsat::tools {

// Microseconds as an exact decimal of integer picoseconds, trailing zeros trimmed: "120.5", "88".
std::string exact_microseconds(extract::Picoseconds time);

// For tables: about three digits that count, and some more on demand. "88.2 us", "1.32 ms", "2.05
// s".
std::string readable_time(extract::Picoseconds time, int more_digits = 0);
// "640 B", "12.5 KiB", "1 GiB".
std::string readable_bytes(int64_t bytes, int more_digits = 0);
// Figures that are compared: in so many digits that no two that differ read the same.
std::vector<std::string> told_apart(const std::vector<int64_t>& figures,
                                    std::string (*readable)(int64_t, int));
// "-26.9 %", "+3.1 %", "0 %": how far `after` is from `before`. Empty where `before` is 0 and
// `after` is not.
std::string readable_change(int64_t before, int64_t after);
// "1 launch", "3 launches": `plural` where it is not the word with an s.
std::string counted(int64_t count, const std::string& word, const std::string& plural = "");

// With a capital letter and a full stop.
std::string sentence(std::string text);

}  // namespace flipsat::tools
