// DS_d(AG_d(x), position * block) = x
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

std::string cut_back(const std::string& table, const std::string& rows = "2",
                     const std::string& groups = "{{0,1,2,3}}", const std::string& columns = "5") {
  return program(
      "x = f32[2,5] parameter(0)\n"
      "one = s32[] constant(1)\n"
      "pid = u32[] partition-id()\n"
      "table = s32[4] constant({" +
      table +
      "})\n"
      "entry = s32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
      "start = s32[] reshape(entry)\n"
      "g = f32[8,5] all-gather(x), dimensions={0}" +
      in_groups(groups) +
      "\n"
      "ROOT r = f32[" +
      rows + "," + columns + "] dynamic-slice(g, start, one), dynamic_slice_sizes={" + rows + "," +
      columns + "}\n");
}

TEST_CASE("gather-own-shard: what a member put in is what it cuts out") {
  Saturated run(cut_back("0, 2, 4, 6"), only({"gather-own-shard"}));
  run.check_form("r", "x");
  Saturated ordered(cut_back("6, 0, 2, 4", "2", "{{1,2,3,0}}"), only({"gather-own-shard"}));
  ordered.check_form("r", "x");
}

TEST_CASE("gather-own-shard: cuts of other dims stay") {
  Saturated run(cut_back("0, 2, 4, 6", "2", "{{0,1,2,3}}", "3"), only({"gather-own-shard"}));
  run.check_form("r", "dynamic-slice{2,3}(x, values{0,0,0,0}, one)");
}

TEST_CASE("gather-own-shard: refused where a device cuts out another's shard") {
  Saturated run(cut_back("2, 0, 4, 6"), only({"gather-own-shard"}));
  CHECK(run.refusal("gather-own-shard") == "a device cuts out another shard than its own");
  CHECK_FALSE(run.same_class("r", "x"));
  Saturated ordered(cut_back("0, 2, 4, 6", "2", "{{1,0,2,3}}"), only({"gather-own-shard"}));
  CHECK(ordered.refusal("gather-own-shard") == "a device cuts out another shard than its own");
}

TEST_CASE("gather-own-shard: what is inside the own shard is a slice of it") {
  Saturated same(cut_back("1, 3, 5, 7", "1"), only({"gather-own-shard"}));
  same.check_form("r", "dynamic-slice{1,5}(x, values{1,1,1,1}, one)");
  Saturated another(cut_back("0, 3, 4, 7", "1"), only({"gather-own-shard"}));
  another.check_form("r", "dynamic-slice{1,5}(x, values{0,1,0,1}, one)");
}

TEST_CASE("gather-own-shard: places inside a shard have the type of the other indices") {
  Saturated run(program("x = f32[2,5] parameter(0)\n"
                        "one = u32[] constant(1)\n"
                        "pid = u32[] partition-id()\n"
                        "table = u32[4] constant({0, 3, 4, 7})\n"
                        "entry = u32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
                        "start = u32[] reshape(entry)\n"
                        "g = f32[8,5] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\nROOT r = f32[1,4] dynamic-slice(g, start, one), "
                        "dynamic_slice_sizes={1,4}\n"),
                only({"gather-own-shard"}));
  run.check_form("r", "dynamic-slice{1,4}(x, u32[] values{0,1,0,1}, one)");
}

TEST_CASE("gather-own-shard: whole shards of members that cut out the same are gathered by them") {
  Saturated run(cut_back("0, 0, 4, 4", "4"), only({"gather-own-shard"}));
  CHECK(run.groups("r", "all-gather{0}(x)") == "{{0,1},{2,3}}");
  run.check_form("r", "all-gather{0}(x)");
  Saturated ordered(cut_back("4, 0, 0, 4", "4", "{{2,1,3,0}}", "3"), only({"gather-own-shard"}));
  const std::string form = "dynamic-slice{4,3}(all-gather{0}(x), values{0,0,0,0}, one)";
  CHECK(ordered.groups("r", "all-gather{0}(x)") == "not held");
  ordered.check_form("r", form);
}

