// f(A2A_d(x1), .., u, ..) = A2A_o(f(x1, .., u, ..)), and all-to-alls among themselves
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kGroups = ", channel_id=1, replica_groups={{0,1},{2,3}}";
const std::string kMixed = "the exchanged parts are cut or mixed";
const std::string kElse = "an operand is neither exchanged nor the same in all parts";

std::string after(const std::string& lines, int dim = 0, const std::string& input = "f32[4,6]") {
  return program("x = " + input + " parameter(0)\na = " + input + " all-to-all(x), dimensions={" +
                 std::to_string(dim) + "}" + kGroups + "\n" + lines);
}

TEST_CASE("all-to-all-convert: both ways") {
  Saturated forward(after("ROOT r = bf16[4,6] convert(a)\n"), only({"all-to-all-convert"}));
  forward.check_form("r", "all-to-all{0}(bf16[4,6] convert(x))");
  Saturated backward(program("x = bf16[4,6] parameter(0)\n"
                             "y = f32[4,6] convert(x)\n"
                             "ROOT r = f32[4,6] all-to-all(y), dimensions={1}" +
                             kGroups + "\n"),
                     only({"all-to-all-convert"}));
  backward.check_form("r", "convert(bf16[4,6] all-to-all{1}(x))");
}

TEST_CASE("all-to-all-reshape: the parts stay apart") {
  Saturated run(after("ROOT r = f32[2,2,6] reshape(a)\n"), only({"all-to-all-reshape"}));
  run.check_form("r", "all-to-all{0}(f32[2,2,6] reshape(x))");
  Saturated second(after("ROOT r = f32[4,2,3] reshape(a)\n", 1), only({"all-to-all-reshape"}));
  second.check_form("r", "all-to-all{1}(f32[4,2,3] reshape(x))");
  Saturated mixed(after("ROOT r = f32[24] reshape(a)\n", 1), only({"all-to-all-reshape"}));
  CHECK(mixed.refusal("all-to-all-reshape/forward/x") == kMixed);
  Saturated backward(program("x = f32[24] parameter(0)\n"
                             "y = f32[4,6] reshape(x)\n"
                             "ROOT r = f32[4,6] all-to-all(y), dimensions={0}" +
                             kGroups + "\n"),
                     only({"all-to-all-reshape"}));
  backward.check_form("r", "f32[4,6] reshape(all-to-all{0}(x))");
}

TEST_CASE("all-to-all-transpose: the exchanged dim moves, and back for others") {
  Saturated run(after("t = f32[6,4] transpose(a), dimensions={1,0}\n"
                      "ROOT r = (f32[6,4], f32[4,6]) tuple(t, a)\n"),
                only({"all-to-all-transpose"}));
  run.check_form("t", "all-to-all{1}(transpose{1,0}(x))");
  run.check_form("a", "transpose{1,0}(f32[6,4] all-to-all{1}(transpose{1,0}(x)))");
}

TEST_CASE("all-to-all: data movement along other dims") {
  struct Movement {
    const char* rule;
    const char* line;
    const char* form;
  };
  for (const Movement& m :
       {Movement{"all-to-all-slice", "f32[4,3] slice(a), slice={[0:4],[1:4]}", "f32[4,3] slice(x)"},
        Movement{"all-to-all-reverse", "f32[4,6] reverse(a), dimensions={1}", "reverse{1}(x)"},
        Movement{"all-to-all-pad", "f32[4,8] pad(a, one), padding=0_0x1_1", "f32[4,8] pad(x, one)"},
        Movement{"all-to-all-broadcast", "f32[2,4,6] broadcast(a), dimensions={1,2}",
                 "f32[2,4,6] broadcast(x)"},
        Movement{"all-to-all-reduce", "f32[4] reduce(a, one), dimensions={1}, to_apply=add_f32",
                 "f32[4] reduce{1}(x, one)"},
        Movement{"all-to-all-dynamic-slice",
                 "f32[4,2] dynamic-slice(a, i, i), dynamic_slice_sizes={4,2}",
                 "dynamic-slice{4,2}(x, i, i)"}}) {
    INFO(m.rule);
    Saturated run(after("one = f32[] constant(1)\ni = s32[] constant(3)\nROOT r = " +
                        std::string(m.line) + "\n"),
                  only({m.rule}));
    const std::string dim = std::string(m.rule) == "all-to-all-broadcast" ? "{1}" : "{0}";
    run.check_form("r", "all-to-all" + dim + "(" + m.form + ")");
    Saturated along(after("one = f32[] constant(1)\ni = s32[] constant(3)\nROOT r = " +
                              std::string(m.line) + "\n",
                          1),
                    only({m.rule}));
    if (std::string(m.rule) == "all-to-all-broadcast") continue;
    CHECK_FALSE(along.holds("r", "all-to-all{1}(_)"));
    CHECK(along.refused(m.rule).count(kMixed) == 1);
  }
}

