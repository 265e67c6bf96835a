#include "frontends/dump_folder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace flipsat::frontends {
namespace {

constexpr std::string_view kAfterOptimizations = "after_optimizations";
constexpr size_t kLeastDigits = 4;  // of an id and of a step

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_step(std::string_view text) { return text.size() >= kLeastDigits && is_digits(text); }

bool remove_ending(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending) || text.size() == ending.size()) return false;
  text.remove_suffix(ending.size());
  return true;
}

// Takes KIND off; nullopt where it is none of a module's.
std::optional<bool> take_kind(std::string_view& file) {
  if (!remove_ending(file, ".gz")) remove_ending(file, ".zst");
  if (remove_ending(file, ".hlo.pb")) return true;
  if (remove_ending(file, ".hlo.txt") || remove_ending(file, ".txt") ||
      remove_ending(file, ".hlo")) {
    return false;
  }
  return std::nullopt;
}

// Length of [TIME "."] "module_" ID at the start of a name; 0 where it begins otherwise.
size_t length_of_id(std::string_view file) {
  constexpr std::string_view kModule = "module_";
  size_t at = 0;
  if (const size_t dot = file.find('.'); is_digits(file.substr(0, dot))) at = dot + 1;
  if (!file.substr(at).starts_with(kModule)) return 0;
  at += kModule.size();
  const size_t digits = at;
  while (at < file.size() && std::isdigit(static_cast<unsigned char>(file[at])) != 0) ++at;
  if (at - digits < kLeastDigits || (at < file.size() && file[at] != '.')) return 0;
  return at;
}

// What a buffer assignment and its like add to the name of their stage.
bool is_report(std::string_view word) {
  return word.ends_with("-buffer-assignment") || word.ends_with("-buffer-assignment-values") ||
         word.ends_with("-live-range") || word.ends_with("-memory-usage-report");
}

bool is_after_optimizations(std::string_view word) {
  const size_t at = word.find(kAfterOptimizations);
  if (at == word.npos || (at > 0 && word[at - 1] != '_')) return false;
  const std::string_view rest = word.substr(at + kAfterOptimizations.size());
  return rest.empty() || rest.front() == '_';
}

bool has_letter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalpha(c) != 0; });
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at <= text.size();) {
    const size_t dot = std::min(text.find('.', at), text.size());
    words.push_back(text.substr(at, dot - at));
    at = dot + 1;
  }
  return words;
}

// How many of the words at the end are the stage; 0: they are none.
size_t words_of_stage(const std::vector<std::string_view>& words) {
  const auto from_end = [&](size_t i) {
    return i <= words.size() ? words[words.size() - i] : std::string_view{};
  };
  const std::string_view last = from_end(1);
  if (is_report(last)) return 0;
  if (is_step(from_end(4)) && from_end(2).starts_with("after_") && last.starts_with("before_")) {
    return 4;
  }
  if (last == "before_optimizations") return 1;
  if (is_after_optimizations(last)) {
    const bool is_split = from_end(2).starts_with("sm_") && is_digits(from_end(2).substr(3)) &&
                          is_digits(last.substr(0, last.find('_')));
    return is_split ? 2 : 1;
  }
  if (is_step(from_end(3)) && has_letter(from_end(2)) && !last.empty()) return 3;
  return last.starts_with("after_") || last.starts_with("before_") ? 1 : 0;
}

