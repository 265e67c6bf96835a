// f(AG_d(x), u) = AG_o(f(x, u)) for each f that moves data.
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

// r = `movement` of g, the gather along dim 0 of x = f32[2,6].
std::string of_gather(const std::string& movement, const std::string& before = "") {
  return program("x = f32[2,6] parameter(0)\n" + before +
                 "g = f32[8,6] all-gather(x), dimensions={0}" + kOverAll +
                 "\n"
                 "ROOT r = " +
                 movement + "\n");
}

// r = the gather along `dim` of m, which is `movement` of x = f32[2,6]; w another gather of x.
std::string gather_of(const std::string& movement, int dim, const std::string& result,
                      const std::string& before = "", const std::string& after = "") {
  return program("x = f32[2,6] parameter(0)\n" + before + "m = " + movement + "\nr = " + result +
                 " all-gather(m), dimensions={" + std::to_string(dim) + "}" + kOverAll + "\n" +
                 after + "ROOT t = tuple(r" + (after.empty() ? "" : ", w") + ")\n");
}
const std::string kWhole = "w = f32[8,6] all-gather(x), dimensions={0}" + kOverAll + "\n";

TEST_CASE("gather-transpose: the gathered dim goes where the transpose puts it") {
  Saturated run(of_gather("f32[6,8] transpose(g), dimensions={1,0}"), only({"gather-transpose"}));
  CHECK(run.holds("r", "all-gather{1}(f32[6,2] transpose{1,0}(x))"));
  run.check_form("r", "all-gather{1}(transpose{1,0}(x))");
}

TEST_CASE("gather-transpose: who else reads the old gather reads the new one") {
  Saturated run(of_gather("f32[6,8] transpose(g), dimensions={1,0}"), only({"gather-transpose"}));
  CHECK(run.holds("g", "f32[8,6] transpose{1,0}(all-gather{1}(transpose{1,0}(x)))"));
  run.check_form("g", "transpose{1,0}(all-gather{1}(transpose{1,0}(x)))");
}

TEST_CASE("gather-transpose: going back, the dim is the one that the transpose took it from") {
  Saturated run(gather_of("f32[6,2] transpose(x), dimensions={1,0}", 1, "f32[6,8]"),
                only({"gather-transpose"}));
  CHECK(run.holds("r", "transpose{1,0}(f32[8,6] all-gather{0}(x))"));
  run.check_form("r", "transpose{1,0}(all-gather{0}(x))");
}

TEST_CASE("gather-transpose: several transposes of one gather come to an end") {
  Saturated run(program("x = f32[2,3,5] parameter(0)\n"
                        "g = f32[8,3,5] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "a = f32[3,8,5] transpose(g), dimensions={1,0,2}\n"
                        "b = f32[5,3,8] transpose(a), dimensions={2,0,1}\n"
                        "c = f32[3,5,8] transpose(g), dimensions={1,2,0}\n"
                        "ROOT t = tuple(a, b, c)\n"),
                only({"gather-transpose"}));
  CHECK(run.holds("b", "all-gather{2}(transpose{2,0,1}(transpose{1,0,2}(x)))"));
  CHECK(run.holds("g", "transpose{2,0,1}(c)"));
}

TEST_CASE("gather-slice: another dim is cut before the gather, with its stride") {
  Saturated run(of_gather("f32[8,2] slice(g), slice={[0:8],[1:5:2]}"), only({"gather-slice"}));
  CHECK(run.holds("r", "all-gather{0}(f32[2,2] slice{0,2,1,1,5,2}(x))"));
  run.check_form("r", "all-gather{0}(slice{0,2,1,1,5,2}(x))");
}

TEST_CASE("gather-slice: refused where the gathered dim is cut") {
  Saturated run(of_gather("f32[4,6] slice(g), slice={[0:4],[0:6]}"), only({"gather-slice"}));
  CHECK(run.refusal("gather-slice/forward") == "the gathered dim is cut");
}

TEST_CASE("gather-slice: going back where the whole is gathered as well") {
  Saturated run(gather_of("f32[2,3] slice(x), slice={[0:2],[3:6]}", 0, "f32[8,3]", "", kWhole),
                only({"gather-slice"}));
  CHECK(run.holds("r", "slice{0,8,1,3,6,1}(w)"));
  run.check_form("r", "slice{0,8,1,3,6,1}(w)");
}

