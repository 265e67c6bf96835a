#include "tools/report_page/overall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/report_page/page_text.h"
#include "tools/report_page/shown_record.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

constexpr std::array<const char*, 3> kPrograms = {"input", "greedy", "output"};
constexpr std::array<const char*, 4> kKeyFields = {"opcode", "type", "dim", "groups"};
constexpr size_t kMostKeys = 60;
constexpr size_t kMostRefused = 200;

// A bound of a time is a whole number of picoseconds, which sums exactly.
double in_units(const Json& value, const std::string& objective) {
  return objective == "time" ? static_cast<double>(picoseconds_of(value)) : number_of(value);
}

Json in_report(int64_t value, const std::string& objective) {
  return objective == "time" ? microseconds(value) : Json(value);
}

std::string change_of(const char* name, int64_t before, int64_t after,
                      std::string (*readable)(int64_t, int)) {
  if (before == after) return "";
  const std::vector<std::string> texts = told_apart({before, after}, readable);
  return fmt::format("{} {} ({} -> {})", name, readable_change(before, after), texts[0], texts[1]);
}

// At most so many, the greatest by `count`, in their order.
void keep_most(Json& rows, size_t most, int64_t (*count)(const Json&)) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Json& a, const Json& b) { return count(a) > count(b); });
  if (rows.size() > most) rows.erase(rows.begin() + static_cast<ptrdiff_t>(most), rows.end());
}

}  // namespace

void Overall::Figures::add(const Json& program) {
  const Json& executed = program["executed"];
  time += picoseconds_of(program["time_us"]);
  collectives += executed["collectives"].get<int64_t>();
  launches += executed["launches"].get<int64_t>();
  gathered_bytes += executed["gathered_bytes"].get<int64_t>();
  reduced_bytes += executed["reduced_bytes"].get<int64_t>();
  wire_bytes += executed["wire_bytes"].get<int64_t>();
}

Json Overall::Figures::record() const {
  return {{"time_us", microseconds(time)},
          {"executed",
           {{"collectives", collectives},
            {"launches", launches},
            {"gathered_bytes", gathered_bytes},
            {"reduced_bytes", reduced_bytes},
            {"wire_bytes", wire_bytes}}}};
}

int64_t Overall::Figures::value(const std::string& objective) const {
  if (objective == "time") return time;
  return objective == "bytes" ? wire_bytes : launches;
}

void Overall::add(const Json& record) {
  ++modules_;
  if (record.contains("error")) {
    ++failed_;
    return;
  }
  add_figures(record);
  add_keys(record["keys"]);
  add_rules(record["rules"]);
  add_headroom(record);
  changes_ += static_cast<int64_t>(record["changes"].size());
  order_open_ += record["order_open"].get<int64_t>();
  const Json& verified = record["verified"];
  values_ += verified["values"].get<int64_t>();
  elements_ += verified["elements"].get<int64_t>();
  not_checked_ += static_cast<int64_t>(verified["not_checked"].size());
}

void Overall::add_figures(const Json& record) {
  const std::string objective = record["objective"];
  std::array<Figures, 3> figures;
  for (size_t i = 0; i < figures.size(); ++i) {
    figures[i].add(record["programs"][kPrograms[i]]);
    programs_[i].add(record["programs"][kPrograms[i]]);
  }
  improved_ += figures[2].value(objective) < figures[0].value(objective);
  if (record["bound"].is_null()) {
    ++unbounded_;
    return;
  }
  bound_ += in_units(record["bound"]["value"], objective);
  proved_ += number_of(record["gap"]) == 0;
}

void Overall::add_keys(const Json& keys) {
  for (const Json& key : keys) {
    std::array<std::string, 4> name;
    for (size_t i = 0; i < name.size(); ++i) name[i] = key[kKeyFields[i]];
    std::array<KeyFigures, 3>& figures = keys_[name];
    for (size_t i = 0; i < figures.size(); ++i) {
      const Json& program = key[kPrograms[i]];
      figures[i].count += program["count"].get<int64_t>();
      figures[i].launches += program["launches"].get<int64_t>();
      figures[i].bytes += program["bytes"].get<int64_t>();
    }
  }
}

void Overall::add_rules(const Json& rules) {
  for (const Json& rule : rules) {
    const std::string name = rule["name"];
    RuleFigures& figures = rules_[name];
    figures.applied += rule["applied"].get<int64_t>();
    figures.gain += picoseconds_of(rule["time_us"]);
    for (const auto& [reason, count] : rule["refused"].items()) {
      refused_[{name, reason}] += count.get<int64_t>();
    }
  }
}

