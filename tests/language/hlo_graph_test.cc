// Builders: shapes, facts and lineage of what rules add.
#include "language/hlo_graph.h"

#include "tests/catch.h"
#include "tests/language/imported.h"

namespace flipsat::language {
namespace {

const std::string kLines =
    "  x = f32[3,8] parameter(0)\n"
    "  g = f32[12,8] all-gather(x), dimensions={0}" +
    kOverAll +
    "\n"
    "  h = f32[12,8] all-gather(x), dimensions={0}, channel_id=2, "
    "replica_groups={{3,2,1,0}}, use_global_device_ids=true\n"
    "  t = f32[8,12] transpose(g), dimensions={1,0}\n"
    "  ROOT r = (f32[8,12], f32[12,8]) tuple(t, h)\n";

TEST_CASE("builders derive shapes from their operands") {
  Imported in(module_text(kLines));
  ClassId x = in.cls("x");
  CHECK(in.hlo->shape(in.hlo->transpose(in.node("t"), x, {1, 0})) ==
        hlo::Shape::array(hlo::ElementType::kF32, {8, 3}));
  CollectiveIndex all = in.hlo->op(in.node("g")).collective;
  CHECK(in.hlo->dims(in.hlo->all_gather(x, 1, all, {in.node("g")})) == hlo::Dims{3, 32});
  CHECK(in.hlo->dims(in.hlo->reduce_scatter(x, 1, all, {in.node("g")})) == hlo::Dims{3, 2});
}

TEST_CASE("a new gather is equal on all members, place by place") {
  Imported in(module_text(kLines));
  const hlo::DeviceGroups all{{{0, 1, 2, 3}}};
  ClassId gathered =
      in.hlo->all_gather(in.cls("x"), 1, in.hlo->op(in.node("g")).collective, {in.node("g")});
  CHECK(in.hlo->uniform(gathered, all));
  ClassId scattered =
      in.hlo->reduce_scatter(in.cls("x"), 1, in.hlo->op(in.node("g")).collective, {in.node("g")});
  CHECK_FALSE(in.hlo->uniform(scattered, all));
}

TEST_CASE("a collective stands for those that it came from, each once") {
  Imported in(module_text(kLines));
  ClassId x = in.cls("x");
  NodeId g = in.node("g"), h = in.node("h");
  NodeId both = in.hlo->all_gather(x, 1, in.hlo->op(g).collective, {h, g, g});
  CHECK(in.hlo->lineage(both) == std::vector<hlo::InstructionId>{in.id("g"), in.id("h")});
  // One that is there keeps what it stands for.
  NodeId again = in.hlo->all_gather(x, 1, in.hlo->op(g).collective, {g});
  CHECK(again == both);
  CHECK(in.hlo->lineage(both).size() == 2);
  CHECK(in.hlo->lineage(in.node("t")).empty());
}

TEST_CASE("a member's own part is cut where its place in the group says") {
  Imported in(module_text(kLines));
  const hlo::DeviceGroups reversed{{{3, 2, 1, 0}}};
  std::optional<ClassId> part = in.hlo->own_shard(in.cls("g"), 0, reversed);
  REQUIRE(part);
  CHECK(in.hlo->dims(*part) == hlo::Dims{3, 8});
  ClassId start = in.hlo->graph().children(*part)[1];
  REQUIRE(in.hlo->values(start));
  CHECK(*in.hlo->values(start) == std::vector<int64_t>{9, 6, 3, 0});
}

TEST_CASE("a table with one value is a constant; two axes of devices have no single number") {
  Imported in(module_text(kLines));
  hlo::ComputationId region = in.hlo->facts_of(in.cls("x")).region;
  std::optional<ClassId> same = in.hlo->device_table(region, {5, 5, 5, 5});
  REQUIRE(same);
  CHECK(in.hlo->op(*same).kind == Kind::kConstant);
  std::optional<ClassId> table = in.hlo->device_table(region, {5, 6, 6, 5});
  REQUIRE(table);
  CHECK(in.hlo->uniform(*table, {{{0, 3}, {1, 2}}}));
  CHECK_FALSE(in.hlo->uniform(*table, {{{0, 1}, {2, 3}}}));
  CHECK_FALSE(in.hlo->device_table(region, {0, -1, 0, 0}));

  hlo::DeviceCounts two_axes;
  two_axes.replicas = two_axes.partitions = 2;
  HloGraph grid(two_axes);
  CHECK_FALSE(grid.device_table(0, {0, 1, 2, 3}));
  CHECK(grid.device_table(0, {7, 7, 7, 7}));
}

TEST_CASE("groups are spelled as the module spells them, others as lists") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  g = f32[6] all-gather(x), dimensions={0}, channel_id=1, "
                  "replica_groups=[2,2]<=[4], use_global_device_ids=true\n"
                  "  ROOT n = f32[6] negate(g)\n"));
  CollectiveTable& table = in.hlo->collectives();
  CollectiveIndex pairs = in.hlo->op(in.node("g")).collective;
  auto spelled = [&](CollectiveIndex index) {
    hlo::Attribute attribute = table.spelling(table[index], CollectiveTable::Members::kOrdered);
    return std::get<hlo::ReplicaGroupsRef>(attribute.value);
  };
  CHECK(table.spelling(table[pairs], CollectiveTable::Members::kOrdered).text ==
        in.module[in.id("g")].find(hlo::AttributeKey::kReplicaGroups)->text);
  std::optional<CollectiveIndex> crossed = table.with_groups(pairs, {{{0, 2}, {1, 3}}});
  REQUIRE(crossed);
  CHECK(crossed != pairs);
  CHECK(*spelled(*crossed) == std::vector<std::vector<int64_t>>{{0, 2}, {1, 3}});
  CHECK(table.with_groups(pairs, {{{0, 1}, {2, 3}}}) == pairs);
}

