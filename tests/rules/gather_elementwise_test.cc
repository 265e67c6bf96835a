// f(AG(x1), .., AG(xk)) = AG(f(x1, .., xk))
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kOtherGroups = "the operands are gathered in other groups";
const std::string kOtherDims = "the operands are gathered along other dims";
const std::string kNeither = "an operand is neither gathered nor the same on all members";
const std::string kNoGain = "no operand gains by being gathered alone";

Saturated saturated(const std::string& lines, const std::string& header = "num_partitions=4") {
  return Saturated(program(lines, header), only({"gather-elementwise"}));
}

// Gathers of a and b along the given dims in the given groups, and r = add(ga, gb).
Saturated sum(const std::string& groups_a, const std::string& groups_b,
              const std::string& shape_b = "[4,8]", int dim_b = 0,
              const Setup& setup = only({"gather-elementwise"})) {
  return Saturated(program("a = f32[4,8] parameter(0)\n"
                           "b = f32" +
                           shape_b +
                           " parameter(1)\n"
                           "ga = f32[8,8] all-gather(a), dimensions={0}" +
                           groups_a +
                           "\n"
                           "gb = f32[8,8] all-gather(b), dimensions={" +
                           std::to_string(dim_b) + "}" + groups_b +
                           "\n"
                           "ROOT r = f32[8,8] add(ga, gb)\n"),
                   setup);
}

TEST_CASE("gather-elementwise: one operand") {
  Saturated run = saturated(
      "a = f32[2,8] parameter(0)\n"
      "g = f32[8,8] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,8] negate(g)\n");
  run.check_form("r", "all-gather{0}(f32[2,8] negate(a))");
}

TEST_CASE("gather-elementwise: two operands under different channel numbers") {
  Saturated run = sum(in_groups("{{0,1},{2,3}}", 7), in_groups("{{0,1},{2,3}}", 9));
  std::optional<language::NodeId> gather = run.find("r", "all-gather{0}(f32[4,8] add(a, b))");
  REQUIRE(gather);
  CHECK(run.hlo().lineage(*gather).size() == 2);  // it stands for both
  run.check_form("r", "all-gather{0}(add(a, b))");
}

TEST_CASE("gather-elementwise: the same value gathered once serves as both operands") {
  Saturated run = saturated(
      "a = f32[2,8] parameter(0)\n"
      "g = f32[8,8] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,8] multiply(g, g)\n");
  run.check_form("r", "all-gather{0}(multiply(a, a))");
}

TEST_CASE("gather-elementwise: groups are compared by who is in them and in which order") {
  for (std::string same : {"{{2,3},{0,1}}", "[2,2]<=[4]"}) {
    INFO(same);
    Saturated run = sum(in_groups("{{0,1},{2,3}}"), in_groups(same, 2));
    run.check_form("r", "all-gather{0}(add(a, b))");
  }
  for (std::string other : {"{{0,2},{1,3}}", "{{1,0},{3,2}}", "[2,2]<=[2,2]T(1,0)"}) {
    INFO(other);
    Saturated run = sum(in_groups("{{0,1},{2,3}}"), in_groups(other, 2));
    CHECK(run.refused("gather-elementwise/forward/gg").count(kOtherGroups) == 1);
    CHECK_FALSE(run.holds("r", "all-gather{0}(add(a, b))"));
  }
}

TEST_CASE(
    "gather-elementwise: a value gathered otherwise, equal on all members, is like any other") {
  // b is gathered in another order, so that a member's part of it is its neighbour's shard.
  Saturated run(
      program("a = f32[4,8] parameter(0)\n"
              "b = f32[4,8] parameter(1)\n"
              "ga = f32[8,8] all-gather(a), dimensions={0}" +
              in_groups("{{0,1},{2,3}}", 1) +
              "\n"
              "gb = f32[8,8] all-gather(b), dimensions={0}" +
              in_groups("{{1,0},{3,2}}", 2) +
              "\n"
              "ROOT r = f32[8,8] add(ga, gb)\n"));
  run.check_form("r", "all-gather{0}(add(a, dynamic-slice{4,8}(gb, values{0,4,0,4}, _)))");
  run.check_form("r", "all-gather{0}(add(dynamic-slice{4,8}(ga, values{4,0,4,0}, _), b))");
}

