#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_reduce_convert_add";

// The sum of a gradient and a part of the state.
std::string accumulate(const std::string& reduction, const std::string& sum = "add(c, acc)",
                       const std::string& state =
                           "p = (s32[], f32[8]) parameter(1)\n  "
                           "acc = f32[8] get-tuple-element(p), index=1") {
  return module_of("  x = bf16[8] parameter(0)\n  " + state + "\n  " + reduction +
                   "\n  c = f32[8] convert(r), metadata={op_name=\"widen\"}\n  ROOT s = f32[8] " +
                   sum + ", metadata={op_name=\"sum\"}\n");
}

const std::string kAllReduce =
    "r = bf16[8] all-reduce(x)" + reduce_by("add16") + ", metadata={op_name=\"psum\"}";

const std::string kFound =
    "Found pattern: reduce-scatter/all-reduce, convert, add, with get-tuple-element on parameter "
    "tuple";

TEST_CASE("literal reduce-convert: a fresh channel, the old reducer, no metadata") {
  Outcome outcome = run(kPass, accumulate(kAllReduce), kLiteral);
  CHECK(outcome.text == module_of("  x = bf16[8] parameter(0)\n  p = (s32[], f32[8]) parameter(1)\n"
                                  "  acc = f32[8] get-tuple-element(p), index=1\n"
                                  "  convert.1 = f32[8] convert(x)\n"
                                  "  all-reduce.1 = f32[8] all-reduce(convert.1)" +
                                  with(reduce_by("add16"), "channel_id=1", "channel_id=2") +
                                  "\n  ROOT add.1 = f32[8] add(all-reduce.1, acc)\n"));
  CHECK(outcome.log ==
        std::vector<std::string>{kFound, "found %s in main",
                                 "Created new_reduce_op (AllReduce): %all-reduce.1",
                                 "created %convert.1 %all-reduce.1 %add.1 for %s in main"});
}

TEST_CASE("literal reduce-convert: a scatter keeps its dim") {
  std::string text = module_of(
      "  x = bf16[3,32] parameter(0)\n  p = (f32[3,8]) parameter(1)\n"
      "  acc = f32[3,8] get-tuple-element(p), index=0\n"
      "  r = bf16[3,8] reduce-scatter(x)" +
      scatter_along("1", "add16") +
      "\n  c = f32[3,8] convert(r)\n"
      "  ROOT s = f32[3,8] add(acc, c)\n");
  Outcome outcome = run(kPass, text, kLiteral);
  CHECK(outcome.text.find("reduce-scatter.1 = f32[3,8] reduce-scatter(convert.1)" +
                          with(scatter_along("1", "add16"), "channel_id=1", "channel_id=2")) !=
        std::string::npos);
  // The reduction is the first operand, whichever it was.
  CHECK(outcome.text.find("add(reduce-scatter.1, acc)") != std::string::npos);
  CHECK(outcome.log[2] == "Created new_reduce_op (ReduceScatter): %reduce-scatter.1");
}

TEST_CASE("literal reduce-convert: its guards") {
  CHECK(run(kPass, accumulate(kAllReduce, "add(c, acc)", "acc = f32[8] parameter(1)"), kLiteral)
            .log ==
        std::vector<std::string>{"refused %s in main: what is added is not a part of a parameter"});
  CHECK(refusal(kPass, accumulate(kAllReduce, "multiply(c, acc)"), kLiteral) == "no match");
  CHECK(refusal(kPass, accumulate("r = bf16[8] negate(x)"), kLiteral) == "no match");
}

TEST_CASE("literal reduce-convert: looks at no types and no reducers") {
  std::string text = with(accumulate(kAllReduce), "x = bf16[8]", "x = f32[8]");
  text = with(with(text, "r = bf16[8]", "r = f32[8]"), "to_apply=add16", "to_apply=add");
  text = with(with(text, "f32[8] get-t", "s32[8] get-t"), "(s32[], f32[8])", "(s32[], s32[8])");
  text = with(with(text, "c = f32[8]", "c = s32[8]"), "s = f32[8] add(c", "s = s32[8] add(c");
  CHECK(refusal(kPass, text, kLiteral) == "fired");
  GreedyOptions options;
  options.numerics = hlo::Numerics::kReassoc;
  CHECK(refusal(kPass, text, options) ==
        "rounding between integer and float does not commute with a sum");
}

TEST_CASE("literal reduce-convert: no match for a part of a reduction of several operands") {
  CHECK(refusal(kPass,
                accumulate("v = (bf16[8], bf16[8]) all-reduce(x, x)" + reduce_by("add16") +
                           "\n  r = bf16[8] get-tuple-element(v), index=0"),
                kLiteral) == "no match");
}

}  // namespace
}  // namespace flipsat::passes
