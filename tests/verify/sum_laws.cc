// Rewrites around all-reduce and reduce-scatter: the true ones are accepted, near misses are not.
#include "tests/catch.h"
#include "tests/verify/programs.h"

using namespace flipsat::verify::testing;
using flipsat::hlo::Numerics;
using flipsat::verify::Options;

namespace {

const std::string kTable =
    "p = u32[] partition-id()\n"
    "t = s32[4] constant({0, 8, 16, 24})\n"
    "d = s32[1] dynamic-slice(t, p), dynamic_slice_sizes={1}\n"
    "at = s32[] reshape(d)\n"
    "z = s32[] constant(0)\n";

std::string reduce_then_slice(const std::string& table) {
  std::string lines =
      "x = f32[32,6] parameter(0)\n"
      "ar = f32[32,6] all-reduce(x), to_apply=add_f32" +
      kAll + "\n" + kTable +
      "ROOT ds = f32[8,6] dynamic-slice(ar, at, z), dynamic_slice_sizes={8,6}\n";
  return lines.replace(lines.find("{0, 8, 16, 24}"), 14, table);
}

std::string scatter(const std::string& groups, const std::string& reducer = "add_f32") {
  return "x = f32[32,6] parameter(0)\n"
         "ROOT rs = f32[8,6] reduce-scatter(x), dimensions={0}, to_apply=" +
         reducer + ", channel_id=2, replica_groups=" + groups + ", use_global_device_ids=true\n";
}

Options in_class(Numerics numerics) {
  Options options;
  options.numerics = numerics;
  return options;
}

}  // namespace

TEST_CASE("all-reduce then the own shard is a reduce-scatter") {
  CHECK(verdict(reduce_then_slice("{0, 8, 16, 24}"), scatter("{{0,1,2,3}}")) == "same");
  CHECK(verdict(reduce_then_slice("{8, 0, 16, 24}"), scatter("{{1,0,2,3}}")) == "same");
  CHECK(verdict(reduce_then_slice("{0, 8, 16, 99}"), scatter("{{0,1,2,3}}")) == "same");
}

TEST_CASE("a reduce-scatter to the wrong shards is another value") {
  CHECK(verdict(reduce_then_slice("{8, 0, 16, 24}"), scatter("{{0,1,2,3}}")) == "different");
  CHECK(verdict(reduce_then_slice("{0, 8, 16, 24}"), scatter("{{0,1,3,2}}")) == "different");
  CHECK(verdict(reduce_then_slice("{0, 8, 16, 23}"), scatter("{{0,1,2,3}}")) == "different");
  CHECK(verdict(reduce_then_slice("{0, 8, 16, 24}"), scatter("{{0,1,2,3}}", "maximum_f32")) ==
        "different");
}

TEST_CASE("a sum over other groups is another value") {
  CHECK(verdict("x = f32[4] parameter(0)\n"
                "ROOT s = f32[4] all-reduce(x), to_apply=add_f32" +
                    kPairs + "\n",
                "x = f32[4] parameter(0)\n"
                "ROOT s = f32[4] all-reduce(x), to_apply=add_f32, channel_id=1, "
                "replica_groups={{0,2},{1,3}}, use_global_device_ids=true\n") == "different");
  CHECK(verdict("x = f32[] parameter(0)\n"
                "ROOT s = f32[] all-reduce(x), to_apply=maximum_f32" +
                    kPairs + "\n",
                "x = f32[] parameter(0)\n"
                "ROOT s = f32[] all-reduce(x), to_apply=maximum_f32, channel_id=1, "
                "replica_groups={{0,1,2,3}}, use_global_device_ids=true\n") == "different");
}

