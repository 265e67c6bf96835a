#include "frontends/text/names.h"

#include <algorithm>

#include "frontends/text/scanner.h"
#include "hlo/element_type.h"

namespace flipsat::frontends {

bool is_forbidden_name(std::string_view name) {
  if (name.find_first_of(".-") != name.npos)
    return false;  // most names have a number; no such word
  static constexpr std::string_view kKeywords[] = {
      "true",        "false",      "inf",        "nan",           "HloModule",
      "ENTRY",       "ROOT",       "FileNames",  "FunctionNames", "FileLocations",
      "StackFrames", "maximal",    "replicated", "manual",        "last_tile_dim_replicate",
      "shard_as",    "shard_like", "unknown",    "unreduced"};
  if (std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords)) {
    return true;
  }
  std::optional<hlo::ElementType> type = hlo::element_type_from_string(name);
  return type && *type != hlo::ElementType::kTuple && *type != hlo::ElementType::kBuffer;
}

std::string sanitized_name(std::string_view name) {
  std::string result;
  result.reserve(name.size() + 1);
  if (name.empty() || !is_word_start(name[0])) result += '_';
  result += name;
  for (char& c : result) {
    if (!is_word_char(c)) c = '_';
  }
  if (is_forbidden_name(result)) result += '_';
  return result;
}

}  // namespace flipsat::frontends
