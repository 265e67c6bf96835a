// DS_d(AR(x), o) = RS_d(x)
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kUnknown = "where a device's slice starts is not known";
const std::string kNotOneEach = "the members of a group do not keep the shards evenly";

// Of an all-reduced [16,6] array, four rows from `start` on, and a cut of the other dim.
std::string sliced_sum(const std::string& start, const std::string& groups = "{{0,1,2,3}}",
                       const std::string& columns = "6", const std::string& column_start = "zero") {
  return program(
      "x = s32[16,6] parameter(0)\n"
      "zero = s32[] constant(0)\n" +
      start + "s = s32[16,6] all-reduce(x), to_apply=add_s32" + in_groups(groups) +
      "\n"
      "ROOT r = s32[4," +
      columns + "] dynamic-slice(s, start, " + column_start + "), dynamic_slice_sizes={4," +
      columns + "}\n");
}

// A start read from a table by the partition's number.
std::string from_table(const std::string& table) {
  return "pid = u32[] partition-id()\n"
         "table = s32[4] constant({" +
         table +
         "})\n"
         "entry = s32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
         "start = s32[] reshape(entry)\n";
}

const std::string kTimesFour =
    "pid = u32[] partition-id()\n"
    "p = s32[] convert(pid)\n"
    "four = s32[] constant(4)\n"
    "start = s32[] multiply(p, four)\n";

TEST_CASE("reduce-own-shard: what each member keeps of a sum is a scattered sum") {
  for (const std::string& start : {from_table("0, 4, 8, 12"), kTimesFour}) {
    Saturated run(sliced_sum(start), only({"reduce-own-shard"}));
    CHECK(run.groups("r", "s32[4,6] reduce-scatter{0}(x)") == "{{0,1,2,3}}");
    run.check_form("r", "reduce-scatter{0}(x)");
  }
}

TEST_CASE("reduce-own-shard: any recognised reducer, along any dim") {
  for (std::string reducer : {"maximum_f32", "minimum_f32"}) {
    Saturated run(program("x = f32[3,8] parameter(0)\n"
                          "zero = s32[] constant(0)\n" +
                          from_table("0, 2, 4, 6") +
                          "s = f32[3,8] all-reduce(x), to_apply=" + reducer + kOverAll +
                          "\n"
                          "ROOT r = f32[3,2] dynamic-slice(s, zero, start), "
                          "dynamic_slice_sizes={3,2}\n"),
                  only({"reduce-own-shard"}));
    run.check_form("r", "reduce-scatter{1}(x)");
  }
  Saturated sum(program("x = f32[8] parameter(0)\n" + from_table("0, 2, 4, 6") +
                        "s = f32[8] all-reduce(x), to_apply=add_f32" + kOverAll +
                        "\n"
                        "ROOT r = f32[2] dynamic-slice(s, start), dynamic_slice_sizes={2}\n"),
                only({"reduce-own-shard"}));
  CHECK(sum.holds("r", "reduce-scatter{0}(x)"));
}

TEST_CASE("reduce-own-shard: members are sorted by the shard that they keep") {
  Saturated run(sliced_sum(from_table("8, 0, 12, 4")), only({"reduce-own-shard"}));
  CHECK(run.groups("r", "reduce-scatter{0}(x)") == "{{1,3,0,2}}");
  run.check_form("r", "reduce-scatter{0}(x)");
}

TEST_CASE("reduce-own-shard: the sum's own spelling of its groups says nothing of their order") {
  Saturated run(sliced_sum(from_table("0, 4, 8, 12"), "{{3,1,0,2}}"), only({"reduce-own-shard"}));
  CHECK(run.groups("r", "reduce-scatter{0}(x)") == "{{0,1,2,3}}");
  run.check_form("r", "reduce-scatter{0}(x)");
}

TEST_CASE("reduce-own-shard: starts count after clamping") {
  // 100 clamps to 12, -3 to 0.
  Saturated run(sliced_sum(from_table("-3, 4, 8, 100")), only({"reduce-own-shard"}));
  run.check_form("r", "reduce-scatter{0}(x)");
}

TEST_CASE("reduce-own-shard: several groups, each over the whole dim") {
  Saturated run(program("x = s32[8,3] parameter(0)\n"
                        "zero = s32[] constant(0)\n" +
                        from_table("0, 4, 4, 0") + "s = s32[8,3] all-reduce(x), to_apply=add_s32" +
                        in_groups("{{0,1},{2,3}}") +
                        "\n"
                        "ROOT r = s32[4,3] dynamic-slice(s, start, zero), "
                        "dynamic_slice_sizes={4,3}\n"),
                only({"reduce-own-shard"}));
  CHECK(run.groups("r", "reduce-scatter{0}(x)") == "{{0,1},{3,2}}");
  run.check_form("r", "reduce-scatter{0}(x)");
}