TEST_CASE("the group mode decides what the ids mean") {
  // Without a channel the ids are replicas: two of them, each with two partitions.
  auto with = [](const std::string& attributes) {
    return program(
        "x = f32[4] parameter(0)\n"
        "ROOT s = f32[4] all-reduce(x), to_apply=add_f32, " +
            attributes + "\n",
        "replica_count=2, num_partitions=2");
  };
  auto replica = with("replica_groups={{0,1}}");
  auto both = with("channel_id=1, replica_groups={{0,1}}");
  auto flat_columns =
      with("channel_id=1, use_global_device_ids=true, replica_groups={{0,2},{1,3}}");
  auto flat = with("channel_id=1, use_global_device_ids=true, replica_groups={{0,1,2,3}}");
  CHECK(verdict(replica, flat_columns) == "same");
  CHECK(verdict(both, flat) == "same");
  CHECK(verdict(replica, both) == "different");
  CHECK(verdict(replica, flat) == "different");
}

TEST_CASE("a transpose passes a reduce-scatter") {
  auto before =
      "x = f32[32,6] parameter(0)\n"
      "rs = f32[8,6] reduce-scatter(x), dimensions={0}, to_apply=add_f32" +
      kAll +
      "\n"
      "ROOT t = f32[6,8] transpose(rs), dimensions={1,0}\n";
  auto after =
      "x = f32[32,6] parameter(0)\n"
      "t = f32[6,32] transpose(x), dimensions={1,0}\n"
      "ROOT g = f32[6,8] reduce-scatter(t), dimensions={1}, to_apply=add_f32" +
      kAll + "\n";
  CHECK(verdict(before, after) == "same");
  CHECK(verdict("x = f32[32,32] parameter(0)\n"
                "rs = f32[8,32] reduce-scatter(x), dimensions={0}, to_apply=add_f32" +
                    kAll +
                    "\n"
                    "ROOT t = f32[32,8] transpose(rs), dimensions={1,0}\n",
                "x = f32[32,32] parameter(0)\n"
                "ROOT g = f32[32,8] reduce-scatter(x), dimensions={1}, to_apply=add_f32" +
                    kAll + "\n") == "different");
}

TEST_CASE("nested sums and products are an order of the flat one, not the other way round") {
  const std::string reducer = GENERATE("add_f32", "multiply_f32", "multiply_bf16");
  const std::string type = reducer.substr(reducer.find('_') + 1) + "[8]";
  const std::string x = "x = " + type + " parameter(0)\n";
  const std::string by = " all-reduce(x), to_apply=" + reducer;
  const std::string flat = x + "ROOT s = " + type + by + kAll + "\n";
  const std::string nested = x + "i = " + type + by + kPairs + "\nROOT o = " + type +
                             " all-reduce(i), to_apply=" + reducer +
                             ", channel_id=2, "
                             "replica_groups={{0,2},{1,3}}, use_global_device_ids=true\n";
  CHECK(verdict(flat, nested) == "same");
  CHECK(verdict(nested, flat) == "different");
  CHECK(verdict(nested, flat, in_class(Numerics::kReassoc)) == "same");
  CHECK(verdict(nested, nested) == "same");
  std::string overlapping = nested;
  overlapping.replace(overlapping.find("{{0,2},{1,3}}"), 13, "{{0,1},{2,3}}");
  CHECK(verdict(flat, overlapping) == "different");
}

TEST_CASE("nested sums of equal values are an order of the flat one") {
  const std::string x = "x = f32[4] parameter(0), sharding={replicated}\n";
  auto groups = [](const std::string& ids, int channel) {
    return ", channel_id=" + std::to_string(channel) + ", replica_groups=" + ids +
           ", use_global_device_ids=true, to_apply=add_f32\n";
  };
  const std::string flat = x + "ROOT r = f32[4] all-reduce(x)" + groups("{{0,1,2,3,4,5}}", 1);
  const std::string nested = x + "s = f32[4] all-reduce(x)" + groups("{{0,1,2},{3,4,5}}", 1) +
                             "ROOT r = f32[4] all-reduce(s)" + groups("{{0,3},{1,4},{2,5}}", 2);
  const std::string twice = x + "s = f32[4] all-reduce(x)" + groups("{{0,1,2},{3,4,5}}", 1) +
                            "ROOT r = f32[4] all-reduce(s)" + groups("{{0,1,2},{3,4,5}}", 2);
  auto on_six = [](const std::string& lines) { return program(lines, "num_partitions=6"); };
  CHECK(verdict(on_six(flat), on_six(nested)) == "same");
  CHECK(verdict(on_six(nested), on_six(flat)) == "different");
  CHECK(verdict(on_six(flat), on_six(twice)) == "different");
}

