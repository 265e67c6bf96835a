#include "tools/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>

#include "frontends/dump_folder.h"
#include "frontends/file.h"
#include "hlo/input_error.h"
#include "tools/units.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

constexpr std::array<const char*, 2> kWatchedPrograms = {"input", "output"};
constexpr std::array<const char*, 4> kWatchedFigures = {
    "/launches", "/wire_bytes", "/executed/launches", "/executed/wire_bytes"};

Json::json_pointer pointer(const std::string& program, const char* figure) {
  return Json::json_pointer("/programs/" + program + figure);
}

hlo::InputError no_baseline(const std::string& path, const std::string& why) {
  return {{path, 1, 1}, "expected what an earlier `compare --json` wrote: " + why};
}

// Of a byte counted from 1.
hlo::Place place_of(const std::string& path, const std::string& text, size_t byte) {
  const std::string before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n') + 1;  // 0 where there is none
  return {path, static_cast<int>(line) + 1, static_cast<int>(before.size() - start) + 1};
}

void check_record(const std::string& path, const Json& record) {
  if (!record.is_object() || !record.contains("input") || !record["input"].is_string()) {
    throw no_baseline(path, "a record has no \"input\"");
  }
  if (record.contains("error")) return;
  for (const char* program : kWatchedPrograms) {
    for (const char* figure : kWatchedFigures) {
      const Json::json_pointer at = pointer(program, figure);
      if (!record.contains(at) || !record[at].is_number_integer()) {
        throw no_baseline(path, fmt::format("{} has no number {}",
                                            record["input"].get<std::string>(), at.to_string()));
      }
    }
  }
}

std::string input_name(const Json& record) { return record["input"].get<std::string>(); }

std::string file_name(const Json& record) {
  return std::filesystem::path(input_name(record)).filename().string();
}

// By name, the record that bears it; null where several do.
using Records = std::map<std::string, const Json*>;

// Of a dump, how often each module's name came: XLA numbers modules as they are compiled, so that
// numbers change with what else is.
std::map<const Json*, std::string> names_in_dumps(const Json& report) {
  std::map<const Json*, std::string> names;
  std::map<std::string, int> seen;
  for (const Json& record : report["records"]) {
    const auto dumped = frontends::read_dump_name(file_name(record));
    if (!dumped || dumped->name.empty()) continue;
    names[&record] = fmt::format("{} #{}", dumped->name, ++seen[dumped->name]);
  }
  return names;
}

Records by(const Json& report, const std::function<std::string(const Json&)>& name) {
  Records records;
  for (const Json& record : report["records"]) {
    const std::string its = record.contains("error") ? "" : name(record);
    if (its.empty()) continue;
    const auto [known, is_new] = records.emplace(its, &record);
    if (!is_new) known->second = nullptr;
  }
  return records;
}

void compare_records(const Json& before, const Json& after, BaselineCheck& check) {
  ++check.compared;
  for (const char* program : kWatchedPrograms) {
    for (const char* figure : kWatchedFigures) {
      const Json::json_pointer at = pointer(program, figure);
      const auto then = before[at].get<int64_t>();
      const auto now = after[at].get<int64_t>();
      if (now <= then) continue;
      std::string name = figure + 1;
      std::replace(name.begin(), name.end(), '/', '.');
      check.grown.push_back({input_name(after), program, name, then, now});
    }
  }
}

}  // namespace

Json read_baseline(const std::string& path) {
  const std::string text = frontends::read_bytes(path);
  Json report;
  try {
    report = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw hlo::InputError(place_of(path, text, error.byte), "expected JSON");
  } catch (const Json::out_of_range&) {
    throw no_baseline(path, "a number is too large");
  }
  if (!report.is_object() || !report.contains("records") || !report["records"].is_array()) {
    throw no_baseline(path, "there are no \"records\"");
  }
  for (const Json& record : report["records"]) check_record(path, record);
  return report;
}

BaselineCheck check_baseline(const Json& baseline, const Json& now) {
  for (const char* asked : {"numerics", "combiner", "machine", "objective"}) {
    if (baseline.contains(asked) && baseline[asked] != now[asked]) {
      throw UsageError(fmt::format("--baseline: it was made with --{} {}, and this is {}", asked,
                                   baseline[asked].dump(), now[asked].dump()));
    }
  }
  const auto dumped_before = names_in_dumps(baseline), dumped_now = names_in_dumps(now);
  const auto name_in = [](const std::map<const Json*, std::string>& dumped) {
    return [&dumped](const Json& record) {
      const auto named = dumped.find(&record);
      return named == dumped.end() ? "" : named->second;
    };
  };
  const Records by_input = by(baseline, input_name), by_name = by(baseline, file_name);
  const Records by_module = by(baseline, name_in(dumped_before)), names_now = by(now, file_name);
  const auto find = [](const Records& records, const std::string& name) -> const Json* {
    const auto found = records.find(name);
    return found == records.end() ? nullptr : found->second;
  };
  BaselineCheck check;
  std::map<const Json*, bool> is_seen;
  for (const Json& record : now["records"]) {
    if (record.contains("error")) continue;
    const Json* before = nullptr;
    if (const auto module = dumped_now.find(&record); module != dumped_now.end()) {
      before = find(by_module, module->second);
    } else if (by_input.contains(input_name(record))) {
      before = find(by_input, input_name(record));
    } else if (names_now.at(file_name(record))) {
      before = find(by_name, file_name(record));
    }
    if (!before || is_seen[before]) {
      check.added.push_back(input_name(record));
      continue;
    }
    is_seen[before] = true;
    compare_records(*before, record, check);
  }
  for (const Json& record : baseline["records"]) {
    if (!record.contains("error") && !is_seen[&record]) check.missing.push_back(input_name(record));
  }
  return check;
}

std::string baseline_text(const BaselineCheck& check) {
  std::string text;
  for (const Growth& growth : check.grown) {
    const bool is_bytes = growth.figure.ends_with("bytes");
    text += fmt::format("grown: {}: {} of {}: {} -> {}\n", growth.input, growth.figure,
                        growth.program == "input" ? "the module" : "its optimised form",
                        is_bytes ? readable_bytes(growth.before) : std::to_string(growth.before),
                        is_bytes ? readable_bytes(growth.after) : std::to_string(growth.after));
  }
  for (const std::string& input : check.added) {
    text += fmt::format("not in the baseline: {}\n", input);
  }
  for (const std::string& input : check.missing) {
    text += fmt::format("only in the baseline: {}\n", input);
  }
  if (check.compared == 0) {
    text += "no module of the baseline is among these\n";
  } else if (check.grown.empty()) {
    text += fmt::format("no growth in {}\n", counted(check.compared, "module"));
  }
  return text;
}

}  // namespace flipsat::tools