TEST_CASE("reduce-own-shard: over one axis of two, the group's range is cut out first") {
  Saturated run(sliced_sum(kTimesFour, "{{0,1},{2,3}}"), only({"reduce-own-shard"}));
  const std::string form = "reduce-scatter{0}(dynamic-slice{8,6}(x, values{0,0,8,8}, _))";
  CHECK(run.groups("r", form) == "{{0,1},{2,3}}");
  run.check_form("r", form);
}

TEST_CASE("reduce-own-shard: cuts of other dims stay outside, whatever their index") {
  for (std::string column : {"two", "anywhere", "start"}) {
    INFO(column);
    Saturated run(sliced_sum("two = s32[] constant(2)\nanywhere = s32[] parameter(1)\n" +
                                 from_table("0, 4, 8, 12"),
                             "{{0,1,2,3}}", "3", column),
                  only({"reduce-own-shard"}));
    run.check_form("r",
                   "dynamic-slice{4,3}(reduce-scatter{0}(x), values{0,0,0,0}, " + column + ")");
  }
}

TEST_CASE("reduce-own-shard: refused where a start is not known") {
  for (std::string start : {
           "start = s32[] parameter(1)\n",
           "pid = u32[] partition-id()\n"
           "table = s32[4] parameter(1)\n"
           "entry = s32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
           "start = s32[] reshape(entry)\n",
           "pid = u32[] partition-id()\n"
           "table = s32[4] constant({...})\n"
           "entry = s32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
           "start = s32[] reshape(entry)\n",
       }) {
    INFO(start);
    Saturated run(sliced_sum(start), only({"reduce-own-shard"}));
    CHECK(run.refusal("reduce-own-shard") == kUnknown);
    CHECK_FALSE(run.holds("r", "reduce-scatter{0}(_)"));
  }
}

TEST_CASE("reduce-own-shard: refused where two members keep one shard, or parts of two") {
  for (std::string table :
       {"0, 0, 4, 8", "0, 4, 8, 8", "0, 2, 4, 6", "0, 4, 8, 11", "4, 4, 4, 4"}) {
    INFO(table);
    Saturated run(sliced_sum(from_table(table)), only({"reduce-own-shard"}));
    CHECK(run.refusal("reduce-own-shard") == kNotOneEach);
    CHECK_FALSE(run.holds("r", "reduce-scatter{0}(_)"));
  }
}

// Shards of two rows or columns, each kept by two of four partitions.
std::string kept_twice(const std::string& reducer, const std::string& table = "0, 2, 0, 2") {
  const std::string type = reducer.substr(reducer.find('_') + 1);
  return program("x = " + type +
                 "[4,6] parameter(0)\n"
                 "zero = s32[] constant(0)\n" +
                 from_table(table) + "s = " + type + "[4,6] all-reduce(x), to_apply=" + reducer +
                 kOverAll + "\nROOT r = " + type +
                 "[2,6] dynamic-slice(s, start, zero), dynamic_slice_sizes={2,6}\n");
}

TEST_CASE("reduce-own-shard: a shard kept by several is scattered, then summed over those") {
  const std::string form = "all-reduce(reduce-scatter{0}(x))";
  for (std::string reducer : {"add_s32", "maximum_f32", "and_pred"}) {
    INFO(reducer);
    Saturated run(kept_twice(reducer), only({"reduce-own-shard"}));
    CHECK(run.groups("r", form) == "{{0,2},{1,3}}");
    CHECK(run.groups("r", "reduce-scatter{0}(x)") == "not held");
    run.check_form("r", form);
  }
  Saturated crossed(kept_twice("add_s32", "2, 0, 0, 2"), only({"reduce-own-shard"}));
  CHECK(crossed.groups("r", form) == "{{0,3},{1,2}}");
  crossed.check_form("r", form);
}

TEST_CASE("reduce-own-shard: of floats, two stages are one order of the sum: a directed edge") {
  const std::string form = "all-reduce(reduce-scatter{0}(x))";
  Saturated exact(kept_twice("add_f32"), only({"reduce-own-shard"}));
  CHECK_FALSE(exact.holds("r", form));
  CHECK(exact.refines_to("r", form));
  Saturated reassoc(kept_twice("add_f32"), only({"reduce-own-shard"}, hlo::Numerics::kReassoc));
  CHECK(reassoc.holds("r", form));
}

TEST_CASE("reduce-own-shard: shards of two dims at once are scattered one after the other") {
  const std::string lines =
      "x = s32[4,6] parameter(0)\n"
      "pid = u32[] partition-id()\n"
      "p = s32[] convert(pid)\n"
      "two = s32[] constant(2)\n"
      "three = s32[] constant(3)\n"
      "row = s32[] divide(p, two)\n"
      "column = s32[] remainder(p, two)\n"
      "i = s32[] multiply(row, two)\n"
      "j = s32[] multiply(column, three)\n"
      "s = s32[4,6] all-reduce(x), to_apply=add_s32" +
      kOverAll + "\nROOT r = s32[2,3] dynamic-slice(s, i, j), dynamic_slice_sizes={2,3}\n";
  Saturated run(program(lines), only({"reduce-own-shard"}));
  const std::string form = "reduce-scatter{1}(reduce-scatter{0}(x))";
  CHECK(run.groups("r", form) == "{{0,1},{2,3}}");
  run.check_form("r", form);
}

