#include "tools/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace flipsat::tools {
namespace {

constexpr size_t kDifferencesShown = 5;

using optimizer::Change;

// Names of instructions that a run makes tell their opcode and a number, which depends on what else
// is made.
std::vector<std::string> without_numbers(std::vector<std::string> names) {
  for (std::string& name : names) {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot + 1 == name.size()) continue;
    if (name.find_first_not_of("0123456789", dot + 1) == std::string::npos) name.resize(dot);
  }
  return names;
}

bool is_same(const Change& a, const Change& b) {
  return a.rules == b.rules && a.from == b.from && without_numbers(a.to) == without_numbers(b.to);
}

// "made of %convert %all-gather", "nothing", or what it stands for: "for %a %b".
std::string way_of(const Change& change, bool makes_others) {
  if (!makes_others) return fmt::format("for {}", fmt::join(change.from, " "));
  const std::vector<std::string> made = without_numbers(change.to);
  return made.empty() ? "made of nothing" : fmt::format("made of {}", fmt::join(made, " "));
}

using Place = std::pair<std::string, std::string>;  // computation, value

std::map<Place, const Change*> by_place(const std::vector<Change>& changes) {
  std::map<Place, const Change*> places;
  for (const Change& change : changes) places[{change.computation, change.at}] = &change;
  return places;
}

std::string difference_line(const Difference& difference) {
  const std::string at = fmt::format("{} in {}", difference.at, difference.computation);
  const std::string here = fmt::format("{}", fmt::join(difference.rules, ", "));
  const std::string base = fmt::format("{}", fmt::join(difference.base_rules, ", "));
  if (here.empty()) return fmt::format("left    {} ({})", at, base);
  if (base.empty()) return fmt::format("changed {}: {}", at, here);
  if (here == base) {
    return fmt::format("other   {}: {}, {} instead of {}", at, here, difference.way,
                       difference.base_way);
  }
  return fmt::format("other   {}: {} instead of {}", at, here, base);
}

}  // namespace

std::vector<Difference> differences(const std::vector<Change>& base,
                                    const std::vector<Change>& other) {
  std::vector<Difference> found;
  const std::map<Place, const Change*> before = by_place(base);
  const std::map<Place, const Change*> after = by_place(other);
  for (const Change& change : base) {
    const auto there = after.find({change.computation, change.at});
    if (there == after.end()) {
      found.push_back({change.at, change.computation, change.rules, {}, {}, {}});
    } else if (!is_same(change, *there->second)) {
      const Change& there_is = *there->second;
      const bool makes_others = without_numbers(change.to) != without_numbers(there_is.to);
      found.push_back({change.at, change.computation, change.rules, there_is.rules,
                       way_of(change, makes_others), way_of(there_is, makes_others)});
    }
  }
  for (const Change& change : other) {
    if (before.contains({change.computation, change.at})) continue;
    found.push_back({change.at, change.computation, {}, change.rules, {}, {}});
  }
  return found;
}

std::string difference_lines(const std::vector<Difference>& differences, bool all) {
  std::string lines;
  const size_t count = differences.size();
  const size_t shown = all ? count : std::min(kDifferencesShown, count);
  for (size_t i = 0; i < shown; ++i) lines += "    " + difference_line(differences[i]) + "\n";
  if (shown < count) {
    lines += fmt::format("    and {} more (--verbose lists them)\n", count - shown);
  }
  return lines;
}

Json difference_records(const std::vector<Difference>& differences) {
  Json records = Json::array();
  for (const Difference& difference : differences) {
    records.push_back({{"at", difference.at},
                       {"computation", difference.computation},
                       {"base_rules", difference.base_rules},
                       {"rules", difference.rules}});
  }
  return records;
}

}  // namespace flipsat::tools
