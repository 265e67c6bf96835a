// R(x) + R(y) = R(x + y), by chains of any length.
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const Setup kReassoc = only({"reduce-sum"}, hlo::Numerics::kReassoc);

std::string reduced(const std::string& name, const std::string& type, const std::string& operand,
                    const std::string& groups = kOverAll, const std::string& reducer = "add") {
  const std::string element = type.substr(0, type.find('['));
  return name + " = " + type + " all-reduce(" + operand + "), to_apply=" + reducer + "_" + element +
         groups + "\n";
}

TEST_CASE("reduce-sum: terms reduced alike are added before their reduction") {
  Saturated run(program("x = f32[4] parameter(0)\n"
                        "y = f32[4] parameter(1)\n" +
                        reduced("a", "f32[4]", "x") + reduced("b", "f32[4]", "y") +
                        "ROOT r = f32[4] add(a, b)\n"),
                kReassoc);
  run.check_form("r", "all-reduce(add(x, y))");
}

TEST_CASE("reduce-sum: a chain is one sum, and what is not reduced stays outside") {
  Saturated run(program("x = s32[4] parameter(0)\n"
                        "y = s32[4] parameter(1)\n"
                        "z = s32[4] parameter(2)\n"
                        "u = s32[4] parameter(3)\n" +
                        reduced("a", "s32[4]", "x") + reduced("b", "s32[4]", "y") +
                        reduced("c", "s32[4]", "z") +
                        "s = s32[4] add(a, u)\n"
                        "t = s32[4] add(b, c)\n"
                        "ROOT r = s32[4] add(s, t)\n"),
                only({"reduce-sum"}));
  CHECK(run.holds("r", "add(all-reduce(_), u)"));
  CHECK_FALSE(run.holds("r", "all-reduce(_)"));
}

TEST_CASE("reduce-sum: each grouping is added up by itself") {
  Saturated run(program("x = s32[4] parameter(0)\n"
                        "y = s32[4] parameter(1)\n"
                        "z = s32[4] parameter(2)\n"
                        "w = s32[4] parameter(3)\n" +
                        reduced("a", "s32[4]", "x") +
                        reduced("b", "s32[4]", "y", in_groups("{{0,1},{2,3}}")) +
                        reduced("c", "s32[4]", "z") +
                        reduced("d", "s32[4]", "w", in_groups("{{0,1},{2,3}}")) +
                        "s = s32[4] add(a, b)\n"
                        "t = s32[4] add(c, d)\n"
                        "ROOT r = s32[4] add(s, t)\n"),
                only({"reduce-sum"}));
  CHECK(run.holds("r", "add(all-reduce(_), all-reduce(_))"));
}

TEST_CASE("reduce-sum: minima of minima, exactly; sums of scatters") {
  Saturated least(
      program("x = f32[4] parameter(0)\n"
              "y = f32[4] parameter(1)\n" +
              reduced("a", "f32[4]", "x", kOverAll, "minimum") +
              reduced("b", "f32[4]", "y", kOverAll, "minimum") + "ROOT r = f32[4] minimum(a, b)\n"),
      only({"reduce-sum"}));
  least.check_form("r", "all-reduce(minimum(x, y))");
  Saturated scattered(program("x = s32[8,3] parameter(0)\n"
                              "y = s32[8,3] parameter(1)\n"
                              "a = s32[2,3] reduce-scatter(x), to_apply=add_s32, dimensions={0}" +
                              kOverAll +
                              "\n"
                              "b = s32[2,3] reduce-scatter(y), to_apply=add_s32, dimensions={0}" +
                              in_groups("{{0,1,2,3}}", 2) +
                              "\n"
                              "ROOT r = s32[2,3] add(a, b)\n"),
                      only({"reduce-sum"}));
  scattered.check_form("r", "reduce-scatter{0}(add(x, y))");
}

TEST_CASE("reduce-sum: float sums only where they may be made in another order") {
  const std::string text = program(
      "x = f32[4] parameter(0)\n"
      "y = f32[4] parameter(1)\n" +
      reduced("a", "f32[4]", "x") + reduced("b", "f32[4]", "y") + "ROOT r = f32[4] add(a, b)\n");
  for (hlo::Numerics numerics : {hlo::Numerics::kExact, hlo::Numerics::kPrecise}) {
    Saturated run(text, only({"reduce-sum"}, numerics));
    CHECK_FALSE(run.holds("r", "all-reduce(_)"));
    CHECK(run.refused("reduce-sum").empty());
  }
}

TEST_CASE("reduce-sum: refused where no two terms are reduced alike") {
  auto refusal = [](const std::string& b) {
    return Saturated(program("x = s32[4] parameter(0)\n"
                             "y = s32[4] parameter(1)\n" +
                             reduced("a", "s32[4]", "x") + b + "ROOT r = s32[4] add(a, b)\n"),
                     only({"reduce-sum"}))
        .refusal("reduce-sum");
  };
  const std::string reason = "no two terms are reduced alike";
  CHECK(refusal(reduced("b", "s32[4]", "y", in_groups("{{0,1},{2,3}}"))) == reason);
  CHECK(refusal(reduced("b", "s32[4]", "y", kOverAll, "maximum")) == reason);
  // One term alone may be a reduction: no sum comes in.
  CHECK(refusal("b = s32[4] negate(y)\n").empty());
}

TEST_CASE("reduce-sum: a partial sum that others use too is a term") {
  Saturated run(program("x = s32[4] parameter(0)\n"
                        "y = s32[4] parameter(1)\n"
                        "z = s32[4] parameter(2)\n" +
                        reduced("a", "s32[4]", "x") + reduced("b", "s32[4]", "y") +
                        reduced("c", "s32[4]", "z") +
                        "s = s32[4] add(a, b)\n"
                        "r = s32[4] add(s, c)\n"
                        "ROOT all = (s32[4], s32[4]) tuple(s, r)\n"),
                only({"reduce-sum"}));
  run.check_form("s", "all-reduce(add(x, y))");
  CHECK(run.holds("r", "all-reduce(_)"));  // of s, once that is a reduction, and c
}

TEST_CASE("reduce-sum: a chain of a thousand terms is one match") {
  std::string lines, sum = "a0";
  constexpr int kTerms = 1000;
  for (int i = 0; i < kTerms; ++i) {
    const std::string n = std::to_string(i);
    lines += "x" + n + " = s32[] parameter(" + n + ")\n" + reduced("a" + n, "s32[]", "x" + n);
  }
  for (int i = 1; i < kTerms; ++i) {
    const std::string n = std::to_string(i);
    lines +=
        (i + 1 == kTerms ? "ROOT " : "") + ("s" + n) + " = s32[] add(" + sum + ", a" + n + ")\n";
    sum = "s" + n;
  }
  Saturated run(program(lines), only({"reduce-sum"}));
  CHECK(run.holds(sum, "all-reduce(_)"));
  CHECK(run.hlo().graph().node_count() < 4 * kTerms + 100);
}

}  // namespace
}  // namespace flipsat::rules::testing