TEST_CASE("gather-elementwise: a gather with and one without a channel are not alike") {
  Saturated run = saturated(
      "a = f32[4,8] parameter(0)\n"
      "b = f32[4,8] parameter(1)\n"
      "ga = f32[8,8] all-gather(a), dimensions={0}, replica_groups={{0,1}}\n"
      "gb = f32[8,8] all-gather(b), dimensions={0}" +
          in_groups("{{0,1}}") +
          "\n"
          "ROOT r = f32[8,8] add(ga, gb)\n",
      "replica_count=2");
  CHECK(run.refused("gather-elementwise/forward/gg").count(kOtherGroups) == 1);
}

TEST_CASE("gather-elementwise: refused for other dims, whatever the result's shape") {
  Saturated run = sum(in_groups("{{0,1},{2,3}}"), in_groups("{{0,1},{2,3}}", 2), "[8,4]", 1,
                      only({"gather-elementwise", "gather-own-shard"}));
  CHECK(run.refused("gather-elementwise/forward/gg").count(kOtherDims) == 1);
  // Only as values that are equal on all members, in parts.
  run.check_form("r", "all-gather{0}(add(a, dynamic-slice{4,8}(gb, values{0,4,0,4}, _)))");
}

TEST_CASE("gather-elementwise: three operands, all gathered") {
  Saturated run = saturated(
      "p = pred[2,6] parameter(0)\n"
      "a = f32[2,6] parameter(1)\n"
      "b = f32[2,6] parameter(2)\n"
      "gp = pred[8,6] all-gather(p), dimensions={0}" +
      kOverAll +
      "\n"
      "ga = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "gb = f32[8,6] all-gather(b), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] select(gp, ga, gb)\n");
  run.check_form("r", "all-gather{0}(f32[2,6] select(p, a, b))");
}