TEST_CASE("gather-slice: going back where another slice is gathered as well") {
  Saturated run(gather_of("f32[2,3] slice(x), slice={[0:2],[3:6]}", 0, "f32[8,3]",
                          "n = f32[2,2] slice(x), slice={[0:2],[0:2]}\n",
                          "w = f32[8,2] all-gather(n), dimensions={0}" + kOverAll + "\n"),
                only({"gather-slice"}));
  CHECK(run.holds("r", "slice{0,8,1,3,6,1}(f32[8,6] all-gather{0}(x))"));
  CHECK(run.holds("w", "slice{0,8,1,0,2,1}(f32[8,6] all-gather{0}(x))"));
  run.check_form("r", "slice{0,8,1,3,6,1}(all-gather{0}(x))");
}

TEST_CASE("gather-slice: refused going back where nothing else is gathered") {
  Saturated run(gather_of("f32[2,3] slice(x), slice={[0:2],[3:6]}", 0, "f32[8,3]"),
                only({"gather-slice"}));
  CHECK(run.refusal("gather-slice/backward") == "the whole is not collected alike");
}

TEST_CASE("gather-broadcast: both ways, and not along a new dim") {
  Saturated in(of_gather("f32[6,3,8] broadcast(g), dimensions={2,0}"), only({"gather-broadcast"}));
  CHECK(in.holds("r", "all-gather{2}(f32[6,3,2] broadcast{2,0}(x))"));
  in.check_form("r", "all-gather{2}(broadcast{2,0}(x))");
  Saturated out(gather_of("f32[2,3,6] broadcast(x), dimensions={0,2}", 0, "f32[8,3,6]"),
                only({"gather-broadcast"}));
  CHECK(out.holds("r", "broadcast{0,2}(f32[8,6] all-gather{0}(x))"));
  out.check_form("r", "broadcast{0,2}(all-gather{0}(x))");
  Saturated none(gather_of("f32[2,3,6] broadcast(x), dimensions={0,2}", 1, "f32[2,12,6]"),
                 only({"gather-broadcast"}));
  CHECK(none.refusal("gather-broadcast/backward") == "the gathered dim is not left whole");
}

TEST_CASE("gather-reverse: both ways, along other dims") {
  Saturated in(of_gather("f32[8,6] reverse(g), dimensions={1}"), only({"gather-reverse"}));
  CHECK(in.holds("r", "all-gather{0}(reverse{1}(x))"));
  CHECK(in.holds("g", "reverse{1}(all-gather{0}(reverse{1}(x)))"));
  in.check_form("r", "all-gather{0}(reverse{1}(x))");
  Saturated out(gather_of("f32[2,6] reverse(x), dimensions={1}", 0, "f32[8,6]"),
                only({"gather-reverse"}));
  out.check_form("r", "reverse{1}(all-gather{0}(x))");
  Saturated own(of_gather("f32[8,6] reverse(g), dimensions={0}"), only({"gather-reverse"}));
  CHECK(own.refusal("gather-reverse/forward") == "the gathered dim is not left whole");
}

TEST_CASE("gather-pad: both ways, by a value that all members have") {
  const std::string value = "v = f32[] constant(3)\n";
  Saturated in(of_gather("f32[8,9] pad(g, v), padding=0_0x1_2", value), only({"gather-pad"}));
  CHECK(in.holds("r", "all-gather{0}(f32[2,9] pad{0,0,0,1,2,0}(x, v))"));
  in.check_form("r", "all-gather{0}(pad{0,0,0,1,2,0}(x, v))");
  Saturated out(gather_of("f32[2,9] pad(x, v), padding=0_0x1_2", 0, "f32[8,9]", value),
                only({"gather-pad"}));
  out.check_form("r", "pad{0,0,0,1,2,0}(all-gather{0}(x), v)");
}

TEST_CASE("gather-pad: refused where the value differs or the gathered dim is padded") {
  Saturated own(of_gather("f32[8,9] pad(g, v), padding=0_0x1_2", "v = f32[] parameter(1)\n"),
                only({"gather-pad"}));
  CHECK(own.refusal("gather-pad/forward") == "a scalar operand differs in a group");
  Saturated gathered(of_gather("f32[9,6] pad(g, v), padding=1_0x0_0", "v = f32[] constant(0)\n"),
                     only({"gather-pad"}));
  CHECK(gathered.refusal("gather-pad/forward") == "the gathered dim is not left whole");
  // Cut, not padded: the value does not matter.
  Saturated cut(of_gather("f32[8,5] pad(g, v), padding=0_0x-1_0", "v = f32[] parameter(1)\n"),
                only({"gather-pad"}));
  cut.check_form("r", "all-gather{0}(pad{0,0,0,-1,0,0}(x, v))");
}

TEST_CASE("gather-reduce-dims: another dim is reduced before the gather") {
  Saturated run(
      of_gather("f32[8] reduce(g, v), dimensions={1}, to_apply=add_f32", "v = f32[] constant(2)\n"),
      only({"gather-reduce-dims"}));
  CHECK(run.holds("r", "all-gather{0}(f32[2] reduce{1}(x, v))"));
  run.check_form("r", "all-gather{0}(reduce{1}(x, v))");
}

