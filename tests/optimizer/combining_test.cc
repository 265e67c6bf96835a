// --emit-combined through the whole chain: what is written, that it is proved, and what it costs.
#include "hlo/packing_plan.h"
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::Opcode;

Options combining(const std::string& combiner = "neuron") {
  Options options;
  options.emit_combined = true;
  options.cost.combiner = hlo::combiner_preset(combiner);
  return options;
}

// And combined again it stays as it is.
void check_combined(const Optimized& out) {
  check_equal(out);
  CHECK(Optimized(out.text, combining()).is_unchanged());
}

const std::string kChains = program(
    "x = f32[32] parameter(0)\n"
    "y = f32[32] parameter(1)\n"
    "a1 = f32[32] all-reduce(x), to_apply=add_f32" +
    kOverAll +
    "\n"
    "an = f32[32] tanh(a1)\n"
    "a2 = f32[32] all-reduce(an), to_apply=add_f32" +
    kOverAll +
    "\n"
    "b1 = f32[32] all-reduce(y), to_apply=add_f32" +
    kOverAll +
    "\n"
    "bn = f32[32] tanh(b1)\n"
    "b2 = f32[32] all-reduce(bn), to_apply=add_f32" +
    kOverAll +
    "\n"
    "ROOT t = (f32[32], f32[32]) tuple(a2, b2)\n");

TEST_CASE("combining: interleaved chains take two launches, not the walk's three") {
  Optimized out(kChains, combining());
  INFO(out.text);
  CHECK(out.result.input_cost.plain.launches == 3);
  CHECK(out.result.output_cost.plain.launches == 2);
  CHECK(out.all(Opcode::kAllReduce).size() == 2);
  CHECK(out.rules() == std::vector<std::string>{"combine"});
  REQUIRE(out.result.combined);
  CHECK(out.result.combined->walked == 3);
  CHECK(out.result.combined->planned == 2);
  CHECK(out.result.combined->bound == 2);
  CHECK(out.result.combined->written == 2);
  CHECK(out.result.combined->members == 4);
  REQUIRE(out.result.changes.size() == 2);
  CHECK(out.result.changes[0].from == std::vector<std::string>{"%a1", "%b1"});
  CHECK(out.result.changes[0].to.size() == 3);
  CHECK(out.result.verified.elements > 0);
  check_combined(out);
}

TEST_CASE("combining: off by default") {
  Optimized out(kChains);
  CHECK(out.is_unchanged());
  CHECK(!out.result.combined);
}

TEST_CASE("combining: what rules brought is combined, and their changes tell of it") {
  Optimized out(program("a = f32[64,1024] parameter(0)\n"
                        "b = f32[64,1024] parameter(1)\n"
                        "ga = f32[256,1024] all-gather(a), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "gb = f32[256,1024] all-gather(b), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "ca = bf16[256,1024] convert(ga)\n"
                        "cb = bf16[256,1024] convert(gb)\n"
                        "ROOT t = (bf16[256,1024], bf16[256,1024]) tuple(ca, cb)\n"),
                combining());
  INFO(out.text);
  const hlo::Instruction& gather = out.one(Opcode::kAllGather);
  CHECK(gather.operands.size() == 2);
  CHECK(out.result.output_cost.plain.gathered_bytes == 2 * 256 * 1024 * 2);
  for (const Change& change : out.result.changes) {
    for (const std::string& name : change.to) CHECK(contains(out.text, name.substr(1) + " = "));
  }
  check_combined(out);
}

TEST_CASE("combining: what is combined already is taken as it stands") {
  const std::string text = program(
      "a = f32[64] parameter(0)\nb = f32[64] parameter(1)\nc = f32[64] parameter(2)\n"
      "both = (f32[64], f32[64]) all-reduce(a, b), to_apply=add_f32" +
      kOverAll +
      "\n"
      "ra = f32[64] get-tuple-element(both), index=0\n"
      "rb = f32[64] get-tuple-element(both), index=1\n"
      "rc = f32[64] all-reduce(c), to_apply=add_f32" +
      kOverAll +
      "\n"
      "ROOT t = (f32[64], f32[64], f32[64]) tuple(ra, rb, rc)\n");
  Optimized out(text, combining());
  CHECK(out.is_unchanged());
  CHECK(out.result.combined->planned == 2);
}

TEST_CASE("combining: in a loop, whose launches count by its trips") {
  const std::string sum = ", to_apply=add_f32" + kOverAll + "\n";
  const std::string state = "(s32[], f32[32], f32[32])";
  const std::string body =
      "body {\n  p = " + state +
      " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  u = f32[32] get-tuple-element(p), index=1\n"
      "  v = f32[32] get-tuple-element(p), index=2\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  u1 = f32[32] all-reduce(u)" +
      sum + "  u2 = f32[32] tanh(u1)\n  u3 = f32[32] all-reduce(u2)" + sum +
      "  v1 = f32[32] all-reduce(v)" + sum + "  v2 = f32[32] tanh(v1)\n" +
      "  v3 = f32[32] all-reduce(v2)" + sum + "  ROOT o = " + state + " tuple(j, u3, v3)\n}\n";
  const std::string condition =
      "cond {\n  q = " + state +
      " parameter(0)\n  i = s32[] get-tuple-element(q), index=0\n  n = s32[] constant(5)\n"
      "  ROOT more = pred[] compare(i, n), direction=LT\n}\n";
  std::string text = program("a = f32[32] all-reduce(b)" + sum);  // for its reducer
  text.resize(text.find("ENTRY"));
  Optimized out(text + condition + body + "ENTRY main {\nx = f32[32] parameter(0)\n" +
                    "y = f32[32] parameter(1)\nzero = s32[] constant(0)\ns = " + state +
                    " tuple(zero, x, y)\nl = " + state +
                    " while(s), condition=cond, body=body\n"
                    "ROOT r = f32[32] get-tuple-element(l), index=1\n}\n",
                combining());
  INFO(out.text);
  CHECK(out.result.input_cost.executed.launches == 15);
  CHECK(out.result.output_cost.executed.launches == 10);
  check_combined(out);
}

TEST_CASE("combining: limits of the user") {
  Options options = combining();
  std::string why;
  SECTION("--min-gain") {
    options.min_gain = 50;
    why = "it gains less than --min-gain";
  }
  SECTION("--max-peak-growth") {
    options.max_peak_growth = 0;
    why = "its peak grows by more than --max-peak-growth";
  }
  Optimized out(kChains, options);
  CHECK(out.is_unchanged());
  CHECK(out.result.combined->why_not == why);
  CHECK(out.result.combined->written == 0);
}

TEST_CASE("combining: proved in full, and not at all where that is asked for") {
  Options options = combining();
  options.verify = VerifyLevel::kFull;
  const int64_t quick = Optimized(kChains, combining()).result.verified.elements;
  CHECK(Optimized(kChains, options).result.verified.elements >= quick);
  options.verify = VerifyLevel::kOff;
  CHECK(Optimized(kChains, options).result.verified.elements == 0);
}

}  // namespace
}  // namespace flipsat::optimizer::testing
