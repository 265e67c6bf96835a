// Why an instruction stays out of the algebra: each reason with its smallest module.
#include "tests/catch.h"
#include "tests/language/imported.h"

namespace flipsat::language {
namespace {

// The reason for `it`, an instruction that is no collective or one that is.
std::string reason(const std::string& lines, const std::string& header = "num_partitions=4") {
  Imported in(module_text(lines, header));
  bool controls = false;
  for (const hlo::Instruction& other : in.module.instructions) {
    for (hlo::InstructionId before : other.control_predecessors())
      controls |= before == in.id("it");
  }
  std::string why = opaque_reason(in.module, in.module[in.id("it")], in.counts, controls);
  if (hlo::is_collective(in.module[in.id("it")].opcode)) CHECK(in.opaque_reason("it") == why);
  if (in.node("it") != egraph::kNoId) {
    CHECK((in.hlo->op(in.node("it")).identity != hlo::kNoId) == !why.empty());
  }
  return why;
}

const std::string kGather = "  it = f32[12] all-gather(x), dimensions={0}" + kOverAll;

TEST_CASE("opaque: nothing that has none of the reasons") {
  CHECK(reason("  x = f32[3] parameter(0)\n" + kGather + "\n") == "");
  CHECK(reason("  x = f32[3] parameter(0)\n" + kGather + "\n  n = f32[12] negate(it)\n") == "");
}

TEST_CASE("opaque: control dependencies, before and after") {
  const std::string reason_of = "control dependency";
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  n = f32[3] negate(x)\n" +
               kGather + ", control-predecessors={n}\n") == reason_of);
  CHECK(reason("  x = f32[3] parameter(0)\n" + kGather +
               "\n"
               "  n = f32[3] negate(x), control-predecessors={it}\n") == reason_of);
}

TEST_CASE("opaque: a gather by four in groups of one") {
  const std::string alone =
      ", channel_id=1, replica_groups={{0},{1},{2},{3}}, use_global_device_ids=true\n";
  CHECK(reason("  x = f32[3] parameter(0)\n  it = f32[12] all-gather(x), dimensions={0}" + alone) ==
        "shapes that do not fit its groups");
  CHECK(reason("  x = f32[3] parameter(0)\n  it = f32[3] all-gather(x), dimensions={0}" + alone) ==
        "");
}

TEST_CASE("opaque: written inside another instruction") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  y = f32[3] add(x, f32[3] negate(x))\n"
                  "  ROOT g = f32[12] all-gather(y), dimensions={0}" +
                  kOverAll + "\n"));
  hlo::InstructionId inner = in.module[in.id("y")].operands[1];
  CHECK(opaque_reason(in.module, in.module[inner], in.counts, false) ==
        "written inside another instruction");
}

TEST_CASE("opaque: no algebra for it") {
  for (std::string line : {"it = f32[3] custom-call(x), custom_call_target=\"f\"",
                           "it = f32[3] rng-bit-generator(x), algorithm=rng_default",
                           "it = f32[3] opt-barrier(x)", "it = f32[3] parameter(1)"}) {
    INFO(line);
    CHECK(reason("  x = f32[3] parameter(0)\n  " + line + "\n" +
                 "  g = f32[12] all-gather(x), dimensions={0}" + kOverAll + "\n") ==
          "no algebra for it");
  }
}

TEST_CASE("opaque: exchanges whose devices are not known") {
  CHECK(reason("  x = f32[4] parameter(0)\n"
               "  it = f32[4] collective-permute(x), channel_id=1, source_target_pairs={{0,9}}\n"
               "  g = f32[16] all-gather(x), dimensions={0}" +
               kOverAll + "\n") == "pairs that do not fit the device count");
  CHECK(reason("  x = f32[4] parameter(0)\n"
               "  it = (f32[4], f32[4]) all-to-all(x, x), channel_id=1, "
               "replica_groups={{0,1},{2,3}}\n"
               "  g = f32[16] all-gather(x), dimensions={0}" +
               kOverAll + "\n") == "several operands");
}

TEST_CASE("opaque: layouts that bind") {
  CHECK(reason("  x = f32[8,128]{1,0} parameter(0)\n"
               "  it = f32[8,128]{1,0:T(8,128)} negate(x)\n"
               "  g = f32[32,128]{1,0} all-gather(x), dimensions={0}" +
               kOverAll + "\n") == "layout with tiles or a memory space");
  CHECK(reason("  x = f32[8,128]{1,0:S(1)} parameter(0)\n"
               "  it = f32[32,128]{1,0} all-gather(x), dimensions={0}" +
               kOverAll + "\n") == "operand layout with tiles or a memory space");
  // A packed width is not a binding layout, unless there is more.
  CHECK(reason("  x = s4[4]{0:E(4)} parameter(0)\n"
               "  it = s4[16]{0:E(4)} all-gather(x), dimensions={0}" +
               kOverAll + "\n") == "");
  CHECK(reason("  x = s4[4]{0:E(4)} parameter(0)\n"
               "  it = s4[16]{0:E(4)S(1)} all-gather(x), dimensions={0}" +
               kOverAll + "\n") == "layout with tiles or a memory space");
}