TEST_CASE("gather-own-shard: refused for parts of several shards, and for others' shards") {
  auto refusal = [](const std::string& table, const std::string& rows) {
    return Saturated(cut_back(table, rows), only({"gather-own-shard"})).refusal("gather-own-shard");
  };
  CHECK(refusal("0, 2, 4, 5", "3") == "the slice is not of whole shards");
  CHECK(refusal("1, 1, 4, 4", "4") == "the slice is not of whole shards");
  CHECK(refusal("4, 4, 0, 0", "4") == "a device cuts out other shards than its own");
  CHECK(refusal("0, 2, 4, 4", "4") == "the devices whose shards are cut out cut out others");
  CHECK(refusal("1, 3, 5, 6", "2") == "a device cuts out another shard than its own");
  CHECK(refusal("0, 0, 0, 0", "8") == "the gathered dim is not cut");
}

TEST_CASE("gather-own-shard: refused where a start is not known") {
  Saturated run(program("x = f32[2] parameter(0)\n"
                        "start = s32[] parameter(1)\n"
                        "g = f32[8] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "ROOT r = f32[2] dynamic-slice(g, start), dynamic_slice_sizes={2}\n"),
                only({"gather-own-shard"}));
  CHECK(run.refusal("gather-own-shard") == "where a device's slice starts is not known");
}

TEST_CASE("gather-own-shard: other users keep the gather") {
  Saturated run(program("x = f32[2] parameter(0)\n"
                        "pid = u32[] partition-id()\n"
                        "two = u32[] constant(2)\n"
                        "start = u32[] multiply(pid, two)\n"
                        "g = f32[8] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "d = f32[2] dynamic-slice(g, start), dynamic_slice_sizes={2}\n"
                        "n = f32[8] negate(g)\n"
                        "m = f32[2] negate(d)\n"
                        "ROOT r = (f32[2], f32[8]) tuple(m, n)\n"),
                only({"gather-own-shard"}));
  run.check_form("d", "x");
}

// The parts of a value that is the same on all devices, or is not, put together again.
std::string put_together(const std::string& of, const std::string& table,
                         const std::string& rows = "2", const std::string& columns = "5") {
  return program(of +
                 "one = s32[] constant(1)\n"
                 "pid = u32[] partition-id()\n"
                 "table = s32[4] constant({" +
                 table +
                 "})\n"
                 "entry = s32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
                 "start = s32[] reshape(entry)\n"
                 "d = f32[" +
                 rows + "," + columns + "] dynamic-slice(x, start, one), dynamic_slice_sizes={" +
                 rows + "," + columns +
                 "}\n"
                 "g = f32[" +
                 std::to_string(4 * std::stoi(rows)) + "," + columns +
                 "] all-gather(d), dimensions={0}" + kOverAll +
                 "\n"
                 "ROOT r = (f32[8,5], f32[" +
                 std::to_string(4 * std::stoi(rows)) + "," + columns + "]) tuple(x, g)\n");
}

const std::string kSame = "x = f32[8,5] parameter(0), sharding={replicated}\n";

TEST_CASE("gather-own-shard: the parts of one value, put together, are the value") {
  Saturated run(put_together(kSame, "0, 2, 4, 6"), only({"gather-own-shard"}));
  run.check_form("g", "x");
}

TEST_CASE("gather-own-shard: refused where they are not, each with its reason") {
  auto refusal = [](const std::string& text) {
    return Saturated(text, only({"gather-own-shard"})).refusal("gather-own-shard");
  };
  CHECK(refusal(put_together("x = f32[8,5] parameter(0)\n", "0, 2, 4, 6")) ==
        "the value differs inside a group");
  CHECK(refusal(put_together(kSame, "2, 0, 4, 6")) ==
        "a device cuts out another shard than its own");
  CHECK(refusal(put_together(kSame, "0, 1, 2, 3", "1")) == "the shards are not all of the value");
  CHECK(refusal(put_together(kSame, "0, 2, 4, 6", "2", "3")) ==
        "the shards are not all of the value");
}

}  // namespace
}  // namespace flipsat::rules::testing
