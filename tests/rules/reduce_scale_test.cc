// R(x) * s = R(x * s), -R(x) = R(-x), where the product is a term of a sum
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

// all-reduce(x) scaled as the line has it, plus another reduction.
std::string scaled(const std::string& line, const std::string& type = "s32") {
  return program("x = " + type + "[4] parameter(0)\n" + "y = " + type + "[4] parameter(1)\n" +
                 "own = " + type + "[] parameter(2)\n" + "three = " + type + "[] constant(3)\n" +
                 "threes = " + type + "[4] broadcast(three), dimensions={}\n" + "owns = " + type +
                 "[4] broadcast(own), dimensions={}\n" + "a = " + type +
                 "[4] all-reduce(x), to_apply=add_" + type + kOverAll + "\n" + "b = " + type +
                 "[4] all-reduce(y), to_apply=add_" + type + in_groups("{{0,1,2,3}}", 2) + "\n" +
                 "s = " + type + "[4] " + line + "\nROOT r = " + type + "[4] add(s, b)\n");
}

const Setup kExact = only({"reduce-scale"});
const Setup kReassoc = only({"reduce-scale"}, hlo::Numerics::kReassoc);

TEST_CASE("reduce-scale: a factor goes into the reduction") {
  Saturated last(scaled("multiply(a, threes)"), kExact);
  last.check_form("s", "all-reduce(multiply(x, threes))");
  Saturated first(scaled("multiply(threes, a)"), kExact);
  first.check_form("s", "all-reduce(multiply(threes, x))");
  Saturated negated(scaled("negate(a)"), kExact);
  negated.check_form("s", "all-reduce(negate(x))");
  Saturated halved(scaled("divide(a, threes)", "f32"), kReassoc);
  halved.check_form("s", "all-reduce(divide(x, threes))");
}

TEST_CASE("reduce-scale: scalars are scaled by scalars") {
  Saturated run(program("x = s32[] parameter(0)\n"
                        "y = s32[] parameter(1)\n"
                        "three = s32[] constant(3)\n"
                        "a = s32[] all-reduce(x), to_apply=add_s32" +
                        kOverAll +
                        "\n"
                        "b = s32[] all-reduce(y), to_apply=add_s32" +
                        in_groups("{{0,1,2,3}}", 2) +
                        "\n"
                        "s = s32[] multiply(a, three)\n"
                        "ROOT r = s32[] add(s, b)\n"),
                kExact);
  run.check_form("s", "all-reduce(multiply(x, three))");
}

TEST_CASE("reduce-scale: then the terms are added before their reduction") {
  Saturated run(scaled("multiply(a, threes)"), only({"reduce-scale", "reduce-sum"}));
  run.check_form("r", "all-reduce(add(multiply(x, threes), y))");
}

TEST_CASE("reduce-scale: refused, each with its reason") {
  auto refusals = [](const std::string& line, const std::string& type, const Setup& setup) {
    return Saturated(scaled(line, type), setup).refused("reduce-scale");
  };
  CHECK(refusals("multiply(a, owns)", "s32", kExact).count("the factor differs inside a group"));
  CHECK(refusals("multiply(a, threes)", "f32", kExact)
            .count("scaling a sum or its terms rounds otherwise (--numerics reassoc)"));
  CHECK(refusals("divide(a, threes)", "s32", kExact).count("integer division rounds"));
  CHECK(refusals("divide(threes, a)", "f32", kReassoc).count("no scaling"));
  CHECK(refusals("maximum(a, threes)", "s32", kExact).count("no scaling"));
}

TEST_CASE("reduce-scale: refused where there is no sum, and of other reductions") {
  Saturated alone(program("x = s32[4] parameter(0)\n"
                          "a = s32[4] all-reduce(x), to_apply=add_s32" +
                          kOverAll +
                          "\n"
                          "ROOT r = s32[4] negate(a)\n"),
                  kExact);
  CHECK(alone.refusal("reduce-scale") == "no sum to be a term of");
  Saturated largest(program("x = s32[4] parameter(0)\n"
                            "a = s32[4] all-reduce(x), to_apply=maximum_s32" +
                            kOverAll +
                            "\n"
                            "ROOT r = s32[4] negate(a)\n"),
                    kExact);
  CHECK(largest.refusal("reduce-scale") == "the reduction does not add");
}

}  // namespace
}  // namespace flipsat::rules::testing
