// What stands between a collective and its partner and says nothing; and what says something.
#include <array>

#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

// from -> middle -> to, next to a gather so that it comes in as algebra.
Saturated converted(const std::string& from, const std::string& middle, const std::string& to) {
  return Saturated(program("x = " + from +
                           "[3] parameter(0)\n"
                           "m = " +
                           middle +
                           "[3] convert(x)\n"
                           "r = " +
                           to +
                           "[3] convert(m)\n"
                           "ROOT g = " +
                           to + "[12] all-gather(r), dimensions={0}" + kOverAll + "\n"),
                   only({"convert-convert"}));
}

TEST_CASE("convert-convert: a middle that keeps every value says nothing") {
  const std::vector<std::array<std::string, 3>> chains = {
      {"bf16", "f32", "f16"}, {"s8", "s32", "u8"},     {"u8", "f32", "bf16"},
      {"s16", "f32", "s32"},  {"pred", "s32", "f32"},  {"f8e4m3fn", "bf16", "f32"},
      {"s8", "f16", "s8"},    {"bf16", "f64", "s32"},  {"f16", "f32", "pred"},
      {"u16", "s32", "u32"},  {"f8e5m2", "f16", "s8"},
  };
  for (const auto& [from, middle, to] : chains) {
    INFO(from << " " << middle << " " << to);
    Saturated run = converted(from, middle, to);
    if (from == to) {
      CHECK(run.same_class("r", "x"));
      run.check_form("r", "x");
      continue;
    }
    run.check_form("r", to + "[3] convert(x)");
  }
}

TEST_CASE("convert-convert: a middle that loses values is kept") {
  const std::vector<std::array<std::string, 3>> chains = {
      {"s32", "f32", "s32"},  // not every s32 is a float
      {"f32", "bf16", "f32"},
      {"f32", "s32", "f32"},
      {"s32", "s8", "s32"},
      {"s8", "u8", "s32"},
      {"f16", "bf16", "f16"},
      {"s32", "pred", "s32"},
      {"s32", "f64", "s8"},  // every value is kept, but a float saturates where an integer
                             // wraps
      {"u32", "f64", "s32"},
      {"s16", "f32", "u8"},
  };
  for (const auto& [from, middle, to] : chains) {
    INFO(from << " " << middle << " " << to);
    Saturated run = converted(from, middle, to);
    CHECK(run.refused("convert-convert/chain").count("the middle type does not keep every value") ==
          1);
    CHECK_FALSE(run.same_class("r", "x"));
    CHECK_FALSE(run.holds("r", "convert(x)"));
  }
}

TEST_CASE("convert-convert: a convert to its own type is its operand") {
  Saturated run(program("x = f32[3] parameter(0)\n"
                        "c = f32[3] convert(x)\n"
                        "ROOT g = f32[12] all-gather(c), dimensions={0}" +
                        kOverAll + "\n"),
                only({"convert-convert"}));
  run.check_form("c", "x");
  Saturated other = converted("f32", "bf16", "f16");
  CHECK(other.refused("convert-convert/identity").count("the type changes") == 1);
}

TEST_CASE("reshape-reshape: a chain is its last link, and back to the start is nothing") {
  Saturated run(program("x = f32[4,6] parameter(0)\n"
                        "g = f32[16,6] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "a = f32[96] reshape(g)\n"
                        "b = f32[8,12] reshape(a)\n"
                        "c = f32[16,6] reshape(b)\n"
                        "ROOT t = (f32[8,12], f32[16,6]) tuple(b, c)\n"),
                only({"reshape-reshape"}));
  run.check_form("b", "reshape(g)");
  CHECK(run.same_class("c", "g"));
  CHECK(run.refused("reshape-reshape/identity").count("the dims change") == 1);
}

