#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_reduce_convert_add";

const GreedyOptions kPrecise = {.numerics = hlo::Numerics::kPrecise};

std::string reduce_then_convert(const std::string& from, const std::string& reducer,
                                const std::string& to) {
  return module_of("  x = " + from + "[8] parameter(0)\n  acc = " + to +
                   "[8] parameter(1)\n  r = " + from + "[8] all-reduce(x)" + reduce_by(reducer) +
                   "\n  c = " + to + "[8] convert(r)\n  ROOT s = " + to + "[8] add(c, acc)\n");
}

TEST_CASE("flip reduce-convert: a sum goes wide only where more precision is allowed") {
  std::string text = reduce_then_convert("bf16", "add16", "f32");
  CHECK(refusal(kPass, text) == "more precise, and numerics are exact");
  std::string out = run(kPass, text, kPrecise).text;
  CHECK(out.find("convert.1 = f32[8] convert(x)") != std::string::npos);
  // The module has a wide sum already; it is used, not the narrow one.
  CHECK(out.find("all-reduce.1 = f32[8] all-reduce(convert.1)" + reduce_by("add") + "\n") !=
        std::string::npos);
  CHECK(out.find("add(all-reduce.1, acc)") != std::string::npos);
}

TEST_CASE("flip reduce-convert: the reducer is made anew at the new type") {
  std::string out = run(kPass, reduce_then_convert("bf16", "max16", "f32")).text;
  CHECK(out.find("f32[] maximum(") != std::string::npos);
  CHECK(out.find("to_apply=max16") == std::string::npos);
}

TEST_CASE("flip reduce-convert: a scatter keeps its dim") {
  std::string text = module_of("  x = bf16[3,8] parameter(0)\n  r = bf16[3,2] reduce-scatter(x)" +
                               scatter_along("1", "max16") + "\n  ROOT c = f32[3,2] convert(r)\n");
  std::string out = run(kPass, text).text;
  CHECK(out.find("f32[3,8] convert(x)") != std::string::npos);
  CHECK(out.find("f32[3,2] reduce-scatter(convert.1), channel_id=1, replica_groups={{0,1,2,3}}, "
                 "use_global_device_ids=true, dimensions={1}") != std::string::npos);
}

TEST_CASE("flip reduce-convert: refuses what is not the same value, with the reason") {
  CHECK(refusal(kPass, reduce_then_convert("f32", "add", "bf16"), kPrecise) ==
        "the sum would be made in a narrower type");
  CHECK(refusal(kPass, reduce_then_convert("f32", "add", "s32"), kPrecise) ==
        "rounding between integer and float does not commute with a sum");
  CHECK(refusal(kPass, reduce_then_convert("bf16", "max16", "s32"), kPrecise) ==
        "the convert does not keep the order of values");
  CHECK(refusal(kPass, reduce_then_convert("bf16", "max16", "f16"), kPrecise) ==
        "the sign of a zero may change, and numerics do not allow it");
}

TEST_CASE("flip reduce-convert: integers wrap alike in fewer bits") {
  std::string text = with(reduce_then_convert("s32", "sum", "s8"), "add16 {",
                          "sum {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
                          "  ROOT s = s32[] add(a, b)\n}\n\nadd16 {");
  CHECK(refusal(kPass, text) == "fired");
  text = with(text, "c = s8[8] convert", "c = s64[8] convert");
  text = with(with(text, "s8[8] parameter(1)", "s64[8] parameter(1)"), "s = s8[8]", "s = s64[8]");
  CHECK(refusal(kPass, text) == "a wider integer does not wrap where the narrow sum did");
}

TEST_CASE("flip reduce-convert: what the author narrowed stays narrow") {
  std::string text = with(reduce_then_convert("bf16", "add16", "f32"), "x = bf16[8] parameter(0)",
                          "y = f32[8] parameter(0)\n  x = bf16[8] convert(y)");
  CHECK(refusal(kPass, text, kPrecise) == "the author narrowed it for the reduction");
}

TEST_CASE("flip reduce-convert: refuses a reducer that it does not know or that lies") {
  std::string text = reduce_then_convert("bf16", "max16", "f32");
  CHECK(refusal(kPass, with(text, "maximum(a, b)", "maximum(a, a)")) ==
        "the reducer is not a known one");
  CHECK(refusal(kPass, with(text, "to_apply=max16", "to_apply=add")) ==
        "the reducer has another type than the data");
}

TEST_CASE("flip reduce-convert: refuses a reduction of several operands") {
  std::string text = module_of(
      "  x = bf16[8] parameter(0)\n  r = (bf16[8], bf16[8]) all-reduce(x, x)" + reduce_by("max16") +
      "\n  e = bf16[8] get-tuple-element(r), index=0\n"
      "  ROOT c = f32[8] convert(e)\n");
  CHECK(refusal(kPass, text) == "the collective has several operands");
}

}  // namespace
}  // namespace flipsat::passes