TEST_CASE("opaque: dynamic dims, its own or an operand's") {
  CHECK(reason("  x = f32[<=3,2] parameter(0)\n"
               "  it = f32[<=3,2] negate(x)\n"
               "  g = f32[<=3,8] all-gather(x), dimensions={1}" +
               kOverAll + "\n") == "dynamic dimension");
  CHECK(reason("  x = f32[<=3,2] parameter(0)\n"
               "  it = f32[3,8] all-gather(x), dimensions={1}" +
               kOverAll + "\n") == "dynamic dimension");
}

TEST_CASE("opaque: a scalar beside what is gathered") {
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  y = f32[] parameter(1)\n"
               "  it = (f32[12], f32[]) all-gather(x, y), dimensions={0}" +
               kOverAll + "\n") == "a scalar beside arrays");
}

TEST_CASE("opaque: constrained layouts and scheduling groups") {
  CHECK(reason("  x = f32[3] parameter(0)\n" + kGather + ", constrain_layout=true\n") ==
        "constrained layout");
  CHECK(reason("  x = f32[3] parameter(0)\n" + kGather +
               ", frontend_attributes={_scheduling_group_id=\"3\"}\n") == "scheduling group");
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  it = f32[3] collective-permute(x), channel_id=1, source_target_pairs={{0,1}}, "
               "frontend_attributes={_scheduling_group_id=\"3\"}\n") == "scheduling group");
}

TEST_CASE("opaque: groups of which nothing is known, that do not fit or are unequal") {
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  it = f32[3] all-reduce(x), replica_groups={}, to_apply=add\n",
               "entry_computation_layout={(f32[3])->f32[3]}") == "device count not known");
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  it = f32[3] all-reduce(x), channel_id=1, replica_groups={{0,7}}, "
               "use_global_device_ids=true, to_apply=add\n") ==
        "replica groups that do not fit the device count");
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  it = f32[3] all-reduce(x), channel_id=1, replica_groups={{0,1,2},{3}}, "
               "use_global_device_ids=true, to_apply=add\n") == "groups of unequal size");
}

TEST_CASE("opaque: reducers that are not recognised or are of another type") {
  const std::string unknown = R"(HloModule test, num_partitions=4

odd {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  d = f32[] subtract(a, b)
  ROOT s = f32[] add(d, b)
}

ENTRY main {
  x = f32[3] parameter(0)
  ROOT it = f32[3] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=odd
}
)";
  CHECK(Imported(unknown).opaque_reason("it") == "reducer of no known kind");
  CHECK(reason("  x = bf16[3] parameter(0)\n"
               "  it = bf16[3] all-reduce(x), to_apply=add" +
               kOverAll + "\n") == "reducer of another type than its data");
}

TEST_CASE("opaque: a copy of a tuple, and bitcasts that are no reshape") {
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  t = (f32[3]) tuple(x)\n"
               "  it = (f32[3]) copy(t)\n"
               "  g = f32[12] all-gather(x), dimensions={0}" +
               kOverAll + "\n") == "no array");
  const std::string gathered =
      "  g = f32[12,2]{1,0} all-gather(x), dimensions={0}" + kOverAll + "\n";
  CHECK(reason("  x = f32[3,2]{1,0} parameter(0)\n" + gathered +
               "  it = f32[24]{0} bitcast(g)\n") == "");
  CHECK(reason("  x = f32[3,2]{1,0} parameter(0)\n" + gathered +
               "  it = f32[2,12]{0,1} bitcast(g)\n") == "bitcast that is no reshape");
  CHECK(reason("  x = f32[3,2]{1,0} parameter(0)\n" + gathered +
               "  it = s32[12,2]{1,0} bitcast(g)\n") == "bitcast that is no reshape");
}

TEST_CASE("opaque: start indices in one operand, elided constants") {
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  i = s32[1] constant({2})\n"
               "  g = f32[12] all-gather(x), dimensions={0}" +
               kOverAll +
               "\n"
               "  it = f32[3] dynamic-slice(g, i), dynamic_slice_sizes={3}\n") == "");
  CHECK(reason("  x = f32[3,2] parameter(0)\n"
               "  i = s32[2] constant({2, 0})\n"
               "  g = f32[12,2] all-gather(x), dimensions={0}" +
               kOverAll +
               "\n"
               "  it = f32[3,2] dynamic-slice(g, i), dynamic_slice_sizes={3,2}\n") ==
        "start indices in one operand");
  CHECK(reason("  x = f32[3] parameter(0)\n"
               "  it = f32[3] constant({...})\n"
               "  g = f32[12] all-gather(x), dimensions={0}" +
               kOverAll + "\n") == "elided constant");
}

TEST_CASE("opaque: equal elided constants are not taken for equal") {
  Imported in(
      module_text("  x = f32[3] parameter(0)\n"
                  "  a = f32[3] constant({...})\n"
                  "  b = f32[3] constant({...})\n"
                  "  g = f32[12] all-gather(x), dimensions={0}" +
                  kOverAll +
                  "\n"
                  "  ROOT t = (f32[3], f32[3], f32[12]) tuple(a, b, g)\n"));
  CHECK(in.cls("a") != in.cls("b"));
}

}  // namespace
}  // namespace flipsat::language