TEST_CASE("transpose-transpose: permutations are composed in the right order") {
  Saturated run(program("x = f32[2,3,5] parameter(0)\n"
                        "a = f32[3,5,2] transpose(x), dimensions={1,2,0}\n"
                        "b = f32[5,3,2] transpose(a), dimensions={1,0,2}\n"
                        "ROOT g = f32[20,3,2] all-gather(b), dimensions={0}" +
                        kOverAll + "\n"),
                only({"transpose-transpose"}));
  run.check_form("b", "transpose{2,1,0}(x)");
  CHECK(run.refused("transpose-transpose/identity").count("dims are exchanged") == 1);
}

TEST_CASE("transpose-transpose: there and back is nothing") {
  Saturated run(program("x = f32[2,3,5] parameter(0)\n"
                        "a = f32[3,5,2] transpose(x), dimensions={1,2,0}\n"
                        "b = f32[2,3,5] transpose(a), dimensions={2,0,1}\n"
                        "ROOT g = f32[8,3,5] all-gather(b), dimensions={0}" +
                        kOverAll + "\n"),
                only({"transpose-transpose"}));
  run.check_form("b", "x");
}

TEST_CASE("tuple-element: an element of a tuple is what was put there") {
  Saturated run(program("x = f32[3] parameter(0)\n"
                        "y = f32[3] parameter(1)\n"
                        "g = f32[12] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "h = f32[12] all-gather(y), dimensions={0}" +
                        in_groups("{{0,1,2,3}}", 2) +
                        "\n"
                        "t = (f32[12], f32[12]) tuple(g, h)\n"
                        "e = f32[12] get-tuple-element(t), index=1\n"
                        "ROOT r = f32[12] negate(e)\n"),
                only({"tuple-element"}));
  CHECK_FALSE(run.same_class("e", "g"));
  run.check_form("e", "h");
}

// r = `movement` of g, a gathered f32[8,6].
Saturated seen_through(const std::string& movement, const std::string& rule) {
  return Saturated(program("x = f32[2,6] parameter(0)\n"
                           "v = f32[] constant(0)\n"
                           "g = f32[8,6] all-gather(x), dimensions={0}" +
                           kOverAll + "\n" + movement + "\n"),
                   only({rule}));
}

TEST_CASE("slice-slice: a slice of a slice is one, a slice of all is nothing") {
  Saturated chain = seen_through(
      "m = f32[8,3] slice(g), slice={[0:8],[1:6:2]}\n"
      "ROOT r = f32[3,2] slice(m), slice={[2:8:2],[1:3]}",
      "slice-slice");
  chain.check_form("r", "slice{2,8,2,3,6,2}(g)");
  Saturated whole = seen_through("ROOT r = f32[8,6] slice(g), slice={[0:8],[0:6]}", "slice-slice");
  CHECK(whole.same_class("r", "g"));
  // A slice that is its operand, with a stride: saturation must end.
  Saturated strided = seen_through(
      "m = f32[1,6] slice(g), slice={[3:4],[0:6]}\n"
      "ROOT r = f32[1,6] slice(m), slice={[0:1:2],[0:6]}",
      "slice-slice");
  CHECK(strided.same_class("r", "m"));
  Saturated cut = seen_through("ROOT r = f32[8,5] slice(g), slice={[0:8],[0:5]}", "slice-slice");
  CHECK(cut.refusal("slice-slice/identity") == "a dim is cut");
}

TEST_CASE("broadcast-broadcast: dims go where both put them; to its own dims it is nothing") {
  Saturated chain = seen_through(
      "m = f32[6,3,8] broadcast(g), dimensions={2,0}\n"
      "ROOT r = f32[8,6,2,3] broadcast(m), dimensions={1,3,0}",
      "broadcast-broadcast");
  chain.check_form("r", "broadcast{0,1}(g)");
  Saturated same =
      seen_through("ROOT r = f32[8,6] broadcast(g), dimensions={0,1}", "broadcast-broadcast");
  CHECK(same.same_class("r", "g"));
  Saturated turned =
      seen_through("ROOT r = f32[6,8] broadcast(g), dimensions={1,0}", "broadcast-broadcast");
  CHECK(turned.refusal("broadcast-broadcast/identity") == "the dims change");
}

