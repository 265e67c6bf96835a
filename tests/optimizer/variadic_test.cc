// Collectives of several operands: taken apart where their elements gain by it.
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::Opcode;

const std::string kTwoGathered =
    "a = f32[512,1024] parameter(0)\n"
    "b = f32[256,1024] parameter(1)\n"
    "both = (f32[2048,1024], f32[1024,1024]) all-gather(a, b), dimensions={0}" +
    in_groups("{{0,1,2,3}}", 7) +
    "\n"
    "ga = f32[2048,1024] get-tuple-element(both), index=0\n"
    "gb = f32[1024,1024] get-tuple-element(both), index=1\n";

Options without_combiner() {
  Options options;
  options.cost.combiner = hlo::combiner_preset("none");
  return options;
}

TEST_CASE("variadic: elements that are all narrowed are narrowed before they are gathered") {
  Optimized out(program(kTwoGathered +
                        "ca = bf16[2048,1024] convert(ga)\n"
                        "cb = bf16[1024,1024] convert(gb)\n"
                        "ROOT t = (bf16[2048,1024], bf16[1024,1024]) tuple(ca, cb)\n"));
  INFO(out.text);
  CHECK(out.result.input_cost.plain.gathered_bytes ==
        2 * out.result.output_cost.plain.gathered_bytes);
  CHECK(out.result.output_cost.plain.launches == 1);
  CHECK(out.rules() == std::vector<std::string>{"gather-convert"});
  CHECK(contains(out.text, "bf16[512,1024] convert(a)"));
  CHECK(contains(out.text, "bf16[256,1024] convert(b)"));
}

TEST_CASE("variadic: where nothing is combined, what was one launch is written as one again") {
  const std::string narrowed =
      "ca = bf16[2048,1024] convert(ga)\n"
      "cb = bf16[1024,1024] convert(gb)\n"
      "ROOT t = (bf16[2048,1024], bf16[1024,1024]) tuple(ca, cb)\n";
  Optimized out(program(kTwoGathered + narrowed), without_combiner());
  INFO(out.text);
  CHECK(out.one(Opcode::kAllGather).operands.size() == 2);
  CHECK(out.channels() == std::vector<int64_t>{7});
  CHECK(out.result.output_cost.plain.launches == 1);
  CHECK(out.rules() == std::vector<std::string>{"gather-convert"});
  REQUIRE(out.result.changes.size() == 2);
  CHECK(out.result.changes[0].to.size() == 4);
}

TEST_CASE("variadic: what a combiner makes one launch with others is not written as one") {
  Optimized out(program(kTwoGathered +
                        "c = bf16[64,1024] parameter(2)\n"
                        "gc = bf16[256,1024] all-gather(c), dimensions={0}" +
                        in_groups("{{0,1,2,3}}", 8) +
                        "\n"
                        "ca = bf16[2048,1024] convert(ga)\n"
                        "cb = bf16[1024,1024] convert(gb)\n"
                        "ROOT t = (bf16[2048,1024], bf16[1024,1024], bf16[256,1024]) "
                        "tuple(ca, cb, gc)\n"));
  INFO(out.text);
  CHECK(out.all(Opcode::kAllGather).size() == 3);
  CHECK(out.result.output_cost.plain.launches == 1);
}

TEST_CASE("variadic: one launch stays one where it would cost more than the bytes that it saves") {
  // A few elements: without a combiner a second launch costs more than half of them.
  const std::string text = program(
      "a = f32[2] parameter(0)\n"
      "b = f32[3] parameter(1)\n"
      "both = (f32[8], f32[12]) all-gather(a, b), dimensions={0}" +
      kOverAll +
      "\n"
      "ga = f32[8] get-tuple-element(both), index=0\n"
      "gb = f32[12] get-tuple-element(both), index=1\n"
      "ca = bf16[8] convert(ga)\n"
      "ROOT t = (bf16[8], f32[12]) tuple(ca, gb)\n");
  Optimized out(text, without_combiner());
  INFO(out.text);
  CHECK(out.is_unchanged());
  CHECK(Saturated(text).holds("ca", "all-gather{0}(convert(a))"));
}

TEST_CASE("variadic: one element that is narrowed pays for another that is not") {
  Optimized out(program(kTwoGathered +
                        "ca = bf16[2048,1024] convert(ga)\n"
                        "ROOT t = (bf16[2048,1024], f32[1024,1024]) tuple(ca, gb)\n"));
  INFO(out.text);
  CHECK(out.one(Opcode::kAllGather).operands.size() == 2);
  CHECK(out.result.input_cost.plain.gathered_bytes == 4 * 3 * 1024 * 1024);
  CHECK(out.result.output_cost.plain.gathered_bytes == (2 * 2 + 4) * 1024 * 1024);
  CHECK(out.result.output_cost.plain.launches == 1);
}

TEST_CASE("variadic: an element that is read as it is as well keeps all of them together") {
  const std::string text = program(kTwoGathered +
                                   "ca = bf16[2048,1024] convert(ga)\n"
                                   "na = f32[2048,1024] negate(ga)\n"
                                   "ROOT t = (bf16[2048,1024], f32[2048,1024], f32[1024,1024]) "
                                   "tuple(ca, na, gb)\n");
  CHECK(Optimized(text).is_unchanged());
}

TEST_CASE("variadic: an element that nobody reads any more is read before it is made again") {
  // The other element is a token for what comes after, so that both are launched in any case.
  Optimized out(
      program("x = f32[64,2] parameter(0)\n"
              "token = f32[] parameter(1)\n"
              "both = (f32[64,2], f32[]) all-reduce(x, token), to_apply=add_f32" +
              in_groups("{{0,1,2,3}}", 7) +
              "\n"
              "after = f32[] get-tuple-element(both), index=1\n"
              "b = f32[64,2,256] broadcast(x), dimensions={0,1}\n"
              "s = f32[64,2,256] all-reduce(b), to_apply=add_f32" +
              in_groups("{{0,1,2,3}}", 8) +
              "\n"
              "ROOT t = (f32[64,2,256], f32[]) tuple(s, after)\n"));
  INFO(out.text);
  CHECK(out.one(Opcode::kAllReduce).operands.size() == 2);
  CHECK(contains(out.text, "f32[64,2] get-tuple-element(both), index=0"));
  CHECK(out.rules() == std::vector<std::string>{"reduce-broadcast"});
}

}  // namespace
}  // namespace flipsat::optimizer::testing