TEST_CASE("builders make of a node's parts what import made of the instruction") {
  Imported in(
      module_text("  x = f32[4,6] parameter(0)\n"
                  "  zero = f32[] constant(0)\n"
                  "  two = s32[] constant(2)\n"
                  "  row = f32[1,6] slice(x), slice={[1:2], [0:6:1]}\n"
                  "  part = f32[2,3] slice(x), slice={[0:4:2], [0:5:2]}\n"
                  "  back = f32[4,6] reverse(x), dimensions={1}\n"
                  "  padded = f32[8,5] pad(x, zero), padding=1_0_1x0_-1\n"
                  "  both = f32[5,6] concatenate(x, row), dimensions={0}\n"
                  "  updated = f32[4,6] dynamic-update-slice(x, row, two, two)\n"
                  "  sums = f32[6] reduce(x, zero), dimensions={0}, to_apply=add\n"
                  "  product = f32[6,6] dot(x, back), lhs_contracting_dims={0}, "
                  "rhs_contracting_dims={0}\n"
                  "  wide = f32[4,6] broadcast(sums), dimensions={1}\n"
                  "  swapped = f32[4,6] all-to-all(x), channel_id=2, "
                  "replica_groups={{0,1},{2,3}}, dimensions={0}\n"
                  "  sent = f32[4,6] collective-permute(swapped), channel_id=3, "
                  "source_target_pairs={{0,1},{2,0}}\n"
                  "  g = f32[16,6] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  ROOT all = (f32[1,6], f32[2,3], f32[4,6], f32[8,5], f32[5,6], f32[4,6], "
                  "f32[6], f32[6,6], f32[4,6], f32[4,6], f32[16,6]) tuple(row, part, back, padded, "
                  "both, updated, sums, product, wide, sent, g)\n"));
  HloGraph& h = *in.hlo;
  auto cls = [&](const char* name) { return in.import.class_of[in.id(name)]; };
  auto node = [&](const char* name) { return in.node(name); };
  const ClassId x = cls("x");
  const ClassId starts[] = {cls("two"), cls("two")};
  const ClassId parts[] = {x, cls("row")};
  const uint32_t bound = h.graph().node_bound();
  CHECK(h.slice(node("row"), x, {{1, 2, 1}, {0, 6, 1}}) == cls("row"));
  CHECK(h.slice(egraph::kNoId, x, {{0, 4, 2}, {0, 5, 2}}) == cls("part"));
  CHECK(h.reverse(node("back"), x, {1}) == cls("back"));
  CHECK(h.pad(node("padded"), x, cls("zero"), {{1, 0, 1}, {0, -1, 0}}) == cls("padded"));
  CHECK(h.concatenate(node("both"), parts, 0) == cls("both"));
  CHECK(h.dynamic_update_slice(node("updated"), x, cls("row"), starts) == cls("updated"));
  CHECK(h.reduce(node("sums"), x, cls("zero"), {0}) == cls("sums"));
  CHECK(h.dot(node("product"), x, cls("back"), dot_dims(h.op(node("product")))) == cls("product"));
  CHECK(h.broadcast(egraph::kNoId, cls("sums"), {1}, {4, 6}) == cls("wide"));
  const CollectiveIndex swap = h.op(node("swapped")).collective;
  CHECK(h.all_to_all(x, 0, swap, {}) == cls("swapped"));
  const CollectiveIndex send = h.op(node("sent")).collective;
  CHECK(h.collective_permute(cls("swapped"), send, {}) == cls("sent"));
  CHECK(h.graph().node_bound() == bound);
  CHECK(h.op(node("sums")).reducer == hlo::Reducer{hlo::ReducerKind::kAdd, hlo::ElementType::kF32});

  CollectiveTable& table = h.collectives();
  CHECK(table.as_permute(swap, {{0, 1}, {2, 0}}) == send);
  CHECK(table.as_all_to_all(send, {{{0, 1}, {2, 3}}}) == swap);
  CHECK(table.as_gather(swap, {{{0, 1, 2, 3}}}) == h.op(node("g")).collective);
}

TEST_CASE("dims of a dot's result") {
  const DotDims dims{
      .lhs_contracting = {1}, .rhs_contracting = {2}, .lhs_batch = {2}, .rhs_batch = {0}};
  CHECK(dot_result({3, 5, 7}, {7, 4, 5, 2}, dims) == hlo::Dims{7, 3, 4, 2});
  Operator dot;
  dot.ints = ints_of(dims);
  CHECK(dot_dims(dot) == dims);
}

}  // namespace
}  // namespace flipsat::language
