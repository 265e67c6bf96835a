#include "tools/report_page/report_page.h"

#include <algorithm>

#include "tests/catch.h"
#include "tools/report_page/page_text.h"
#include "tools/report_page/shown_record.h"

namespace flipsat::tools {
namespace {

Json program(extract::Picoseconds time, int64_t launches, int64_t wire_bytes) {
  const Json totals = {{"collectives", 9},
                       {"launches", launches},
                       {"gathered_bytes", 1},
                       {"reduced_bytes", 2},
                       {"wire_bytes", wire_bytes}};
  return {{"time_us", microseconds(time)}, {"peak_bytes", 7}, {"executed", totals}};
}

Json change(int number) {
  return {{"at", "%x" + std::to_string(number)},
          {"computation", "main"},
          {"rules", {"gather-convert"}},
          {"from", Json::array()},
          {"to", Json::array()},
          {"bytes", {0, 0}},
          {"time_us", {number % 7 == 3 ? 100 : number, 0}},
          {"source", "layer.py:1"}};
}

// 10 us to 8 us (bound 6 us) in four launches, which become three.
Json record(const std::string& input, size_t changes = 1) {
  const Json figures = {{"count", 1}, {"launches", 1}, {"bytes", 100}};
  Json result = {
      {"flipsat", "0"},
      {"schema", 1},
      {"input", input},
      {"headline", "gains"},
      {"numerics", "exact"},
      {"combiner", "neuron"},
      {"machine", "trn2"},
      {"objective", "time"},
      {"deterministic", true},
      {"bound", {{"objective", "time"}, {"value", microseconds(6'000'000)}}},
      {"gap", 0.25},
      {"origin", "egraph"},
      {"order_open", 1},
      {"egraph", {{"nodes", 1}, {"classes", 1}, {"iterations", 1}, {"stop", "saturated"}}},
      {"kept", Json::array()},
      {"notes", {"once", "once", "twice"}}};
  result["assumed"] = {{"replicas", 1},      {"partitions", 4}, {"known", true},
                       {"source", "header"}, {"finite", false}, {"replicated", Json::array()}};
  result["programs"] = {{"input", program(10'000'000, 4, 1000)},
                        {"greedy", program(9'000'000, 4, 900)},
                        {"output", program(8'000'000, 3, 800)}};
  result["keys"] = {{{"opcode", "all-gather"},
                     {"type", "f32"},
                     {"dim", "0"},
                     {"groups", "1x4"},
                     {"input", figures},
                     {"greedy", figures},
                     {"output", figures}}};
  result["verified"] = {
      {"how", "symbolic"}, {"values", 2}, {"elements", 20}, {"not_checked", Json::array()}};
  result["rules"] = {{{"name", "gather-convert"},
                      {"matches", 3},
                      {"applied", 1},
                      {"refused", {{"the dims change", 2}}},
                      {"time_us", microseconds(2'000'000)}}};
  result["headroom"] = {
      {"reassoc",
       {{"time_us", microseconds(7'000'000)}, {"executed", program(0, 2, 700)["executed"]}}}};
  result["changes"] = Json::array();
  for (size_t i = 0; i < changes; ++i) result["changes"].push_back(change(static_cast<int>(i)));
  return result;
}

Json failed(const std::string& input) {
  return {{"flipsat", "0"}, {"schema", 1}, {"input", input}, {"error", "no module"}};
}

bool has(const std::string& page, const std::string& words) {
  return page.find(words) != std::string::npos;
}

// What stands in a page as data.
Json data_of(const std::string& page) {
  const std::string open = "id=\"data\">";
  const size_t begin = page.find(open) + open.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST_CASE("JSON in a page has nothing that ends its element", "[report_page]") {
  const Json hostile = {{"</script>&\xe2\x80\xa8\xe2\x80\xa9", "<!--\xff\x01\""}};
  const std::string text = embedded_json(hostile);
  CHECK(text.find_first_of("<>&") == std::string::npos);
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; }));
  const Json read = Json::parse(text);
  CHECK(read.begin().key() == "</script>&\xe2\x80\xa8\xe2\x80\xa9");
  CHECK(read.begin().value() == "<!--\xef\xbf\xbd\x01\"");
  CHECK(embedded_json(microseconds(88'500'001)) == "88.500001");
}

