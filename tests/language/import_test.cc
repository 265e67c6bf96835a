// What a module becomes in the e-graph: which values are one, and what is known of them.
#include "language/import.h"

#include "tests/catch.h"
#include "tests/language/imported.h"

namespace flipsat::language {
namespace {

TEST_CASE("a copy is its operand's class, and has no node of its own") {
  Imported in(
      module_text("  x = f32[3,2]{1,0} parameter(0)\n"
                  "  g = f32[12,2]{1,0} all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  c = f32[12,2]{0,1} copy(g)\n"
                  "  ROOT n = f32[12,2]{0,1} negate(c)\n"));
  CHECK(in.cls("c") == in.cls("g"));
  CHECK(in.node("c") == egraph::kNoId);
}

TEST_CASE("equal instructions of one computation are one class") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  one = s32[] constant(1)\n"
                  "  uno = s32[] constant(1)\n"
                  "  two = s32[] constant(2)\n"
                  "  g = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  h = f32[12] all-gather(x), dimensions={0}, channel_id=9, "
                  "replica_groups=[1,4]<=[4], use_global_device_ids=true\n"
                  "  a = f32[12] negate(g)\n"
                  "  b = f32[12] negate(h)\n"
                  "  ROOT t = (f32[12], f32[12], s32[], s32[], s32[]) "
                  "tuple(a, b, one, uno, two)\n"));
  CHECK(in.cls("one") == in.cls("uno"));
  CHECK(in.cls("one") != in.cls("two"));
  CHECK(in.cls("g") == in.cls("h"));
  CHECK(in.cls("a") == in.cls("b"));
  // The one node stands for both collectives.
  CHECK(in.hlo->lineage(in.node("g")) == std::vector<hlo::InstructionId>{in.id("g"), in.id("h")});
}

TEST_CASE("what decides a collective keeps two of them apart") {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {kOverAll, ", replica_groups={}"},  // channel or none
      {", channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true",
       ", channel_id=1, replica_groups={{0,1,3,2}}, use_global_device_ids=true"},
      {kOverAll, kOverAll + ", frontend_attributes={combiner_key=\"a\"}"},
      {kOverAll + ", frontend_attributes={collective_group_key=\"b\"}",
       kOverAll + ", frontend_attributes={collective_group_key=\"c\"}"},
      {kOverAll, kOverAll + ", backend_config={\"k\":1}"},
  };
  for (const auto& [first, second] : pairs) {
    INFO(first << " and " << second);
    Imported in(
        module_text("  x = f32[3] parameter(0)\n"
                    "  g = f32[12] all-gather(x), dimensions={0}" +
                        first +
                        "\n"
                        "  h = f32[12] all-gather(x), dimensions={0}" +
                        second +
                        "\n"
                        "  ROOT t = (f32[12], f32[12]) tuple(g, h)\n",
                    "replica_count=4"));
    CHECK(in.cls("g") != in.cls("h"));
  }
}

TEST_CASE("of an all-reduce only who is in a group counts, and what its reducer computes") {
  Imported in(R"(HloModule test, num_partitions=4

one_way {
  lhs = f32[] parameter(0)
  rhs = f32[] parameter(1)
  ROOT sum = f32[] add(lhs, rhs)
}

other_way {
  u = f32[] parameter(0)
  v = f32[] parameter(1)
  ROOT w = f32[] add(v, u)
}

ENTRY main {
  x = f32[3] parameter(0)
  r = f32[3] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=one_way
  s = f32[3] all-reduce(x), channel_id=2, replica_groups={{3,2},{1,0}}, use_global_device_ids=true, to_apply=other_way
  ROOT t = (f32[3], f32[3]) tuple(r, s)
}
)");
  CHECK(in.cls("r") == in.cls("s"));
}

TEST_CASE(
    "metadata, sharding and interior layouts decide nothing; attributes of the operation do") {
  Imported in(
      module_text("  x = f32[3,2]{1,0} parameter(0)\n"
                  "  g = f32[12,2]{1,0} all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  a = f32[12,2]{1,0} negate(g), metadata={op_name=\"one\"}\n"
                  "  b = f32[12,2]{0,1} negate(g), sharding={replicated}\n"
                  "  lt = pred[12,2]{1,0} compare(a, g), direction=LT\n"
                  "  gt = pred[12,2]{1,0} compare(a, g), direction=GT\n"
                  "  ROOT t = (f32[12,2]{0,1}, pred[12,2]{1,0}, pred[12,2]{1,0}) "
                  "tuple(b, lt, gt)\n"));
  CHECK(in.cls("a") == in.cls("b"));
  CHECK(in.cls("lt") != in.cls("gt"));
}

TEST_CASE("opaque instructions equal nothing but themselves and have real operands") {
  Imported in(
      module_text("  x = f32[12] parameter(0)\n"
                  "  g = f32[48] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  a = f32[48] custom-call(g), custom_call_target=\"f\"\n"
                  "  b = f32[48] custom-call(g), custom_call_target=\"f\"\n"
                  "  ROOT t = (f32[48], f32[48]) tuple(a, b)\n"));
  CHECK(in.cls("a") != in.cls("b"));
  CHECK(in.kind("a") == Kind::kOpaque);
  CHECK(in.hlo->graph().children(in.node("a"))[0] == in.cls("g"));
}

