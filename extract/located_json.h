// JSON whose values know where they stand, so that a wrong field of a machine file is reported with
// its line and not only a syntax error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/input_error.h"

namespace flipsat::extract {

struct LocatedJson {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  hlo::Place place;  // where the value ends
  bool boolean = false;
  double number = 0;
  std::optional<int64_t> whole;  // a number that is written as a whole one and fits
  std::string string;
  std::string name;                // of a member of an object
  std::vector<LocatedJson> items;  // of an array, or the members of an object, as written

  const LocatedJson* find(std::string_view key) const;  // null if absent
};

// Throws hlo::InputError for malformed text and for a key that an object has twice.
LocatedJson read_located_json(const std::string& text, const std::string& file);

}  // namespace flipsat::extract