TEST_CASE("gather-reduce-dims: the gathered dim moves up where one before it is reduced") {
  Saturated run(program("x = f32[3,2] parameter(0)\n"
                        "v = f32[] constant(0)\n"
                        "g = f32[3,8] all-gather(x), dimensions={1}" +
                        kOverAll +
                        "\n"
                        "ROOT r = f32[8] reduce(g, v), dimensions={0}, to_apply=maximum_f32\n"),
                only({"gather-reduce-dims"}));
  run.check_form("r", "all-gather{0}(reduce{0}(x, v))");
}

TEST_CASE("gather-reduce-dims: going back where the whole is gathered as well") {
  const std::string reduce = "f32[2] reduce(x, v), dimensions={1}, to_apply=add_f32";
  const std::string value = "v = f32[] constant(2)\n";
  Saturated run(gather_of(reduce, 0, "f32[8]", value, kWhole), only({"gather-reduce-dims"}));
  run.check_form("r", "reduce{1}(w, v)");
  Saturated alone(gather_of(reduce, 0, "f32[8]", value), only({"gather-reduce-dims"}));
  CHECK(alone.refusal("gather-reduce-dims/backward") == "the whole is not collected alike");
}

TEST_CASE("gather-reduce-dims: refused where the gathered dim is reduced") {
  Saturated run(
      of_gather("f32[6] reduce(g, v), dimensions={0}, to_apply=add_f32", "v = f32[] constant(0)\n"),
      only({"gather-reduce-dims"}));
  CHECK(run.refusal("gather-reduce-dims/forward") == "the gathered dim is not left whole");
}

TEST_CASE("gather-reduce-own-dim: reduced by each member, then over the group") {
  for (std::string kind : {"maximum", "minimum"}) {
    Saturated run(of_gather("f32[6] reduce(g, v), dimensions={0}, to_apply=" + kind + "_f32",
                            "v = f32[] constant(2)\n"),
                  only({"gather-reduce-own-dim"}));
    CHECK(run.groups("r", "all-reduce(reduce{0}(x, v))") == "{{0,1,2,3}}");
    run.check_form("r", "all-reduce(reduce{0}(x, v))");
  }
  Saturated sum(program("x = s32[2,6] parameter(0)\n"
                        "v = s32[] constant(0)\n"
                        "g = s32[8,6] all-gather(x), dimensions={0}" +
                        in_groups("{{3,1,0,2}}") +
                        "\n"
                        "ROOT r = s32[] reduce(g, v), dimensions={0,1}, to_apply=add_s32\n"),
                only({"gather-reduce-own-dim"}));
  sum.check_form("r", "all-reduce(reduce{0,1}(x, v))");
}