int64_t number_of(std::string_view digits) {
  int64_t number = std::numeric_limits<int64_t>::max();
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// Stages of no number come before those of passes, or after them.
int64_t position(const DumpFile& file) {
  if (file.step) return *file.step;
  return file.stage.starts_with("before_") ? -1 : std::numeric_limits<int64_t>::max();
}

bool comes_before(const DumpFile& a, const DumpFile& b) {
  return std::make_tuple(position(a), std::string_view(a.stage), a.is_proto,
                         std::string_view(a.file)) <
         std::make_tuple(position(b), std::string_view(b.stage), b.is_proto,
                         std::string_view(b.file));
}

bool is_at(const DumpFile& file, std::string_view stage) {
  if (file.stage == stage) return true;
  if (stage == kAfterOptimizations) return file.stage.ends_with("_after_optimizations");
  if (is_digits(stage)) return file.step && *file.step == number_of(stage);
  const std::string after = "after_" + std::string(stage);
  if (!file.step) return file.stage == after;
  const std::vector<std::string_view> words = split(file.stage);
  if (words.size() == 3) return words[2] == stage;  // inside a pass
  return words[2] == stage || words[2] == after || words[3] == stage;
}

std::string short_stage(const DumpFile& file) {
  return file.step ? std::string(split(file.stage)[2]) : file.stage;
}

// A module whose name is left out in some files is the one that has the id alone.
void join_nameless(std::map<std::pair<std::string, std::string>, DumpModule>& modules) {
  std::map<std::string, std::vector<std::string>> names;
  for (const auto& [key, _] : modules) names[key.first].push_back(key.second);
  for (const auto& [id, of_id] : names) {
    if (of_id.size() != 2 || !of_id.front().empty()) continue;
    DumpModule nameless = std::move(modules.extract({id, ""}).mapped());
    DumpModule& named = modules.at({id, of_id.back()});
    named.files.insert(named.files.end(), nameless.files.begin(), nameless.files.end());
  }
}

}  // namespace

bool is_part_of_dump(std::string_view file) { return length_of_id(file) > 0; }

std::optional<DumpFile> read_dump_name(std::string_view file) {
  const size_t id = length_of_id(file);
  std::string_view rest = file;
  const std::optional<bool> is_proto = take_kind(rest);
  if (id == 0 || !is_proto || rest.size() <= id + 1) return std::nullopt;
  rest.remove_prefix(id + 1);
  const std::vector<std::string_view> words = split(rest);
  const size_t count = words_of_stage(words);
  if (count == 0) return std::nullopt;

  DumpFile dump;
  dump.file = file;
  dump.id = file.substr(0, id);
  const std::string_view first = words[words.size() - count];
  const size_t begin = static_cast<size_t>(first.data() - rest.data());
  dump.stage = rest.substr(begin);
  if (begin > 0) dump.name = rest.substr(0, begin - 1);
  if (count > 2) dump.step = number_of(first);
  dump.is_proto = *is_proto;
  return dump;
}

std::vector<DumpModule> dump_modules(const std::vector<std::string>& files) {
  std::map<std::pair<std::string, std::string>, DumpModule> modules;
  for (const std::string& file : files) {
    std::optional<DumpFile> dump = read_dump_name(file);
    if (!dump) continue;
    DumpModule& module = modules[{dump->id, dump->name}];
    module.id = dump->id;
    module.name = dump->name;
    module.files.push_back(std::move(*dump));
  }
  join_nameless(modules);
  std::vector<DumpModule> list;
  for (auto& [_, module] : modules) {
    std::sort(module.files.begin(), module.files.end(), comes_before);
    list.push_back(std::move(module));
  }
  return list;
}

const DumpFile* file_at(const DumpModule& module, std::string_view stage) {
  for (auto file = module.files.rbegin(); file != module.files.rend(); ++file) {
    if (is_at(*file, stage)) return &*file;
  }
  return nullptr;
}

std::vector<std::string> stages_of(const std::vector<DumpModule>& modules) {
  std::vector<const DumpFile*> files;
  for (const DumpModule& module : modules) {
    for (const DumpFile& file : module.files) files.push_back(&file);
  }
  std::stable_sort(files.begin(), files.end(), [](const DumpFile* a, const DumpFile* b) {
    return position(*a) < position(*b);
  });
  std::vector<std::string> stages;
  std::set<std::string> seen;
  for (const DumpFile* file : files) {
    const std::string stage = short_stage(*file);
    if (seen.insert(stage).second) stages.push_back(stage);
  }
  return stages;
}

}  // namespace flipsat::frontends
