#include "tools/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flipsat::tools {
namespace {

using Lines = std::vector<std::string_view>;

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      lines.push_back(text);
      break;
    }
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// A stretch of both texts: [before_begin, before_end) against [after_begin, after_end).
struct Stretch {
  size_t before_begin, before_end, after_begin, after_end;
};

using Pair = std::pair<size_t, size_t>;  // equal lines: index before, index after

// Lines that occur exactly once on each side of the stretch, in order of `before`.
std::vector<Pair> unique_pairs(const Lines& before, const Lines& after, const Stretch& stretch) {
  struct Occurrences {
    size_t in_before = 0, in_after = 0, after_index = 0;
  };
  std::unordered_map<std::string_view, Occurrences> seen;
  for (size_t i = stretch.before_begin; i < stretch.before_end; ++i) ++seen[before[i]].in_before;
  for (size_t j = stretch.after_begin; j < stretch.after_end; ++j) {
    Occurrences& line = seen[after[j]];
    ++line.in_after;
    line.after_index = j;
  }
  std::vector<Pair> pairs;
  for (size_t i = stretch.before_begin; i < stretch.before_end; ++i) {
    const Occurrences& line = seen[before[i]];
    if (line.in_before == 1 && line.in_after == 1) pairs.emplace_back(i, line.after_index);
  }
  return pairs;
}

// The longest chain of pairs that increases on both sides (patience sorting).
std::vector<Pair> longest_chain(const std::vector<Pair>& pairs) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> tails;  // last pair of the best chain of each length
  std::vector<size_t> previous(pairs.size(), kNone);
  for (size_t k = 0; k < pairs.size(); ++k) {
    const auto tail =
        std::lower_bound(tails.begin(), tails.end(), pairs[k].second,
                         [&](size_t pair, size_t value) { return pairs[pair].second < value; });
    if (tail != tails.begin()) previous[k] = *(tail - 1);
    if (tail == tails.end()) {
      tails.push_back(k);
    } else {
      *tail = k;
    }
  }
  std::vector<Pair> chain;
  for (size_t k = tails.empty() ? kNone : tails.back(); k != kNone; k = previous[k]) {
    chain.push_back(pairs[k]);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// Equal lines of both texts in order; everything else is removed or added.
std::vector<Pair> match_lines(const Lines& before, const Lines& after) {
  std::vector<Pair> matched;
  std::vector<Stretch> open = {{0, before.size(), 0, after.size()}};
  while (!open.empty()) {
    Stretch stretch = open.back();
    open.pop_back();
    while (stretch.before_begin < stretch.before_end && stretch.after_begin < stretch.after_end &&
           before[stretch.before_begin] == after[stretch.after_begin]) {
      matched.emplace_back(stretch.before_begin++, stretch.after_begin++);
    }
    while (stretch.before_begin < stretch.before_end && stretch.after_begin < stretch.after_end &&
           before[stretch.before_end - 1] == after[stretch.after_end - 1]) {
      matched.emplace_back(--stretch.before_end, --stretch.after_end);
    }
    const std::vector<Pair> anchors = longest_chain(unique_pairs(before, after, stretch));
    if (anchors.empty()) continue;
    for (const auto& [i, j] : anchors) {
      matched.emplace_back(i, j);
      open.push_back({stretch.before_begin, i, stretch.after_begin, j});
      stretch.before_begin = i + 1;
      stretch.after_begin = j + 1;
    }
    open.push_back(stretch);
  }
  std::sort(matched.begin(), matched.end());
  return matched;
}

// One line of the result, with its positions in both texts.
struct Edit {
  char sign;  // ' ', '-', '+'
  std::string_view line;
  size_t before_index, after_index;
};

std::vector<Edit> edit_script(const Lines& before, const Lines& after) {
  std::vector<Pair> matched = match_lines(before, after);
  matched.emplace_back(before.size(), after.size());
  std::vector<Edit> script;
  size_t i = 0, j = 0;
  for (const auto& [next_i, next_j] : matched) {
    for (; i < next_i; ++i) script.push_back({'-', before[i], i, j});
    for (; j < next_j; ++j) script.push_back({'+', after[j], i, j});
    if (i == before.size()) break;
    script.push_back({' ', before[i], i, j});
    ++i;
    ++j;
  }
  return script;
}

// A hunk's line numbers: "start,count" as diff writes them.
std::string range(size_t start, size_t count) {
  if (count == 1) return fmt::format("{}", start + 1);
  return fmt::format("{},{}", count == 0 ? start : start + 1, count);
}

void append_hunk(const std::vector<Edit>& script, size_t begin, size_t end, std::string& out) {
  size_t before_count = 0, after_count = 0;
  for (size_t k = begin; k < end; ++k) {
    before_count += script[k].sign != '+' ? 1 : 0;
    after_count += script[k].sign != '-' ? 1 : 0;
  }
  out += fmt::format("@@ -{} +{} @@\n", range(script[begin].before_index, before_count),
                     range(script[begin].after_index, after_count));
  for (size_t k = begin; k < end; ++k) {
    out += script[k].sign;
    out += script[k].line;
    if (!script[k].line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, const DiffNames& names) {
  constexpr size_t kContext = 3;
  const std::vector<Edit> script = edit_script(split_lines(before), split_lines(after));
  const auto next_change = [&](size_t from) {
    while (from < script.size() && script[from].sign == ' ') ++from;
    return from;
  };

  std::string out;
  for (size_t change = next_change(0); change < script.size();) {
    const size_t begin = change - std::min(change, kContext);
    size_t end = change;
    // Changes whose contexts touch share a hunk.
    while (change < script.size() && change <= end + 2 * kContext) {
      while (change < script.size() && script[change].sign != ' ') ++change;
      end = change;
      change = next_change(change);
    }
    if (out.empty()) out = fmt::format("--- {}\n+++ {}\n", names.before, names.after);
    append_hunk(script, begin, std::min(end + kContext, script.size()), out);
  }
  return out;
}

}  // namespace flipsat::tools
