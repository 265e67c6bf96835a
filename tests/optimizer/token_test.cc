// Tokens: an element of one gather's result, times zero, in the operand of the next.
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::ElementType;
using hlo::Opcode;

// Each layer's weight is gathered and narrowed; the token is taken of the wide one.
const std::string kThreaded = program(
    "v = f32[512,1024] parameter(0)\n"
    "w = f32[256,1024] parameter(1)\n"
    "zero = f32[] constant(0)\n"
    "gv = f32[2048,1024] all-gather(v), dimensions={0}" +
    in_groups("{{0,1,2,3}}", 1) +
    "\n"
    "cv = bf16[2048,1024] convert(gv)\n"
    "flat = f32[2097152] reshape(gv)\n"
    "one = f32[1] slice(flat), slice={[0:1]}\n"
    "element = f32[] reshape(one)\n"
    "token = f32[] multiply(element, zero)\n"
    "all = f32[256,1024] broadcast(token), dimensions={}\n"
    "next = f32[256,1024] add(w, all)\n"
    "gw = f32[1024,1024] all-gather(next), dimensions={0}" +
    in_groups("{{0,1,2,3}}", 2) +
    "\n"
    "cw = bf16[1024,1024] convert(gw)\n"
    "ROOT r = (bf16[2048,1024], bf16[1024,1024]) tuple(cv, cw)\n");

Options finite() {
  Options options;
  options.assume_finite = true;
  return options;
}

int64_t gathered_bytes(const extract::ProgramCost& cost) { return cost.plain.gathered_bytes; }

TEST_CASE("token: under --assume-finite it leaves no second gather behind") {
  Optimized out(kThreaded, finite());
  INFO(out.text);
  REQUIRE(out.all(Opcode::kAllGather).size() == 2);
  for (const hlo::Instruction* gather : out.all(Opcode::kAllGather)) {
    CHECK(gather->shape.type == ElementType::kBF16);
  }
  CHECK(out.all(Opcode::kMultiply).empty());
  CHECK(out.all(Opcode::kAdd).empty());
  CHECK(gathered_bytes(out.result.input_cost) == 2 * gathered_bytes(out.result.output_cost));
}

TEST_CASE("token: without it the token stays, and the wide gather that it is taken of") {
  for (hlo::Numerics numerics : {hlo::Numerics::kExact, hlo::Numerics::kReassoc}) {
    Options options;
    options.numerics = numerics;
    Optimized out(kThreaded, options);
    INFO(out.text);
    CHECK(contains(out.text, "gv = f32[2048,1024] all-gather(v)"));
    CHECK(contains(out.text, "token = f32[] multiply(element, zero)"));
    CHECK(contains(out.text, "next = f32[256,1024] add(w, all)"));
    CHECK(out.all(Opcode::kAllGather).size() == 2);
  }
}

TEST_CASE("token: the rule can be left out under --assume-finite, too") {
  Options options = finite();
  options.disable = {"zero-times"};
  CHECK(Optimized(kThreaded, options).text == Optimized(kThreaded).text);
}

TEST_CASE("token: of a token that is a result, zero is what is left") {
  std::string text = kThreaded;
  text.replace(text.find("ROOT r = (bf16[2048,1024], bf16[1024,1024]) tuple(cv, cw)"),
               std::string::npos,
               "ROOT r = (bf16[2048,1024], bf16[1024,1024], f32[]) tuple(cv, cw, token)\n}\n");
  Optimized out(text, finite());
  INFO(out.text);
  CHECK(gathered_bytes(out.result.input_cost) == 2 * gathered_bytes(out.result.output_cost));
  CHECK(out.operand(out.root(), 2).opcode == Opcode::kConstant);
}

// Zero times a list with an infinity, which the rule cannot see: the constant is no algebra.
TEST_CASE("token: what the verifier finds not to be finite is left alone") {
  const std::string text = program(
      "v = f32[2] parameter(0)\n"
      "list = f32[8] constant({1,2,inf,4,5,6,7,8})\n"
      "zero = f32[] constant(0)\n"
      "zeros = f32[8] broadcast(zero), dimensions={}\n"
      "none = f32[8] multiply(list, zeros)\n"
      "gv = f32[8] all-gather(v), dimensions={0}" +
      in_groups("{{0,1,2,3}}", 1) +
      "\n"
      "next = f32[8] add(gv, none)\n"
      "ROOT r = bf16[8] convert(next)\n");
  const Result result = optimize(frontends::read_text(text, "in.hlo"), finite());
  CHECK(contains(frontends::write_text(result.output), "none = f32[8] multiply(list, zeros)"));
  REQUIRE_FALSE(result.verified.not_checked.empty());
  CHECK(contains(result.verified.not_checked[0].why, "not finite"));
}

}  // namespace
}  // namespace flipsat::optimizer::testing