const std::string kTwoRegions = R"(HloModule test, num_partitions=4

half {
  p = f32[3] parameter(0)
  one = s32[] constant(1)
  g = f32[12] all-gather(p), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  ROOT r = f32[12] negate(g)
}

plain {
  q = f32[3] parameter(0)
  ROOT s = f32[3] negate(q)
}

ENTRY main {
  x = f32[3] parameter(0)
  uno = s32[] constant(1)
  y = f32[3] call(x), to_apply=plain
  c = f32[12] call(y), to_apply=half
  h = f32[12] all-gather(y), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  ROOT t = (f32[12], f32[12], s32[]) tuple(c, h, uno)
}
)";

TEST_CASE("nothing is shared across computations, and those without collectives stay out") {
  Imported in(kTwoRegions);
  CHECK(in.cls("one") != in.cls("uno"));
  CHECK(in.import.regions.size() == 2);
  CHECK(in.import.class_of[in.id("q")] == egraph::kNoId);
  CHECK(in.import.node_of[in.id("s")] == egraph::kNoId);
  CHECK(in.hlo->facts_of(in.cls("g")).region == in.module[in.id("g")].computation);
}

TEST_CASE("packed elements are part of the value") {
  Imported in(
      module_text("  x = s8[3]{0} parameter(0)\n"
                  "  p = s4[3]{0:E(4)} convert(x)\n"
                  "  u = s4[3]{0} convert(x)\n"
                  "  g = s4[12]{0:E(4)} all-gather(p), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  ROOT t = (s4[12]{0:E(4)}, s4[3]{0}) tuple(g, u)\n"));
  CHECK(in.cls("p") != in.cls("u"));
  CHECK(in.kind("p") == Kind::kConvert);
  CHECK(in.hlo->shape(in.cls("p")).layout->element_bits == 4);
}

TEST_CASE("where a slice starts on each device is known; of other scalars it is not asked") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  g = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  pid = u32[] partition-id()\n"
                  "  three = u32[] constant(3)\n"
                  "  start = u32[] multiply(pid, three)\n"
                  "  ROOT d = f32[3] dynamic-slice(g, start), dynamic_slice_sizes={3}\n"));
  REQUIRE(in.hlo->values(in.cls("start")));
  CHECK(*in.hlo->values(in.cls("start")) == std::vector<int64_t>{0, 3, 6, 9});
  CHECK(in.hlo->values(in.cls("pid")) == nullptr);
}

TEST_CASE("what is the same on which devices comes in with the values") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  u = f32[3] parameter(1), sharding={replicated}\n"
                  "  s = f32[3] all-reduce(x), channel_id=1, "
                  "replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add\n"
                  "  ROOT t = (f32[3], f32[3]) tuple(s, u)\n"));
  const hlo::DeviceGroups pairs{{{0, 1}, {2, 3}}}, all{{{0, 1, 2, 3}}};
  CHECK(in.hlo->uniform(in.cls("u"), all));
  CHECK(in.hlo->uniform(in.cls("s"), pairs));
  CHECK_FALSE(in.hlo->uniform(in.cls("s"), all));
  CHECK_FALSE(in.hlo->uniform(in.cls("x"), pairs));
}

TEST_CASE("far from collectives everything but collectives is opaque") {
  Imported in(module_text("  x = f32[3] parameter(0)\n"
                          "  n = f32[3] negate(x)\n"
                          "  c = f32[3] copy(n)\n"
                          "  ROOT g = f32[12] all-gather(c), dimensions={0}" +
                          kOverAll + "\n"),
              false);
  CHECK(in.kind("n") == Kind::kOpaque);
  CHECK(in.kind("c") == Kind::kOpaque);
  CHECK(in.kind("g") == Kind::kAllGather);
}

TEST_CASE("import: each element of a collective of several operands is a collective of its own") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  y = bf16[5,2] parameter(1)\n"
                  "  both = (f32[12], bf16[20,2]) all-gather(x, y), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  g = f32[12] get-tuple-element(both), index=0\n"
                  "  h = bf16[20,2] get-tuple-element(both), index=1\n"
                  "  alone = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  ROOT r = (f32[12], bf16[20,2], f32[12]) tuple(g, h, alone)\n"));
  CHECK(in.kind("both") == Kind::kOpaque);
  CHECK(in.import.opaque_collectives.empty());
  CHECK(in.cls("g") == in.cls("alone"));
  bool is_gather = false;
  for (NodeId node : in.hlo->graph().nodes(in.cls("h"))) {
    is_gather |= in.hlo->op(node).kind == Kind::kAllGather &&
                 in.hlo->graph().children(node)[0] == in.cls("y");
  }
  CHECK(is_gather);
  // What nobody found anything better for goes out as it came in.
  CHECK(in.text({}) == *in.module.source);
}

}  // namespace
}  // namespace flipsat::language
