#include "tools/report_page/shown_record.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tools/report_page/page_text.h"
#include "tools/report_page/shown_asked.h"

namespace flipsat::tools {
namespace {

constexpr size_t kMostName = 160;  // bytes
constexpr size_t kMostSentence = 600;
constexpr size_t kMostNames = 6;

Json text_of(const Json& value, size_t most = kMostName) {
  return cut(value.get_ref<const std::string&>(), most);
}

Json names_of(const Json& names) {
  Json shown = Json::array();
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    shown.push_back(text_of(names[i]));
  if (names.size() > kMostNames) shown.push_back("...");
  return shown;
}

// Those of the most weight, in the order that they had.
template <typename Weight>
std::vector<const Json*> heaviest(const Json& list, size_t most, Weight weight) {
  std::vector<const Json*> chosen;
  for (const Json& item : list) chosen.push_back(&item);
  if (chosen.size() <= most) return chosen;
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](const Json* a, const Json* b) { return weight(*a) > weight(*b); });
  chosen.resize(most);
  std::sort(chosen.begin(), chosen.end());  // items of one list stand in a row
  return chosen;
}

double difference(const Json& before_and_after) {
  return number_of(before_and_after[0]) - number_of(before_and_after[1]);
}

Json shown_program(const Json& program) {
  Json shown;
  for (const char* name : {"time_us", "peak_bytes", "executed"}) shown[name] = program[name];
  return shown;
}

Json shown_change(const Json& change) {
  return {
      {"at", text_of(change["at"])},        {"computation", text_of(change["computation"])},
      {"rules", names_of(change["rules"])}, {"from", names_of(change["from"])},
      {"to", names_of(change["to"])},       {"bytes", change["bytes"]},
      {"time_us", change["time_us"]},       {"source", text_of(change["source"], kMostSentence)}};
}

Json shown_kept(const Json& kept) {
  return {{"at", text_of(kept["at"])},
          {"rule", text_of(kept["rule"])},
          {"why", text_of(kept["why"])},
          {"time_us", kept["time_us"]}};
}

Json shown_not_checked(const Json& value) {
  return {{"at", text_of(value["at"])}, {"why", text_of(value["why"], kMostSentence)}};
}

// One row for each rule and reason.
Json refusals(const Json& rules) {
  Json rows = Json::array();
  for (const Json& rule : rules) {
    for (const auto& [reason, count] : rule["refused"].items()) {
      rows.push_back({{"rule", text_of(rule["name"])},
                      {"reason", cut(reason, kMostSentence)},
                      {"count", count}});
    }
  }
  return rows;
}

Json applied_rules(const Json& rules) {
  Json rows = Json::array();
  for (const Json& rule : rules) {
    if (number_of(rule["time_us"]) == 0 && rule["applied"] == 0) continue;
    rows.push_back({{"name", text_of(rule["name"])},
                    {"applied", rule["applied"]},
                    {"time_us", rule["time_us"]}});
  }
  return rows;
}

Json shown_headroom(const Json& headroom) {
  Json shown = Json::object();
  for (const auto& [numerics, figures] : headroom.items()) {
    shown[numerics] = {{"time_us", figures["time_us"]},
                       {"launches", figures["executed"]["launches"]},
                       {"wire_bytes", figures["executed"]["wire_bytes"]}};
  }
  return shown;
}

Json shown_sentences(const Json& notes, size_t most) {
  Json shown = Json::array();
  for (const Json& note : notes) {
    const Json sentence = text_of(note, kMostSentence);
    if (shown.size() < most && std::find(shown.begin(), shown.end(), sentence) == shown.end()) {
      shown.push_back(sentence);
    }
  }
  return shown;
}

template <typename Shown, typename Weight>
void add_list(Json& record, const std::string& name, const Json& list, size_t most, Shown shown,
              Weight weight) {
  Json items = Json::array();
  for (const Json* item : heaviest(list, most, weight)) items.push_back(shown(*item));
  record[name] = std::move(items);
  record[name + "_count"] = list.size();
}

}  // namespace

double number_of(const Json& value) {
  if (!value.is_binary()) return value.get<double>();
  const auto& text = value.get_binary();
  return std::strtod(std::string(text.begin(), text.end()).c_str(), nullptr);
}

extract::Picoseconds picoseconds_of(const Json& microseconds) {
  return std::llround(number_of(microseconds) * 1e6);
}

int64_t weight_of_key(const Json& key) {
  int64_t weight = 0;
  for (const char* program : {"input", "greedy", "output"}) {
    weight = std::max(weight, key[program]["bytes"].get<int64_t>());
  }
  return weight;
}

Json shown_record(const Json& record, const ShownLimits& limits) {
  Json shown;
  shown["input"] = text_of(record["input"], kMostSentence);
  if (record.contains("error")) {
    shown["error"] = text_of(record["error"], kMostSentence);
    return shown;
  }
  const bool counts_bytes = record["objective"] == "bytes";
  for (const char* name :
       {"headline", "assumed", "deterministic", "bound", "gap", "origin", "order_open", "egraph"}) {
    shown[name] = record[name];
  }
  shown["assumed"]["replicated"] = names_of(record["assumed"]["replicated"]);
  for (const char* program : {"input", "greedy", "output"}) {
    shown["programs"][program] = shown_program(record["programs"][program]);
  }
  add_list(
      shown, "keys", record["keys"], limits.keys, [](const Json& key) { return key; },
      weight_of_key);
  add_list(shown, "changes", record["changes"], limits.changes, shown_change,
           [counts_bytes](const Json& change) {
             return difference(change[counts_bytes ? "bytes" : "time_us"]);
           });
  add_list(shown, "kept", record["kept"], limits.kept, shown_kept,  // the nearest to paying
           [](const Json& kept) { return difference(kept["time_us"]); });
  shown["rules"] = applied_rules(record["rules"]);
  add_list(
      shown, "refused", refusals(record["rules"]), limits.refused,
      [](const Json& row) { return row; }, [](const Json& row) { return number_of(row["count"]); });
  shown["headroom"] = shown_headroom(record["headroom"]);
  const Json& verified = record["verified"];
  for (const char* name : {"how", "values", "elements"}) shown["verified"][name] = verified[name];
  add_list(shown["verified"], "not_checked", verified["not_checked"], limits.sentences,
           shown_not_checked, [](const Json&) { return 0; });
  add_what_was_asked(record, limits.alternatives, shown);
  shown["notes"] = shown_sentences(record["notes"], limits.sentences);
  return shown;
}

}  // namespace flipsat::tools
