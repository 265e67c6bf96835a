#include "tests/catch.h"
#include "tools/json_text.h"
#include "tools/suggest.h"
#include "tools/text_table.h"
#include "tools/units.h"

using namespace flipsat::tools;

TEST_CASE("microseconds are exact decimals of picoseconds") {
  CHECK(exact_microseconds(0) == "0");
  CHECK(exact_microseconds(1) == "0.000001");
  CHECK(exact_microseconds(120'500'000) == "120.5");
  CHECK(exact_microseconds(88'000'000) == "88");
  CHECK(exact_microseconds(-2'500'000) == "-2.5");
  CHECK(exact_microseconds(9'223'372'036'854'775'807) == "9223372036854.775807");
}

TEST_CASE("figures for people have about three digits") {
  CHECK(readable_time(88'240'000) == "88.2 us");
  CHECK(readable_time(1'234'000'000) == "1.23 ms");
  CHECK(readable_time(2'000'000'000'000) == "2 s");
  CHECK(readable_bytes(640) == "640 B");
  CHECK(readable_bytes(12'800) == "12.5 KiB");
  CHECK(readable_bytes(int64_t{1} << 30) == "1 GiB");
}

TEST_CASE("figures that differ never read the same beside each other") {
  using Texts = std::vector<std::string>;
  CHECK(told_apart({6'508'000, 6'506'000}, readable_time) == Texts{"6.508 us", "6.506 us"});
  CHECK(told_apart({6'511'000, 3'000'000}, readable_time) == Texts{"6.51 us", "3 us"});
  CHECK(told_apart({6'511'000, 6'511'000}, readable_time) == Texts{"6.51 us", "6.51 us"});
  CHECK(told_apart({2'000'000'000'001, 2'000'000'000'000}, readable_time) ==
        Texts{"2.000000000001 s", "2 s"});
  CHECK(told_apart({1'048'577, 1'048'576, 1'048'576}, readable_bytes) ==
        Texts{"1.000001 MiB", "1 MiB", "1 MiB"});
}

TEST_CASE("a change in percent") {
  CHECK(readable_change(200, 146) == "-27 %");
  CHECK(readable_change(1000, 1031) == "+3.1 %");
  CHECK(readable_change(7, 7) == "0 %");
  CHECK(readable_change(0, 0) == "0 %");
  CHECK(readable_change(0, 5).empty());
  CHECK(readable_change(1'000'000, 999'999) == "-<0.1 %");
}

TEST_CASE("one is no plural") {
  CHECK(counted(1, "change") == "1 change");
  CHECK(counted(0, "change") == "0 changes");
  CHECK(counted(2, "launch", "launches") == "2 launches");
}

TEST_CASE("json keeps order, exact numbers and short lists on a line") {
  Json document;
  document["z"] = microseconds(1);
  document["a"] = Json::array({1, 2});
  document["nested"] = {{"list", Json::array({Json::array({1}), Json::object()})}};
  document["none"] = nullptr;
  CHECK(json_text(document) ==
        "{\n  \"z\": 0.000001,\n  \"a\": [1, 2],\n  \"nested\": {\n    \"list\": [\n      [1],\n"
        "      {}\n    ]\n  },\n  \"none\": null\n}\n");
}

TEST_CASE("json of bytes that are no UTF-8 is still json") {
  CHECK(json_text(Json::array({"a\xff\"b"})) == "[\"a\xEF\xBF\xBD\\\"b\"]\n");
}

TEST_CASE("the nearest name is suggested, a far one is not") {
  const std::vector<std::string> names = {"gather-convert", "gather-reshape", "stats"};
  CHECK(did_you_mean("gather-convrt", names) == "; did you mean 'gather-convert'?");
  CHECK(did_you_mean("stat", names) == "; did you mean 'stats'?");
  CHECK(did_you_mean("frobnicate", names).empty());
}

TEST_CASE("columns align, and no line ends in spaces") {
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kRight, TextTable::Align::kLeft});
  table.add({"name", "n", "x"});
  table.add({"a", "100"});
  CHECK(table.text(2) == "  name    n  x\n  a     100\n");
}