TEST_CASE("gather-elementwise: a compare keeps its direction") {
  Saturated run = saturated(
      "a = f32[2,6] parameter(0)\n"
      "b = f32[2,6] parameter(1)\n"
      "ga = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "gb = f32[8,6] all-gather(b), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = pred[8,6] compare(ga, gb), direction=GE\n");
  run.check_form("r", "pred[8,6] all-gather{0}(pred[2,6] compare(a, b))");
  CHECK(run.with_form("r", "all-gather{0}(compare(a, b))").find("direction=GE") !=
        std::string::npos);
}

TEST_CASE("gather-elementwise: scalar predicates and bounds that are the same everywhere") {
  Saturated run = saturated(
      "p = pred[] parameter(0), sharding={replicated}\n"
      "a = f32[2,6] parameter(1)\n"
      "b = f32[2,6] parameter(2)\n"
      "ga = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "gb = f32[8,6] all-gather(b), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] select(p, ga, gb)\n");
  run.check_form("r", "all-gather{0}(select(p, a, b))");
  Saturated bounds = saturated(
      "low = f32[] constant(-1)\n"
      "high = f32[] constant(2)\n"
      "a = f32[2,6] parameter(0)\n"
      "g = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] clamp(low, g, high)\n");
  bounds.check_form("r", "all-gather{0}(f32[2,6] clamp(low, a, high))");
}

TEST_CASE("gather-elementwise: refused for a scalar predicate of which nothing is known") {
  Saturated run = saturated(
      "p = pred[] parameter(0)\n"
      "a = f32[2,6] parameter(1)\n"
      "b = f32[2,6] parameter(2)\n"
      "ga = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "gb = f32[8,6] all-gather(b), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] select(p, ga, gb)\n");
  CHECK(run.refused("gather-elementwise/forward/ugg").count(kNeither) == 1);
  CHECK_FALSE(run.holds("r", "all-gather{0}(_)"));
}

TEST_CASE("gather-elementwise: a broadcast scalar is broadcast to the shard instead") {
  Saturated run = saturated(
      "half = f32[] constant(0.5)\n"
      "u = f32[8,6] broadcast(half), dimensions={}\n"
      "a = f32[2,6] parameter(0)\n"
      "g = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] multiply(g, u)\n");
  run.check_form("r", "all-gather{0}(multiply(a, f32[2,6] broadcast(half)))");
}

TEST_CASE("gather-elementwise: a broadcast along other dims is broadcast to the shard") {
  Saturated run = saturated(
      "v = f32[6] parameter(1), sharding={replicated}\n"
      "u = f32[8,6] broadcast(v), dimensions={1}\n"
      "a = f32[2,6] parameter(0)\n"
      "g = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] subtract(u, g)\n");
  run.check_form("r", "all-gather{0}(subtract(f32[2,6] broadcast{1}(v), a))");
}

TEST_CASE("gather-elementwise: of a uniform value a member takes the part that it would hold") {
  Saturated run = saturated(
      "u = f32[8,6] parameter(1), sharding={replicated}\n"
      "a = f32[2,6] parameter(0)\n"
      "g = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] add(g, u)\n");
  run.check_form("r", "all-gather{0}(add(a, dynamic-slice{2,6}(u, values{0,2,4,6}, _)))");
  // Where the order in a group is another, so are the parts.
  Saturated other = saturated(
      "u = f32[8,6] parameter(1), sharding={replicated}\n"
      "a = f32[2,6] parameter(0)\n"
      "g = f32[8,6] all-gather(a), dimensions={0}" +
      in_groups("{{3,1,0,2}}") +
      "\n"
      "ROOT r = f32[8,6] add(g, u)\n");
  other.check_form("r", "all-gather{0}(add(a, dynamic-slice{2,6}(u, values{4,2,6,0}, _)))");
}

TEST_CASE("gather-elementwise: a broadcast along the gathered dim is sliced, not shrunk") {
  Saturated run = saturated(
      "v = f32[8] parameter(1), sharding={replicated}\n"
      "u = f32[8,6] broadcast(v), dimensions={0}\n"
      "a = f32[2,6] parameter(0)\n"
      "g = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] add(g, u)\n");
  run.check_form("r", "all-gather{0}(add(a, dynamic-slice{2,6}(u, values{0,2,4,6}, _)))");
  CHECK_FALSE(run.holds("r", "all-gather{0}(add(a, broadcast{0}(_)))"));
}

TEST_CASE("gather-elementwise: uniform within the groups is enough, and in all of them needed") {
  auto one_sided = [](const std::string& groups) {
    return saturated(
        "w = f32[8,6] parameter(1)\n"
        "u = f32[8,6] all-reduce(w), to_apply=add_f32" +
        in_groups("{{0,1},{2,3}}") +
        "\n"
        "a = f32[4,6] parameter(0)\n"
        "g = f32[8,6] all-gather(a), dimensions={0}" +
        in_groups(groups, 2) +
        "\n"
        "ROOT r = f32[8,6] maximum(g, u)\n");
  };
  Saturated run = one_sided("{{0,1},{2,3}}");
  run.check_form("r", "all-gather{0}(maximum(a, dynamic-slice{4,6}(u, values{0,4,0,4}, _)))");
  Saturated crossed = one_sided("{{0,2},{1,3}}");
  CHECK(crossed.refused("gather-elementwise/forward/gu").count(kNeither) == 1);
}

TEST_CASE("gather-elementwise: refused where an operand may differ between the members") {
  Saturated run = saturated(
      "mine = f32[8,6] parameter(1)\n"
      "a = f32[2,6] parameter(0)\n"
      "g = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = f32[8,6] multiply(g, mine)\n");
  CHECK(run.refused("gather-elementwise/forward/gu").count(kNeither) == 1);
  CHECK_FALSE(run.holds("r", "all-gather{0}(_)"));
}

TEST_CASE("gather-elementwise: a member's part may be read by replica and partition") {
  Setup setup = only({"gather-elementwise"});
  setup.assume_replicated = {"u"};
  Saturated run(program("u = f32[8,6] parameter(1)\n"
                        "a = f32[2,6] parameter(0)\n"
                        "g = f32[8,6] all-gather(a), dimensions={0}" +
                            kOverAll +
                            "\n"
                            "ROOT r = f32[8,6] add(g, u)\n",
                        "replica_count=2, num_partitions=2"),
                setup);
  const std::string form =
      "all-gather{0}(add(a, dynamic-slice{2,6}(u, values{0,2,4,6}, values{0,0,0,0})))";
  CHECK(run.holds("r", form));
}

TEST_CASE("gather-elementwise: a gathered sum is taken apart for a gather that is there already") {
  Saturated run = saturated(
      "a = f32[2,6] parameter(0)\n"
      "b = f32[2,6] parameter(1)\n"
      "s = f32[2,6] add(a, b)\n"
      "ga = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "gs = f32[8,6] all-gather(s), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT t = (f32[8,6], f32[8,6]) tuple(ga, gs)\n");
  run.check_form("gs", "add(ga, all-gather{0}(b))");
}

TEST_CASE("gather-elementwise: a gathered sum is taken apart for a convert that may pass") {
  Saturated run(program("a = s8[2,6] parameter(0)\n"
                        "b = f32[2,6] parameter(1)\n"
                        "c = f32[2,6] convert(a)\n"
                        "m = f32[2,6] multiply(c, b)\n"
                        "ROOT r = f32[8,6] all-gather(m), dimensions={0}" +
                        kOverAll + "\n"),
                only({"gather-elementwise", "gather-convert"}));
  run.check_form("r", "multiply(convert(s8[8,6] all-gather{0}(a)), all-gather{0}(b))");
}

TEST_CASE("gather-elementwise: refused backward where no operand gains") {
  Saturated run = saturated(
      "a = f32[2,6] parameter(0)\n"
      "b = f32[2,6] parameter(1)\n"
      "s = f32[2,6] add(a, b)\n"
      "ROOT r = f32[8,6] all-gather(s), dimensions={0}" +
      kOverAll + "\n");
  CHECK(run.refusal("gather-elementwise/backward/2") == kNoGain);
  CHECK_FALSE(run.holds("r", "add(_, _)"));
  // A gather of the operand along another dim is no reason either.
  Saturated other = saturated(
      "a = f32[2,6] parameter(0)\n"
      "b = f32[2,6] parameter(1)\n"
      "s = f32[2,6] add(a, b)\n"
      "ga = f32[2,24] all-gather(a), dimensions={1}" +
      kOverAll +
      "\n"
      "gs = f32[8,6] all-gather(s), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT t = (f32[2,24], f32[8,6]) tuple(ga, gs)\n");
  CHECK(other.refusal("gather-elementwise/backward/2") == kNoGain);
}

TEST_CASE("gather-elementwise: refused backward where a scalar differs between the members") {
  Saturated run = saturated(
      "p = pred[] parameter(0)\n"
      "a = f32[2,6] parameter(1)\n"
      "b = f32[2,6] parameter(2)\n"
      "s = f32[2,6] select(p, a, b)\n"
      "ga = f32[8,6] all-gather(a), dimensions={0}" +
      kOverAll +
      "\n"
      "gs = f32[8,6] all-gather(s), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT t = (f32[8,6], f32[8,6]) tuple(ga, gs)\n");
  CHECK(run.refusal("gather-elementwise/backward/3") == "a scalar operand differs inside a group");
}

}  // namespace
}  // namespace flipsat::rules::testing
