// convert(AG(x)) = AG(convert(x))
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

TEST_CASE("gather-convert: a convert after a gather may stand before it") {
  Saturated run(program("x = f32[3,8] parameter(0)\n"
                        "g = f32[12,8] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "ROOT r = bf16[12,8] convert(g)\n"),
                only({"gather-convert"}));
  CHECK(run.holds("r", "bf16[12,8] all-gather{0}(bf16[3,8] convert(x))"));
  run.check_form("r", "all-gather{0}(convert(x))");
}

TEST_CASE("gather-convert: a convert before a gather may stand after it") {
  Saturated run(program("x = f8e4m3fn[2,6] parameter(0)\n"
                        "c = bf16[2,6] convert(x)\n"
                        "ROOT r = bf16[2,24] all-gather(c), dimensions={1}" +
                        kOverAll + "\n"),
                only({"gather-convert"}));
  CHECK(run.holds("r", "convert(f8e4m3fn[2,24] all-gather{1}(x))"));
  run.check_form("r", "convert(all-gather{1}(x))");
}

TEST_CASE("gather-convert: narrowing, saturating and rounding converts pass alike") {
  for (std::string types : {"f32 s8", "s32 f16", "f32 f8e4m3fn", "f32 pred", "u8 s16"}) {
    std::string from = types.substr(0, types.find(' ')), to = types.substr(types.find(' ') + 1);
    INFO(types);
    Saturated run(program("x = " + from +
                          "[5] parameter(0)\n"
                          "g = " +
                          from + "[20] all-gather(x), dimensions={0}" + kOverAll +
                          "\n"
                          "ROOT r = " +
                          to + "[20] convert(g)\n"),
                  only({"gather-convert"}));
    run.check_form("r", "all-gather{0}(convert(x))");
  }
}

TEST_CASE("gather-convert: packed elements stay packed on the way in and out") {
  Saturated in(program("x = s8[4,8]{1,0} parameter(0)\n"
                       "g = s8[16,8]{1,0} all-gather(x), dimensions={0}" +
                       kOverAll +
                       "\n"
                       "ROOT r = s4[16,8]{1,0:E(4)} convert(g)\n"),
               only({"gather-convert"}));
  std::string text = in.with_form("r", "all-gather{0}(convert(x))");
  CHECK(text.find("s4[4,8]{1,0:E(4)} convert(") != std::string::npos);
  CHECK(text.find("s4[16,8]{1,0:E(4)} all-gather(") != std::string::npos);
  in.check_form("r", "all-gather{0}(convert(x))");

  Saturated out(program("x = u4[4,8]{1,0:E(4)} parameter(0)\n"
                        "c = s32[4,8]{1,0} convert(x)\n"
                        "ROOT r = s32[16,8]{1,0} all-gather(c), dimensions={0}" +
                        kOverAll + "\n"),
                only({"gather-convert"}));
  text = out.with_form("r", "convert(all-gather{0}(x))");
  CHECK(text.find("u4[16,8]{1,0:E(4)} all-gather(") != std::string::npos);
  out.check_form("r", "convert(all-gather{0}(x))");
}

TEST_CASE("gather-convert: packed and unpacked values of one type are not one value") {
  Saturated run(program("x = s8[4]{0} parameter(0)\n"
                        "g = s8[16]{0} all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "p = s4[16]{0:E(4)} convert(g)\n"
                        "u = s4[16]{0} convert(g)\n"
                        "ROOT t = (s4[16]{0:E(4)}, s4[16]{0}) tuple(p, u)\n"),
                only({"gather-convert"}));
  CHECK_FALSE(run.same_class("p", "u"));
  CHECK(run.holds("p", "all-gather{0}(convert(x))"));
  CHECK(run.holds("u", "all-gather{0}(convert(x))"));
  CHECK(run.find("p", "all-gather{0}(convert(x))") != run.find("u", "all-gather{0}(convert(x))"));
}

TEST_CASE("gather-convert: of a gather of several, each operand is converted by itself") {
  Saturated run(program("x = f32[3,8] parameter(0)\n"
                        "y = f32[3,8] parameter(1)\n"
                        "g = (f32[12,8], f32[12,8]) all-gather(x, y), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "e = f32[12,8] get-tuple-element(g), index=1\n"
                        "ROOT r = bf16[12,8] convert(e)\n"),
                only({"gather-convert"}));
  run.check_form("r", "all-gather{0}(convert(y))");
}

TEST_CASE("gather-convert: a collective that comes in as opaque is passed by nothing") {
  Saturated run(program("x = f32[3,8] parameter(0)\n"
                        "g = f32[12,8] all-gather(x), dimensions={0}, constrain_layout=true" +
                        kOverAll +
                        "\n"
                        "ROOT r = bf16[12,8] convert(g)\n"),
                only({"gather-convert"}));
  CHECK_FALSE(run.holds("r", "all-gather{0}(_)"));
}

}  // namespace
}  // namespace flipsat::rules::testing