TEST_CASE("gather-reduce-own-dim: refused where the initial value would count several times") {
  Saturated run(program("x = s32[2,6] parameter(0)\n"
                        "v = s32[] constant(1)\n"
                        "g = s32[8,6] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "ROOT r = s32[6] reduce(g, v), dimensions={0}, to_apply=add_s32\n"),
                only({"gather-reduce-own-dim"}));
  CHECK(run.refusal("gather-reduce-own-dim") == "the initial value would be reduced with itself");
}

TEST_CASE("gather-reduce-own-dim: a float sum only below exact; another dim not at all") {
  const std::string sum =
      of_gather("f32[6] reduce(g, v), dimensions={0}, to_apply=add_f32", "v = f32[] constant(0)\n");
  CHECK(Saturated(sum, only({"gather-reduce-own-dim"})).refusal("gather-reduce-own-dim") ==
        "a float sum is made in another order (--numerics reassoc)");
  Saturated loose(sum, only({"gather-reduce-own-dim"}, hlo::Numerics::kReassoc));
  CHECK(loose.holds("r", "all-reduce(reduce{0}(x, v))"));
  Saturated other(
      of_gather("f32[8] reduce(g, v), dimensions={1}, to_apply=add_f32", "v = f32[] constant(0)\n"),
      only({"gather-reduce-own-dim"}));
  CHECK(other.refusal("gather-reduce-own-dim") == "the gathered dim is not reduced");
}

TEST_CASE("gather-concatenate: parts gathered alike are joined before the gather") {
  Saturated run(of_gather("f32[8,9] concatenate(g, h), dimensions={1}",
                          "y = f32[2,3] parameter(1)\n"
                          "h = f32[8,3] all-gather(y), dimensions={0}" +
                              kOverAll + "\n"),
                only({"gather-concatenate"}));
  CHECK(run.holds("r", "all-gather{0}(f32[2,9] concatenate{1}(x, y))"));
  run.check_form("r", "all-gather{0}(concatenate{1}(x, y))");
}

TEST_CASE("gather-concatenate: a uniform part joins as the block that a member would hold") {
  const std::string uniform = "u = f32[8,3] parameter(1), sharding={replicated}\n";
  Saturated run(of_gather("f32[8,9] concatenate(g, u), dimensions={1}", uniform),
                only({"gather-concatenate"}));
  run.check_form("r", "all-gather{0}(concatenate{1}(x, f32[2,3] dynamic-slice(u, _, _)))");
  Saturated splat(of_gather("f32[8,9] concatenate(g, u), dimensions={1}",
                            "z = f32[] constant(0)\nu = f32[8,3] broadcast(z), dimensions={}\n"),
                  only({"gather-concatenate"}));
  splat.check_form("r", "all-gather{0}(concatenate{1}(x, f32[2,3] broadcast(z)))");
}

TEST_CASE(
    "gather-concatenate: refused where a part differs, is gathered apart, or joins own dims") {
  const std::string reason = "an operand is neither collected alike nor the same before and after";
  Saturated own(
      of_gather("f32[8,9] concatenate(g, u), dimensions={1}", "u = f32[8,3] parameter(1)\n"),
      only({"gather-concatenate"}));
  CHECK(own.refusal("gather-concatenate/forward") == reason);
  Saturated joined(of_gather("f32[16,6] concatenate(g, g), dimensions={0}"),
                   only({"gather-concatenate"}));
  CHECK(joined.refusal("gather-concatenate/forward") ==
        "the collective's own dim is not left whole");
  Saturated none(program("x = f32[2,6] parameter(0)\n"
                         "g = f32[8,6] all-gather(x), dimensions={0}" +
                         kOverAll +
                         "\ny = f32[8,6] negate(g)\n"
                         "ROOT r = f32[8,12] concatenate(y, y), dimensions={1}\n"),
                 only({"gather-concatenate"}));
  CHECK(none.refusal("gather-concatenate/forward") == "no operand is collected");
}

TEST_CASE("gather-concatenate: going back where one part is gathered as well") {
  const std::string join = "f32[2,9] concatenate(x, y), dimensions={1}";
  const std::string other = "y = f32[2,3] parameter(1)\n";
  Saturated run(gather_of(join, 0, "f32[8,9]", other, kWhole), only({"gather-concatenate"}));
  run.check_form("r", "concatenate{1}(w, f32[8,3] all-gather{0}(y))");
  Saturated alone(gather_of(join, 0, "f32[8,9]", other), only({"gather-concatenate"}));
  CHECK(alone.refusal("gather-concatenate/backward") ==
        "no operand gains by being collected alone");
}

const std::string kIndices =
    "y = f32[2,3] parameter(1)\n"
    "h = f32[8,3] all-gather(y), dimensions={0}" +
    kOverAll + "\ni = s32[] parameter(2), sharding={replicated}\nj = s32[] parameter(3)\n";

TEST_CASE("gather-dynamic-update-slice: both ways, at a start that all members have") {
  Saturated in(of_gather("f32[8,6] dynamic-update-slice(g, h, j, i)", kIndices),
               only({"gather-dynamic-update-slice"}));
  CHECK(in.holds("r", "all-gather{0}(dynamic-update-slice(x, y, j, i))"));
  in.check_form("r", "all-gather{0}(dynamic-update-slice(x, y, j, i))");
  Saturated out(gather_of("f32[2,6] dynamic-update-slice(z, y, j, i)", 0, "f32[8,6]",
                          kIndices + "c = f32[] constant(5)\n"
                                     "z = f32[2,6] broadcast(c), dimensions={}\n"),
                only({"gather-dynamic-update-slice"}));
  out.check_form("r", "dynamic-update-slice(f32[8,6] broadcast(c), h, j, i)");
}

TEST_CASE("gather-dynamic-update-slice: refused where starts differ or the gathered dim is cut") {
  Saturated own(of_gather("f32[8,6] dynamic-update-slice(g, h, i, j)", kIndices),
                only({"gather-dynamic-update-slice"}));
  CHECK(own.refusal("gather-dynamic-update-slice/forward") ==
        "a start index differs inside a group");
  Saturated cut(of_gather("f32[8,6] dynamic-update-slice(g, u, i, i)",
                          kIndices + "c = f32[] constant(5)\n"
                                     "u = f32[4,6] broadcast(c), dimensions={}\n"),
                only({"gather-dynamic-update-slice"}));
  CHECK(cut.refusal("gather-dynamic-update-slice/forward") ==
        "the collective's own dim is not left whole");
}

}  // namespace
}  // namespace flipsat::rules::testing
