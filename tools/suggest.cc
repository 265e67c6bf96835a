#include "tools/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace flipsat::tools {
namespace {

// Levenshtein distance, one row at a time.
size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[to.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  size_t nearest_distance = 0;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(word, name);
    if (distance > std::max<size_t>(1, name.size() / 3)) continue;
    if (nearest != nullptr && distance >= nearest_distance) continue;
    nearest = &name;
    nearest_distance = distance;
  }
  return nearest == nullptr ? "" : fmt::format("; did you mean '{}'?", *nearest);
}

}  // namespace flipsat::tools