void Overall::add_headroom(const Json& record) {
  const Json& output = record["programs"]["output"];
  for (const auto& [numerics, figures] : record["headroom"].items()) {
    Looser& looser = headroom_[numerics];
    const auto less = [&](const char* name) {
      return output["executed"][name].get<int64_t>() - figures["executed"][name].get<int64_t>();
    };
    ++looser.modules;
    looser.time += picoseconds_of(output["time_us"]) - picoseconds_of(figures["time_us"]);
    looser.launches += less("launches");
    looser.wire_bytes += less("wire_bytes");
  }
}

std::string Overall::headline(const std::string& objective) const {
  const Figures& before = programs_[0];
  const Figures& after = programs_[2];
  const std::string time = change_of("time", before.time, after.time, readable_time);
  const std::string wire =
      change_of("wire bytes", before.wire_bytes, after.wire_bytes, readable_bytes);
  const std::string launches = change_of(
      "launches", before.launches, after.launches,
      +[](int64_t count, int) { return std::to_string(count); });
  std::array<std::string, 3> order = {time, wire, launches};  // what was asked for stands first
  if (objective == "bytes") order = {wire, time, launches};
  if (objective == "launches") order = {launches, time, wire};
  std::string gains;
  for (const std::string& figure : order) {
    if (!figure.empty()) gains += (gains.empty() ? "" : ", ") + figure;
  }
  if (gains.empty()) gains = "nothing gained";
  return fmt::format("{}; {}: {} improved, {} proved optimal{}", gains, counted(modules_, "module"),
                     improved_, proved_, failed_ == 0 ? "" : fmt::format(", {} failed", failed_));
}

double Overall::gap(const std::string& objective) const {
  const auto reached = static_cast<double>(programs_[2].value(objective));
  return reached == 0 ? 0 : std::max(0.0, (reached - bound_) / reached);
}

Json Overall::bound_record(const std::string& objective) const {
  return {{"objective", objective}, {"value", in_report(std::llround(bound_), objective)}};
}

Json Overall::key_records() const {
  Json rows = Json::array();
  for (const auto& [name, figures] : keys_) {
    Json row;
    for (size_t i = 0; i < name.size(); ++i) row[kKeyFields[i]] = cut(name[i], 160);
    for (size_t i = 0; i < figures.size(); ++i) {
      row[kPrograms[i]] = {{"count", figures[i].count},
                           {"launches", figures[i].launches},
                           {"bytes", figures[i].bytes}};
    }
    rows.push_back(std::move(row));
  }
  keep_most(rows, kMostKeys, weight_of_key);
  return rows;
}

Json Overall::refused_records() const {
  Json rows = Json::array();
  for (const auto& [what, count] : refused_) {
    rows.push_back(
        {{"rule", cut(what.first, 160)}, {"reason", cut(what.second, 600)}, {"count", count}});
  }
  keep_most(
      rows, kMostRefused, +[](const Json& row) { return row["count"].get<int64_t>(); });
  return rows;
}

Json Overall::shown(const std::string& objective) const {
  Json record;
  record["headline"] = headline(objective);
  record["modules"] = {{"all", modules_},
                       {"improved", improved_},
                       {"proved", proved_},
                       {"unbounded", unbounded_},
                       {"failed", failed_}};
  for (size_t i = 0; i < programs_.size(); ++i) {
    record["programs"][kPrograms[i]] = programs_[i].record();
  }
  const bool any_bound = unbounded_ + failed_ < modules_;
  record["bound"] = any_bound ? bound_record(objective) : Json(nullptr);
  record["gap"] = any_bound ? Json(gap(objective)) : Json(nullptr);
  record["keys"] = key_records();
  record["keys_count"] = keys_.size();
  record["rules"] = Json::array();
  for (const auto& [name, figures] : rules_) {
    if (figures.applied == 0 && figures.gain == 0) continue;
    record["rules"].push_back({{"name", cut(name, 160)},
                               {"applied", figures.applied},
                               {"time_us", microseconds(figures.gain)}});
  }
  record["refused"] = refused_records();
  record["refused_count"] = refused_.size();
  record["headroom"] = Json::object();
  const Figures& output = programs_[2];
  for (const auto& [numerics, less] : headroom_) {
    record["headroom"][numerics] = {{"modules", less.modules},
                                    {"time_us", microseconds(output.time - less.time)},
                                    {"launches", output.launches - less.launches},
                                    {"wire_bytes", output.wire_bytes - less.wire_bytes}};
  }
  record["changes_count"] = changes_;
  record["order_open"] = order_open_;
  record["verified"] = {
      {"values", values_}, {"elements", elements_}, {"not_checked_count", not_checked_}};
  return record;
}

}  // namespace flipsat::tools
