#include "tools/report_page/shown_asked.h"

#include <algorithm>

#include "tools/report_page/page_text.h"

namespace flipsat::tools {
namespace {

constexpr size_t kMostText = 300;  // bytes

// Fields of a record as they are, but for long texts.
Json fields_of(const Json& record, std::initializer_list<const char*> names) {
  Json shown;
  for (const char* name : names) {
    const Json& value = record[name];
    shown[name] =
        value.is_string() ? Json(cut(value.get_ref<const std::string&>(), kMostText)) : value;
  }
  return shown;
}

Json shown_orders(const Json& orders) {
  Json shown = fields_of(orders, {"order_count", "programs", "is_output"});
  for (const char* end : {"best", "worst"})
    shown[end] = fields_of(orders[end], {"time_us", "executed"});
  return shown;
}

Json shown_alternatives(const Json& alternatives, size_t most) {
  Json shown = Json::array();
  for (size_t i = 0; i < std::min(alternatives.size(), most); ++i) {
    shown.push_back(
        fields_of(alternatives[i], {"time_us", "executed", "peak_bytes", "more", "changes"}));
  }
  return shown;
}

Json shown_variation(const Json& variation) {
  Json shown = fields_of(variation, {"parameter", "meaning", "note"});
  shown["runs"] = Json::array();
  for (const Json& run : variation["runs"]) {
    shown["runs"].push_back(
        fields_of(run, {"given", "launches", "wire_bytes", "time_us", "changes", "same_program"}));
  }
  return shown;
}

}  // namespace

void add_what_was_asked(const Json& record, size_t most_alternatives, Json& shown) {
  if (record.contains("orders")) shown["orders"] = shown_orders(record["orders"]);
  if (record.contains("alternatives")) {
    shown["alternatives"] = shown_alternatives(record["alternatives"], most_alternatives);
    shown["alternatives_count"] = record["alternatives"].size();
    shown["alternatives_exact"] = record["alternatives_exact"];
  }
  if (record.contains("combined") && !record["combined"].is_null()) {
    shown["combined"] = fields_of(record["combined"], {"launches", "bound", "written", "why_not"});
  }
  if (record.contains("solver")) {
    shown["solver"] =
        fields_of(record["solver"], {"name", "version", "asked", "cheaper", "proved", "refused"});
  }
  if (record.contains("vary")) {
    shown["vary"] = Json::array();
    for (const Json& variation : record["vary"])
      shown["vary"].push_back(shown_variation(variation));
  }
}

}  // namespace flipsat::tools