TEST_CASE("up to four equal values are summed alike in stages") {
  const std::string x = "x = bf16[4] parameter(0), sharding={replicated}\n";
  auto by = [](const std::string& ids, int channel) {
    return ", channel_id=" + std::to_string(channel) + ", replica_groups=" + ids +
           ", use_global_device_ids=true, to_apply=add_bf16\n";
  };
  const std::string flat = x + "ROOT r = bf16[4] all-reduce(x)" + by("{{0,1,2,3}}", 1);
  const std::string nested = x + "s = bf16[4] all-reduce(x)" + by("{{0,1},{2,3}}", 1) +
                             "ROOT r = bf16[4] all-reduce(s)" + by("{{0,2},{1,3}}", 2);
  const std::string twice = x + "s = bf16[4] add(x, x)\nROOT r = bf16[4] add(s, s)\n";
  const std::string thrice = x + "s = bf16[4] add(x, x)\nROOT r = bf16[4] add(s, x)\n";
  CHECK(verdict(flat, nested) == "same");
  CHECK(verdict(nested, flat) == "same");
  CHECK(verdict(flat, twice) == "same");
  CHECK(verdict(flat, thrice) == "different");
}

TEST_CASE("nested sums with known zeros are an order of the flat one") {
  std::string odd =
      "y = f32[4] parameter(0)\nid = u32[] partition-id()\none = u32[] constant(1)\n"
      "low = u32[] and(id, one)\nis_odd = pred[] compare(low, one), direction=EQ\n"
      "zero = f32[] constant(0)\nz = f32[4] broadcast(zero), dimensions={}\n"
      "p = pred[4] broadcast(is_odd), dimensions={}\n";
  // Another select, so that the zeros are seen.
  CHECK(verdict(odd +
                    "x = f32[4] select(p, y, z)\nROOT r = f32[4] all-reduce(x), to_apply=add_f32" +
                    kAll + "\n",
                odd +
                    "q = pred[4] not(p)\nx2 = f32[4] select(q, z, y)\ns = f32[4] all-reduce(x2), "
                    "to_apply=add_f32" +
                    kPairs +
                    "\nROOT r = f32[4] all-reduce(s), to_apply=add_f32, channel_id=2, "
                    "replica_groups={{0,2},{1,3}}, use_global_device_ids=true\n") == "same");
}

TEST_CASE("sums of sums are equal over the reals only") {
  std::string two =
      "x = f32[8] parameter(0)\n"
      "y = f32[8] parameter(1)\n"
      "sx = f32[8] all-reduce(x), to_apply=add_f32" +
      kAll +
      "\n"
      "sy = f32[8] all-reduce(y), to_apply=add_f32" +
      kAll +
      "\n"
      "ROOT s = f32[8] add(sx, sy)\n";
  std::string one =
      "x = f32[8] parameter(0)\n"
      "y = f32[8] parameter(1)\n"
      "l = f32[8] add(x, y)\n"
      "ROOT g = f32[8] all-reduce(l), to_apply=add_f32" +
      kAll + "\n";
  CHECK(verdict(two, one) == "different");
  CHECK(verdict(two, one, in_class(Numerics::kReassoc)) == "same");
  std::string half = one;
  half.replace(half.find("add(x, y)"), 9, "add(x, x)");
  CHECK(verdict(two, half, in_class(Numerics::kReassoc)) == "different");
}