TEST_CASE("reduce-own-shard: refused where nothing is cut") {
  Saturated run(program("x = s32[4] parameter(0)\n"
                        "zero = s32[] constant(0)\n"
                        "s = s32[4] all-reduce(x), to_apply=add_s32" +
                        kOverAll +
                        "\n"
                        "ROOT r = s32[4] dynamic-slice(s, zero), dynamic_slice_sizes={4}\n"),
                only({"reduce-own-shard"}));
  CHECK(run.refusal("reduce-own-shard") == "no dim is cut");
}

// Two replicas of two partitions; device = 2 * replica + partition.
std::string of_replicas(const std::string& start, const std::string& attributes,
                        const std::string& size = "8") {
  return program("x = s32[" + size +
                     "] parameter(0)\n"
                     "pid = u32[] partition-id()\n"
                     "rid = u32[] replica-id()\n"
                     "four = u32[] constant(4)\n" +
                     start + "s = s32[" + size + "] all-reduce(x), to_apply=add_s32" + attributes +
                     "\n"
                     "ROOT r = s32[4] dynamic-slice(s, start), dynamic_slice_sizes={4}\n",
                 "replica_count=2, num_partitions=2");
}

TEST_CASE("reduce-own-shard: without a channel, by replica alone") {
  const std::string groups = ", replica_groups={{0,1}}";
  Saturated run(of_replicas("start = u32[] multiply(rid, four)\n", groups),
                only({"reduce-own-shard"}));
  CHECK(run.groups("r", "reduce-scatter{0}(x)") == "{{0,2},{1,3}}");
  run.check_form("r", "reduce-scatter{0}(x)");
  // Which half a replica keeps depends on the partition.
  const std::string crossed = "other = u32[] xor(rid, pid)\nstart = u32[] multiply(other, four)\n";
  Saturated refused(of_replicas(crossed, groups), only({"reduce-own-shard"}));
  CHECK(refused.refusal("reduce-own-shard") ==
        "without a channel the groups cannot follow the partitions");
  CHECK_FALSE(refused.holds("r", "reduce-scatter{0}(_)"));
}

TEST_CASE("reduce-own-shard: with a channel any order of members can be said") {
  Saturated run(of_replicas("other = u32[] xor(rid, pid)\nstart = u32[] multiply(other, four)\n",
                            ", channel_id=1, replica_groups={{0,2},{1,3}}, "
                            "use_global_device_ids=true"),
                only({"reduce-own-shard"}));
  CHECK(run.groups("r", "reduce-scatter{0}(x)") == "{{0,2},{3,1}}");
  run.check_form("r", "reduce-scatter{0}(x)");
}

TEST_CASE("reduce-own-shard: a group's range may be read by replica and partition") {
  Saturated run(of_replicas("two = u32[] constant(2)\n"
                            "row = u32[] multiply(rid, two)\n"
                            "at = u32[] add(row, pid)\n"
                            "start = u32[] multiply(at, four)\n",
                            ", channel_id=1, replica_groups={{0,1},{2,3}}, "
                            "use_global_device_ids=true",
                            "16"),
                only({"reduce-own-shard"}));
  const std::string form = "reduce-scatter{0}(dynamic-slice{8}(x, values{0,0,8,8}))";
  CHECK(run.groups("r", form) == "{{0,1},{2,3}}");
  run.check_form("r", form);
}

TEST_CASE("reduce-own-shard: an open order is not for those who compare bits") {
  Setup bitwise;
  bitwise.rules.bitwise = true;
  Saturated run(sliced_sum(kTimesFour), bitwise);
  CHECK_FALSE(run.holds("r", "reduce-scatter{0}(_)"));
  CHECK(Saturated(sliced_sum(kTimesFour)).holds("r", "reduce-scatter{0}(x)"));
}

TEST_CASE("reduce-own-shard: the scattered sum is transposed and widened in turn") {
  Saturated run(program(
      "x = s32[8,3] parameter(0)\n"
      "zero = s32[] constant(0)\n" +
      from_table("0, 2, 4, 6") + "s = s32[8,3] all-reduce(x), to_apply=maximum_s32" + kOverAll +
      "\n"
      "d = s32[2,3] dynamic-slice(s, start, zero), dynamic_slice_sizes={2,3}\n"
      "c = f32[2,3] convert(d)\n"
      "ROOT r = f32[3,2] transpose(c), dimensions={1,0}\n"));
  run.check_form("r", "reduce-scatter{1}(transpose{1,0}(convert(x)))");
}

}  // namespace
}  // namespace flipsat::rules::testing
