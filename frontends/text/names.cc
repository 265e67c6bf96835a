#include "frontends/text/names.h"

#include <algorithm>

#include "frontends/text/scanner.h"
#include "hlo/element_type.h"

namespace flipsat::frontends {

bool is_forbidden_name(std::string_view name) {
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
  if (name.empty() || !is_word_start(name[0])) result += '_';
  for (char c : name) result += is_word_char(c) ? c : '_';
  if (is_forbidden_name(result)) result += '_';
  return result;
}

}  // namespace flipsat::frontends