TEST_CASE("integer sums of sums are equal") {
  CHECK(verdict("x = s32[8] parameter(0)\n"
                "y = s32[8] parameter(1)\n"
                "sx = s32[8] all-reduce(x), to_apply=add_s32" +
                    kAll +
                    "\n"
                    "sy = s32[8] all-reduce(y), to_apply=add_s32" +
                    kAll +
                    "\n"
                    "ROOT s = s32[8] add(sx, sy)\n",
                "x = s32[8] parameter(0)\n"
                "y = s32[8] parameter(1)\n"
                "l = s32[8] add(x, y)\n"
                "ROOT g = s32[8] all-reduce(l), to_apply=add_s32" +
                    kAll + "\n") == "same");
}

TEST_CASE("a sum of equal values is a multiple") {
  auto sum = [](const std::string& sharding) {
    return "x = f32[8] parameter(0)" + sharding +
           "\n"
           "ROOT s = f32[8] all-reduce(x), to_apply=add_f32" +
           kAll + "\n";
  };
  auto times = [](const std::string& n) {
    return "x = f32[8] parameter(0), sharding={replicated}\n"
           "n = f32[] constant(" +
           n +
           ")\n"
           "b = f32[8] broadcast(n), dimensions={}\n"
           "ROOT m = f32[8] multiply(x, b)\n";
  };
  CHECK(verdict(sum(", sharding={replicated}"), times("4")) == "same");
  CHECK(verdict(sum(", sharding={replicated}"), times("3")) == "different");
  CHECK(verdict(sum(""), times("4")) == "different");
}

TEST_CASE("all-gather of a reduce-scatter is an all-reduce") {
  auto before =
      "x = f32[32,6] parameter(0)\n"
      "ROOT s = f32[32,6] all-reduce(x), to_apply=add_f32" +
      kAll + "\n";
  auto after = [](const std::string& order) {
    return "x = f32[32,6] parameter(0)\n"
           "rs = f32[8,6] reduce-scatter(x), dimensions={0}, to_apply=add_f32" +
           kAll +
           "\n"
           "ROOT g = f32[32,6] all-gather(rs), dimensions={0}, channel_id=2, replica_groups={{" +
           order + "}}, use_global_device_ids=true\n";
  };
  CHECK(verdict(before, after("0,1,2,3")) == "same");
  CHECK(verdict(before, after("0,1,3,2")) == "different");
}

TEST_CASE("a select by a shared predicate passes a sum, by another one not") {
  auto before = [](const std::string& sharding) {
    return "c = pred[8] parameter(0)" + sharding +
           "\n"
           "x = f32[8] parameter(1)\n"
           "y = f32[8] parameter(2)\n"
           "l = f32[8] select(c, x, y)\n"
           "ROOT s = f32[8] all-reduce(l), to_apply=add_f32" +
           kAll + "\n";
  };
  auto after =
      "c = pred[8] parameter(0), sharding={replicated}\n"
      "x = f32[8] parameter(1)\n"
      "y = f32[8] parameter(2)\n"
      "sx = f32[8] all-reduce(x), to_apply=add_f32" +
      kAll +
      "\n"
      "sy = f32[8] all-reduce(y), to_apply=add_f32" +
      kAll +
      "\n"
      "ROOT r = f32[8] select(c, sx, sy)\n";
  CHECK(verdict(before(", sharding={replicated}"), after) == "same");
  CHECK(verdict(before(""), after) == "different");
}

TEST_CASE("a pad by zero passes a sum, a pad by one does not") {
  auto pair = [](const std::string& value) {
    return verdict(
        "x = f32[8] parameter(0)\n"
        "v = f32[] constant(" +
            value +
            ")\n"
            "s = f32[8] all-reduce(x), to_apply=add_f32" +
            kAll +
            "\n"
            "ROOT p = f32[9] pad(s, v), padding=0_1\n",
        "x = f32[8] parameter(0)\n"
        "v = f32[] constant(" +
            value +
            ")\n"
            "l = f32[9] pad(x, v), padding=0_1\n"
            "ROOT g = f32[9] all-reduce(l), to_apply=add_f32" +
            kAll + "\n");
  };
  CHECK(pair("0") == "same");
  CHECK(pair("1") == "different");
}