TEST_CASE("all-to-all-elementwise: exchanged alike, or the same in all parts") {
  const std::string lines =
      "y = f32[4,6] parameter(1)\n"
      "b = f32[4,6] all-to-all(y), dimensions={0}" +
      kGroups + "\n";
  Saturated run(after(lines + "ROOT r = f32[4,6] add(a, b)\n"), only({"all-to-all-elementwise"}));
  run.check_form("r", "all-to-all{0}(add(x, y))");
  auto scaled = [&](const std::string& row, const std::string& dims) {
    return after("u = " + row +
                 " parameter(1), sharding={replicated}\nb = f32[4,6] broadcast(u), " +
                 "dimensions=" + dims + "\nROOT r = f32[4,6] multiply(a, b)\n");
  };
  Saturated across(scaled("f32[6]", "{1}"), only({"all-to-all-elementwise"}));
  across.check_form("r", "all-to-all{0}(multiply(x, b))");
  Saturated along(scaled("f32[4]", "{0}"), only({"all-to-all-elementwise"}));
  CHECK(along.refusal("all-to-all-elementwise/forward/xu") == kElse);
  Saturated own(after("b = f32[4,6] parameter(1)\nROOT r = f32[4,6] multiply(a, b)\n"),
                only({"all-to-all-elementwise"}));
  CHECK(own.refusal("all-to-all-elementwise/forward/xu") == kElse);
}

TEST_CASE("all-to-all-elementwise: groups are spelled by partitions, whatever a gather's count") {
  // The gather's ids are those of replicas, each with all partitions: the same groups of devices.
  Saturated run(program("x = f32[4] parameter(0)\n"
                        "s = f32[] parameter(1), sharding={replicated}\n"
                        "b = f32[4] broadcast(s), dimensions={}\n"
                        "y = f32[2] parameter(2)\n"
                        "g = f32[4] all-gather(y), dimensions={0}, channel_id=5, "
                        "replica_groups={{0},{1}}\n"
                        "m = f32[4] multiply(x, b)\n"
                        "a = f32[4] all-to-all(m), dimensions={0}, channel_id=6, "
                        "replica_groups={{0,1}}\n"
                        "ROOT r = f32[4] add(a, g)\n",
                        "replica_count=2, num_partitions=2"),
                only({"all-to-all-elementwise"}));
  run.check_form("a", "multiply(all-to-all{0}(x), b)");
}

TEST_CASE("all-to-all-inverse: twice is nothing, over the same members in the same order") {
  auto twice = [&](const std::string& groups, int dim) {
    return after("ROOT r = f32[4,6] all-to-all(a), channel_id=2, replica_groups=" + groups +
                 ", dimensions={" + std::to_string(dim) + "}\n");
  };
  Saturated run(twice("{{0,1},{2,3}}", 0), only({"all-to-all-inverse"}));
  CHECK(run.same_class("r", "x"));
  Saturated other(twice("{{1,0},{3,2}}", 0), only({"all-to-all-inverse"}));
  CHECK(other.refusal("all-to-all-inverse") == "the groups or the order of their members differ");
  Saturated elsewhere(twice("{{0,1},{2,3}}", 1), only({"all-to-all-inverse"}));
  CHECK(elsewhere.refusal("all-to-all-inverse") == "along different dims");
}

TEST_CASE("all-to-all-of-uniform: copies of the own part") {
  auto exchanged = [&](const std::string& sharding) {
    return program("x = f32[4,6] parameter(0)" + sharding +
                   "\nROOT r = f32[4,6] all-to-all(x), dimensions={1}" + kGroups + "\n");
  };
  Saturated run(exchanged(", sharding={replicated}"), only({"all-to-all-of-uniform"}));
  run.check_form(
      "r", "reshape(broadcast{0,2}(dynamic-slice{4,3}(x, values{0,0,0,0}, values{0,3,0,3})))");
  Saturated own(exchanged(""), only({"all-to-all-of-uniform"}));
  CHECK(own.refusal("all-to-all-of-uniform") == "the value differs inside a group");
}

TEST_CASE("collective-of-one: an all-to-all in groups of one") {
  Saturated run(program("x = f32[4] parameter(0)\nROOT r = f32[4] all-to-all(x), channel_id=1, "
                        "replica_groups={{0},{1},{2},{3}}, dimensions={0}\n"),
                only({"collective-of-one"}));
  CHECK(run.same_class("r", "x"));
}

}  // namespace
}  // namespace flipsat::rules::testing