TEST_CASE("text is cut between characters", "[report_page]") {
  CHECK(cut("abc", 3) == "abc");
  CHECK(cut("abcd", 3) == "abc...");
  CHECK(cut("a\xe2\x82\xac", 3) == "a...");
  CHECK(cut("\x80\x80\x80", 2) == "...");
}

TEST_CASE("text of an element is well formed and escaped", "[report_page]") {
  CHECK(element_text("<b a='\"'>&") == "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
  CHECK(element_text(std::string_view("a\0\x1b\x7f\xff", 5)) == "a   \xef\xbf\xbd");
}

TEST_CASE("a page of a module has all its changes", "[report_page]") {
  const Json data = data_of(report_page(record("m.hlo", 200)));
  CHECK(data["overall"].is_null());
  CHECK(data["records"].size() == 1);
  CHECK(data["records"][0]["changes"].size() == 200);
  CHECK(data["records"][0]["notes"] == Json({"once", "twice"}));
}

TEST_CASE("a page of a batch has the changes that gain most, and few bytes a module",
          "[report_page]") {
  const Json batch = record("m.hlo", 500);
  ReportPage page(ReportPage::Of::kBatch, batch);
  const size_t empty = page.finish().size();
  page.add(batch);
  const std::string text = page.finish();
  CHECK(text.size() < empty + 12'000);
  const Json shown = data_of(text)["records"][0];
  CHECK(shown["changes_count"] == 500);
  CHECK(shown["changes"].size() == kShownOfBatch.changes);
  for (const Json& gains : shown["changes"]) CHECK(gains["time_us"][0].get<int>() >= 100);
  CHECK(shown["changes"].back()["at"] == "%x499");
}

TEST_CASE("a batch is told by its sums", "[report_page]") {
  Json unbounded = record("c.hlo");
  unbounded["bound"] = unbounded["gap"] = nullptr;
  unbounded["headroom"] = Json::object();
  Json batch = record("head");
  batch["records"] = {record("a.hlo"), record("b.hlo"), unbounded, failed("d.hlo")};
  const std::string page = report_page(batch);
  const Json overall = data_of(page)["overall"];
  CHECK(overall["programs"]["input"]["time_us"] == 30);
  CHECK(overall["programs"]["greedy"]["executed"]["wire_bytes"] == 2700);
  CHECK(overall["programs"]["output"]["executed"]["launches"] == 9);
  CHECK(overall["bound"]["value"] == 12);
  CHECK(overall["gap"] == 0.5);
  CHECK(overall["modules"] ==
        Json({{"all", 4}, {"improved", 3}, {"proved", 0}, {"unbounded", 1}, {"failed", 1}}));
  CHECK(overall["keys"][0]["input"]["bytes"] == 300);
  CHECK(overall["rules"][0]["time_us"] == 6);
  CHECK(overall["refused"][0]["count"] == 6);
  CHECK(overall["headroom"]["reassoc"]["modules"] == 2);
  CHECK(overall["headroom"]["reassoc"]["time_us"] == 22);
  CHECK(overall["verified"]["elements"] == 60);
  CHECK(has(page, "time -20 % (30 us -&gt; 24 us), wire bytes -20 % (2.93 KiB"));
  CHECK(has(page, "4 modules: 3 improved, 0 proved optimal, 1 failed"));
  CHECK(data_of(page)["records"][3]["error"] == "no module");
}

TEST_CASE("a batch in which nothing went well has a page too", "[report_page]") {
  Json batch = record("head");
  batch["records"] = {failed("a.hlo")};
  const std::string page = report_page(batch);
  CHECK(has(page, "nothing gained; 1 module: 0 improved"));
  CHECK(data_of(page)["overall"]["bound"].is_null());
}

}  // namespace
}  // namespace flipsat::tools