TEST_CASE("and of pred becomes minimum of integers") {
  auto before =
      "x = pred[8] parameter(0)\n"
      "s = pred[8] all-reduce(x), to_apply=and_pred" +
      kAll +
      "\n"
      "ROOT c = s32[8] convert(s)\n";
  auto after = [](const std::string& op) {
    return "x = pred[8] parameter(0)\n"
           "n = s32[8] convert(x)\n"
           "ROOT g = s32[8] all-reduce(n), to_apply=" +
           op + "_s32" + kAll + "\n";
  };
  CHECK(verdict(before, after("minimum")) == "same");
  CHECK(verdict(before, after("maximum")) == "different");
  CHECK(verdict(before, after("add")) == "different");
}

TEST_CASE("a gathered contracted dim of a dot is a sum, over the reals") {
  auto before =
      "x = f32[4,8] parameter(0)\n"
      "y = f32[8,4] parameter(1)\n"
      "gx = f32[4,32] all-gather(x), dimensions={1}" +
      kAll +
      "\n"
      "gy = f32[32,4] all-gather(y), dimensions={0}" +
      kAll +
      "\n"
      "ROOT d = f32[4,4] dot(gx, gy), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  auto after =
      "x = f32[4,8] parameter(0)\n"
      "y = f32[8,4] parameter(1)\n"
      "d = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "ROOT g = f32[4,4] all-reduce(d), to_apply=add_f32" +
      kAll + "\n";
  CHECK(verdict(before, after) == "different");
  CHECK(verdict(before, after, in_class(Numerics::kReassoc)) == "same");
}

TEST_CASE("a gathered free dim passes a dot with a shared operand") {
  auto pair = [](const std::string& sharding) {
    return verdict(
        "x = f32[4,8] parameter(0)\n"
        "y = f32[8,4] parameter(1)" +
            sharding +
            "\n"
            "gx = f32[16,8] all-gather(x), dimensions={0}" +
            kAll +
            "\n"
            "ROOT d = f32[16,4] dot(gx, y), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={0}\n",
        "x = f32[4,8] parameter(0)\n"
        "y = f32[8,4] parameter(1)" +
            sharding +
            "\n"
            "d = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
            "ROOT g = f32[16,4] all-gather(d), dimensions={0}" +
            kAll + "\n");
  };
  CHECK(pair(", sharding={replicated}") == "same");
  CHECK(pair("") == "different");
}

TEST_CASE("an integer sum of equal terms is their product, and products with numbers add up") {
  const std::string x = "x = s8[4] parameter(0)\ny = s8[4] parameter(1)\n";
  const auto times = [](const std::string& name, const std::string& of, int number) {
    const std::string c = name + "_c", b = name + "_b";
    return c + " = s8[] constant(" + std::to_string(number) + ")\n" + b + " = s8[4] broadcast(" +
           c + "), dimensions={}\n" + name + " = s8[4] multiply(" + of + ", " + b + ")\n";
  };
  const std::string thrice =
      x + "z = s8[4] add(x, y)\nt = s8[4] add(z, z)\nROOT r = s8[4] add(t, z)\n";
  for (int number : {2, 3, 4}) {
    const std::string product =
        x + "z = s8[4] add(x, y)\n" + times("p", "z", number) + "ROOT r = s8[4] copy(p)\n";
    CHECK(verdict(thrice, product) == (number == 3 ? "same" : "different"));
  }
  // 100 x + 100 x + 56 x is none at all in eight bits, 57 x is x.
  const auto total = [&](int last) {
    return x + times("a", "x", 100) + times("b", "x", last) +
           "s = s8[4] add(a, a)\nROOT r = s8[4] add(s, b)\n";
  };
  CHECK(verdict(total(57), x + "ROOT r = s8[4] copy(x)\n") == "same");
  CHECK(verdict(total(56), x + "ROOT r = s8[4] copy(x)\n") == "different");
}
