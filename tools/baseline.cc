#include "tools/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

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
  return {{path, 0, 0}, "expected what an earlier `compare --json` wrote: " + why};
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

std::string file_name(const Json& record) {
  return std::filesystem::path(record["input"].get<std::string>()).filename().string();
}

using Records = std::map<std::string, const Json*>;

// By `input`; and by file name those that have one of their own.
Records records_of(const Json& report, std::string (*name)(const Json&)) {
  Records records;
  for (const Json& record : report["records"]) {
    if (record.contains("error")) continue;
    const auto [known, is_new] = records.emplace(name(record), &record);
    if (!is_new) known->second = nullptr;
  }
  return records;
}

std::string input_name(const Json& record) { return record["input"].get<std::string>(); }

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
  const Records by_input = records_of(baseline, input_name);
  const Records by_name = records_of(baseline, file_name);
  const Records names_now = records_of(now, file_name);
  BaselineCheck check;
  std::map<const Json*, bool> is_seen;
  for (const Json& record : now["records"]) {
    if (record.contains("error")) continue;
    const Json* before = nullptr;
    if (const auto known = by_input.find(input_name(record)); known != by_input.end()) {
      before = known->second;
    } else if (names_now.at(file_name(record))) {
      const auto named = by_name.find(file_name(record));
      if (named != by_name.end()) before = named->second;
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
  if (check.grown.empty()) {
    text += fmt::format("no growth in {}\n", counted(check.compared, "module"));
  }
  return text;
}

}  // namespace flipsat::tools
