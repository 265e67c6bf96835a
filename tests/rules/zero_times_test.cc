#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

// A token: an element of a gather, times zero, added to what is gathered next. T is the type.
std::string threaded(const std::string& type, const std::string& zero = "0") {
  std::string lines =
      "x = T[3,2] parameter(0)\n"
      "y = T[3,5] parameter(1)\n"
      "g = T[12,2] all-gather(x), dimensions={0}" +
      kOverAll +
      "\n"
      "one = T[1,1] slice(g), slice={[0:1],[0:1]}\n"
      "element = T[] reshape(one)\n"
      "zero = T[] constant(" +
      zero +
      ")\n"
      "token = T[] multiply(element, zero)\n"
      "all = T[3,5] broadcast(token), dimensions={}\n"
      "next = T[3,5] add(y, all)\n"
      "h = T[12,5] all-gather(next), dimensions={0}" +
      kOverAll +
      "\n"
      "ROOT r = (T[12,2], T[12,5]) tuple(g, h)\n";
  for (size_t at = 0; (at = lines.find("T[", at)) != std::string::npos; at += type.size()) {
    lines.replace(at, 1, type);
  }
  return program(lines);
}

// Lines about g, a gather, and zeros of its shape.
std::string gathered(const std::string& lines) {
  return program(
      "x = f32[4] parameter(0)\n"
      "g = f32[16] all-gather(x), dimensions={0}" +
      kOverAll +
      "\n"
      "zero = f32[] constant(0)\n"
      "zeros = f32[16] broadcast(zero), dimensions={}\n" +
      lines);
}

Setup finite() {
  Setup setup = only({"zero-times"});
  setup.rules.assume_finite = true;
  return setup;
}

TEST_CASE("zero-times: under --assume-finite a token is nothing") {
  for (const std::string type : {"f32", "bf16", "f8e4m3fn", "f64", "s32", "u8"}) {
    INFO(type);
    Saturated run(threaded(type), finite());
    CHECK(run.same_class("token", "zero"));
    CHECK(run.same_class("next", "y"));
    run.check_form("token", "zero");
    run.check_form("next", "y");
  }
}

TEST_CASE("zero-times: without it the rule is not there") {
  for (const std::string type : {"f32", "s32"}) {
    INFO(type);
    Setup all;
    all.rules.numerics = hlo::Numerics::kReassoc;
    Saturated run(threaded(type), all);
    CHECK_FALSE(run.same_class("token", "zero"));
    CHECK_FALSE(run.same_class("next", "y"));
    CHECK_THROWS(run.refused("zero-times"));
  }
}

TEST_CASE("zero-times: tokens threaded through tokens") {
  Saturated run(gathered("a = f32[1] slice(g), slice={[0:1]}\n"
                         "ra = f32[] reshape(a)\n"
                         "first = f32[] multiply(zero, ra)\n"
                         "b = f32[1] slice(g), slice={[1:2]}\n"
                         "rb = f32[] reshape(b)\n"
                         "second = f32[] multiply(first, rb)\n"
                         "narrow = bf16[] convert(second)\n"
                         "wide = f32[] convert(narrow)\n"
                         "all = f32[16] broadcast(wide), dimensions={}\n"
                         "ROOT r = f32[16] add(all, g)\n"),
                finite());
  CHECK(run.same_class("second", "zero"));
  CHECK(run.same_class("r", "g"));
  run.check_form("second", "zero");
  run.check_form("r", "g");
}

TEST_CASE("zero-times: what moving and converting make of a zero") {
  Saturated run(gathered("integer = s8[] constant(0)\n"
                         "float = f32[] convert(integer)\n"
                         "floats = f32[16] broadcast(float), dimensions={}\n"
                         "p = f32[16] multiply(floats, g)\n"
                         "q = f32[16] add(g, floats)\n"
                         "grid = f32[2,8] broadcast(zero), dimensions={}\n"
                         "turned = f32[8,2] transpose(grid), dimensions={1,0}\n"
                         "flat = f32[16] reshape(turned)\n"
                         "s = f32[16] add(flat, q)\n"
                         "t = f32[16] multiply(g, flat)\n"
                         "ROOT r = (f32[16], f32[16], f32[16]) tuple(p, s, t)\n"),
                finite());
  run.check_form("p", "broadcast{}(zero)");
  run.check_form("t", "broadcast{}(zero)");
  run.check_form("q", "g");
  run.check_form("s", "g");
}

TEST_CASE("zero-times: refused for what is no zero") {
  Saturated one(threaded("f32", "1"), finite());
  CHECK_FALSE(one.same_class("token", "zero"));
  CHECK(one.refused("zero-times/sum").count("no operand is zero"));
  CHECK(one.refused("zero-times/product").count("no operand is zero"));
  Saturated negative(threaded("f32", "-0"), finite());
  CHECK_FALSE(negative.same_class("token", "zero"));
  // Its smallest value is all bits off.
  Saturated without(gathered("none = f8e8m0fnu[] convert(zero)\n"
                             "again = f32[] convert(none)\n"
                             "all = f32[16] broadcast(again), dimensions={}\n"
                             "ROOT r = f32[16] add(g, all)\n"),
                    finite());
  CHECK_FALSE(without.same_class("r", "g"));
}

TEST_CASE("zero-times: refused for other operations and other types") {
  Saturated run(gathered("d = f32[16] subtract(zeros, g)\n"
                         "q = f32[16] divide(zeros, g)\n"
                         "m = f32[16] maximum(zeros, g)\n"
                         "ROOT r = (f32[16], f32[16], f32[16]) tuple(d, q, m)\n"),
                finite());
  for (const char* name : {"d", "q", "m"}) {
    CHECK_FALSE(run.same_class(name, "g"));
    CHECK_FALSE(run.same_class(name, "zeros"));
  }
  CHECK(run.refusal("zero-times/product") == "another operation");
  Saturated complex(threaded("c64", "(0, 0)"), finite());
  CHECK_FALSE(complex.same_class("token", "zero"));
  CHECK(complex.refused("zero-times/product").count("neither floats nor integers"));
  Saturated truth(threaded("pred", "false"), finite());
  CHECK_FALSE(truth.same_class("token", "zero"));
  CHECK(truth.refused("zero-times/product").count("neither floats nor integers"));
}

TEST_CASE("zero-times: refused where the program itself is not finite") {
  for (const std::string value : {"inf", "-inf", "nan"}) {
    INFO(value);
    Saturated run(gathered("c = f32[] constant(" + value +
                           ")\n"
                           "f = f32[16] broadcast(c), dimensions={}\n"
                           "p = f32[16] multiply(f, zeros)\n"
                           "ROOT r = f32[16] add(g, p)\n"),
                  finite());
    CHECK_FALSE(run.same_class("p", "zeros"));
    CHECK(run.refused("zero-times/product").count("the other operand is not finite"));
  }
}

TEST_CASE("zero-times: zeros of both signs are one") {
  Saturated run(gathered("negative = f32[] constant(-0)\n"
                         "minus = f32[16] broadcast(negative), dimensions={}\n"
                         "s = f32[16] add(minus, zeros)\n"
                         "p = f32[16] multiply(zeros, minus)\n"
                         "t = f32[16] add(g, s)\n"
                         "ROOT r = f32[16] add(t, p)\n"),
                finite());
  run.check_form("s", "minus");
  run.check_form("p", "zeros");
  run.check_form("r", "t");
}

}  // namespace
}  // namespace flipsat::rules::testing