TEST_CASE("reverse-reverse: twice is not at all") {
  Saturated chain = seen_through(
      "m = f32[8,6] reverse(g), dimensions={0,1}\n"
      "ROOT r = f32[8,6] reverse(m), dimensions={1}",
      "reverse-reverse");
  chain.check_form("r", "reverse{0}(g)");
  CHECK(chain.refusal("reverse-reverse/identity") == "a dim is reversed");
  Saturated twice = seen_through(
      "m = f32[8,6] reverse(g), dimensions={0,1}\n"
      "ROOT r = f32[8,6] reverse(m), dimensions={1,0}",
      "reverse-reverse");
  CHECK(twice.same_class("r", "g"));
}

TEST_CASE("pad-nothing: no padding is nothing") {
  Saturated none = seen_through("ROOT r = f32[8,6] pad(g, v), padding=0_0x0_0", "pad-nothing");
  CHECK(none.same_class("r", "g"));
  Saturated moved = seen_through("ROOT r = f32[8,6] pad(g, v), padding=0_0x-1_1", "pad-nothing");
  CHECK(moved.refusal("pad-nothing") == "a dim is padded or cut");
}

TEST_CASE("a copy says nothing; an optimization barrier says that nothing may cross") {
  Saturated copied(
      program("x = f32[3,2]{1,0} parameter(0)\n"
              "g = f32[12,2]{1,0} all-gather(x), dimensions={0}" +
              kOverAll +
              "\n"
              "c = f32[12,2]{0,1} copy(g)\n"
              "ROOT r = bf16[12,2]{0,1} convert(c)\n"));
  CHECK(copied.same_class("c", "g"));
  copied.check_form("r", "all-gather{0}(convert(x))");

  Saturated barred(
      program("x = f32[3,2] parameter(0)\n"
              "g = f32[12,2] all-gather(x), dimensions={0}" +
              kOverAll +
              "\n"
              "b = f32[12,2] opt-barrier(g)\n"
              "ROOT r = bf16[12,2] convert(b)\n"));
  CHECK_FALSE(barred.same_class("b", "g"));
  CHECK_FALSE(barred.holds("r", "all-gather{0}(_)"));
}

TEST_CASE("collective-of-one: groups of one move nothing") {
  const std::string alone = in_groups("{{0},{1},{2},{3}}");
  Saturated run(program("x = f32[4] parameter(0)\n"
                        "g = f32[4] all-gather(x), dimensions={0}" +
                        alone +
                        "\n"
                        "s = f32[4] all-reduce(g), to_apply=add_f32" +
                        alone +
                        "\n"
                        "q = f32[4] reduce-scatter(s), to_apply=add_f32, dimensions={0}" +
                        alone +
                        "\n"
                        "ROOT r = f32[4] negate(q)\n"),
                only({"collective-of-one"}));
  run.check_form("q", "x");
}

TEST_CASE("collective-of-one: refused for groups of several") {
  Saturated run(program("x = f32[4] parameter(0)\n"
                        "g = f32[8] all-gather(x), dimensions={0}" +
                        in_groups("{{0,1},{2,3}}") +
                        "\n"
                        "s = f32[8] all-reduce(g), to_apply=add_f32" +
                        kOverAll +
                        "\n"
                        "ROOT r = f32[2] reduce-scatter(s), to_apply=add_f32, dimensions={0}" +
                        kOverAll + "\n"),
                only({"collective-of-one"}));
  CHECK(run.refused("collective-of-one") ==
        std::map<std::string, uint64_t>{{"the groups have several members", 3}});
}

}  // namespace
}  // namespace flipsat::rules::testing
