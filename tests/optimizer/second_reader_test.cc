// A collective that moves past an operation leaves no second one behind for who else reads it.
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::Opcode;

// Gathers of two dims are two launches; both along dim 1 they are one. The other reader of the
// first is a call that nothing is known of, as of a token that is threaded through it.
std::string two_gathers(const std::string& between, const std::string& moved) {
  return program(
      "x = f32[4,16] parameter(0)\n"
      "y = f32[16,4] parameter(1)\n"
      "g = f32[16,16] all-gather(x), dimensions={0}" +
      kOverAll + "\nh = f32[16,16] all-gather(y), dimensions={1}" + in_groups("{{0,1,2,3}}", 2) +
      "\n"
      "token = f32[] custom-call(g), custom_call_target=\"f\"\n"
      "t = " +
      moved + " " + between +
      "\n"
      "u = " +
      moved +
      " custom-call(t), custom_call_target=\"f\"\n"
      "v = f32[16,16] custom-call(h), custom_call_target=\"f\"\n"
      "ROOT r = (f32[], " +
      moved + ", f32[16,16]) tuple(token, u, v)\n");
}

TEST_CASE("second reader: what was gathered is read out of the transposed gather") {
  Optimized out(two_gathers("transpose(g), dimensions={1,0}", "f32[16,16]"));
  const auto gathers = out.all(Opcode::kAllGather);
  REQUIRE(gathers.size() == 2);
  for (const hlo::Instruction* gather : gathers) CHECK(gather->dimensions()[0] == 1);
  const hlo::Instruction& token = out.operand(out.root(), 0);
  CHECK(out.operand(token).opcode == Opcode::kTranspose);
  CHECK(out.operand(out.operand(token)).opcode == Opcode::kAllGather);
}

TEST_CASE("second reader: the same of a reshape") {
  Optimized out(two_gathers("reshape(g)", "f32[1,256]"));
  const auto gathers = out.all(Opcode::kAllGather);
  REQUIRE(gathers.size() == 2);
  for (const hlo::Instruction* gather : gathers) CHECK(gather->dimensions()[0] == 1);
  const hlo::Instruction& token = out.operand(out.root(), 0);
  CHECK(out.operand(token).opcode == Opcode::kReshape);
  CHECK(out.operand(out.operand(token)).opcode == Opcode::kAllGather);
}

TEST_CASE("second reader: without one, the own shard of a transposed sum is a scattered sum") {
  Optimized out(
      program("x = f32[64,16] parameter(0)\n"
              "i = u32[] partition-id()\n"
              "n = u32[] constant(16)\n"
              "z = u32[] constant(0)\n"
              "o = u32[] multiply(i, n)\n"
              "s = f32[64,16] all-reduce(x), to_apply=add_f32" +
              kOverAll +
              "\n"
              "t = f32[16,64] transpose(s), dimensions={1,0}\n"
              "ROOT r = f32[16,16] dynamic-slice(t, z, o), dynamic_slice_sizes={16,16}\n"));
  CHECK(out.all(Opcode::kAllReduce).empty());
  CHECK(out.all(Opcode::kReduceScatter).size() == 1);
}

}  // namespace
}  // namespace flipsat::optimizer::testing
