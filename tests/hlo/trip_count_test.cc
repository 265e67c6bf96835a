#include "hlo/call_graph.h"
#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

std::optional<int64_t> trips(const std::string& text) {
  Module module = parse("HloModule m\n" + text);
  return trip_count(module, find(module, "loop"));
}

// A loop whose state is an integer and an array.
std::optional<int64_t> counted(const std::string& type, int64_t start, int64_t step,
                               const std::string& compare) {
  std::string state = "(" + type + "[], f32[2])";
  std::string number = type + "[] constant(";
  return trips(
      "more { s = " + state + " parameter(0)  i = " + type +
      "[] get-tuple-element(s), index=0\n  n = " + compare + "}\nstep { s = " + state +
      " parameter(0)  i = " + type + "[] get-tuple-element(s), index=0\n  x = f32[2] " +
      "get-tuple-element(s), index=1  by = " + number + std::to_string(step) + ")  j = " + type +
      "[] add(i, by)\n  ROOT t = " + state + " tuple(j, x) }\nENTRY e { x = f32[2] " +
      "parameter(0)  z = " + number + std::to_string(start) + ")  init = " + state +
      " tuple(z, x)\n  ROOT loop = " + state + " while(init), condition=more, body=step }\n");
}

std::string against(int64_t bound, const std::string& direction, const std::string& type = "s32") {
  return type + "[] constant(" + std::to_string(bound) +
         ")  ROOT c = pred[] compare(i, n), direction=" + direction + " ";
}

// Runs the loop on plain numbers.
std::optional<int64_t> run(int64_t i, int64_t step, const std::string& direction, int64_t bound) {
  for (int64_t count = 0; count < 200; ++count) {
    bool holds = direction == "LT"   ? i < bound
                 : direction == "LE" ? i <= bound
                 : direction == "GT" ? i > bound
                 : direction == "GE" ? i >= bound
                 : direction == "EQ" ? i == bound
                                     : i != bound;
    if (!holds) return count;
    i += step;
  }
  return std::nullopt;
}

TEST_CASE("trip counts: every direction, start, step and bound, as a loop on numbers counts") {
  for (std::string direction : {"LT", "LE", "GT", "GE", "EQ", "NE"}) {
    for (int64_t start : {-3, 0, 2}) {
      for (int64_t step : {-2, -1, 0, 1, 3}) {
        for (int64_t bound : {-4, 0, 1, 2, 9}) {
          INFO(direction << " from " << start << " by " << step << " to " << bound);
          CHECK(counted("s32", start, step, against(bound, direction)) ==
                run(start, step, direction, bound));
        }
      }
    }
  }
}

TEST_CASE("trip counts: unknown where the variable would wrap before the loop ends") {
  CHECK(counted("u8", 0, 3, against(255, "LT", "u8")) == 85);
  CHECK_FALSE(counted("u8", 0, 2, against(255, "LT", "u8")));  // 254 + 2 is 0 again
  CHECK_FALSE(counted("s8", 0, 100, against(127, "LT", "s8")));
  CHECK_FALSE(counted("u32", 5, 4294967295, against(0, "NE", "u32")));
}

TEST_CASE("trip counts: the bound on the left, a negated or repeated condition") {
  CHECK(counted("s32", 0, 1, "s32[] constant(5)  ROOT c = pred[] compare(n, i), direction=GT ") ==
        5);
  CHECK(counted(
            "s32", 0, 1,
            "s32[] constant(5)  d = pred[] compare(i, n), direction=GE  ROOT c = pred[] not(d) ") ==
        5);
  CHECK(
      counted("s32", 0, 1,
              "s32[] constant(5)  m = s32[] constant(3)  a = pred[] compare(i, n), direction=LT  b "
              "= pred[] compare(i, m), direction=LT  ROOT c = pred[] and(a, b) ") == 3);
  CHECK_FALSE(counted("s32", 0, 1,
                      "s32[] constant(5)  a = pred[] compare(i, n), direction=LT  b = pred[] "
                      "compare(i, n), direction=EQ  ROOT c = pred[] or(a, b) "));
}

TEST_CASE("trip counts: through copies and value-preserving converts") {
  CHECK(counted("s8", 0, 1,
                "s32[] constant(6)  k = s8[] copy(i)  w = s32[] convert(k)  ROOT c = pred[] "
                "compare(w, n), direction=LT ") == 6);
  // Narrowed to 8 bits the counter would come round before it reaches 300.
  CHECK_FALSE(counted("s32", 0, 1,
                      "s32[] constant(300)  k = s8[] convert(i)  w = s32[] convert(k)  ROOT c = "
                      "pred[] compare(w, n), direction=LT "));
  CHECK(
      counted("s32", 0, 1,
              "s32[] constant(6)  one = s32[] constant(1)  k = s32[] add(i, one)  ROOT c = pred[] "
              "compare(k, n), direction=LE ") == 6);
}

TEST_CASE("trip counts: the annotation is believed") {
  std::string loop = R"(
more { s = s32[] parameter(0)  ROOT c = pred[] custom-call(s), custom_call_target="f" }
step { s = s32[] parameter(0)  ROOT t = s32[] negate(s) }
ENTRY e { x = s32[] parameter(0)
  ROOT loop = s32[] while(x), condition=more, body=step, backend_config=)";
  CHECK(trips(loop + "{\"known_trip_count\":{\"n\":\"12\"},\"x\":[3]} }") == 12);
  CHECK(trips(loop + "\"{\\\"known_trip_count\\\":{\\\"n\\\":\\\"7\\\"}}\" }") == 7);
  CHECK_FALSE(trips(loop + "{\"other\":\"12\"} }"));
}

TEST_CASE("trip counts: a state that is no tuple") {
  CHECK(trips(R"(
more { i = s32[] parameter(0)  n = s32[] constant(4)  ROOT c = pred[] compare(i, n), direction=LT }
step { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT j = s32[] add(one, i) }
ENTRY e { z = s32[] constant(0)  ROOT loop = s32[] while(z), condition=more, body=step })") == 4);
}

TEST_CASE("trip counts: the bound comes in with the state, the counter steps in a called body") {
  CHECK(trips(R"(
less { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = pred[] compare(a, b), direction=LT }
more {
  s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=1
  n = s32[] get-tuple-element(s), index=0
  ROOT c = pred[] fusion(i, n), kind=kLoop, calls=less
}
next { i = s32[] parameter(0)  two = s32[] constant(2)  ROOT j = s32[] add(i, two) }
step {
  s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=1
  n = s32[] get-tuple-element(s), index=0  m = s32[] copy(n)
  j = s32[] call(i), to_apply=next  ROOT t = (s32[], s32[]) tuple(m, j)
}
inner {
  limit = s32[] parameter(0)  zero = s32[] constant(0)
  init = (s32[], s32[]) tuple(limit, zero)
  ROOT loop = (s32[], s32[]) while(init), condition=more, body=step
}
ENTRY e { n = s32[] constant(10)  ROOT r = (s32[], s32[]) call(n), to_apply=inner })") == 5);
}

TEST_CASE("trip counts: a bound that an outer loop passes on unchanged, and one that it changes") {
  auto nested = [](const std::string& handed_on) {
    return R"(
less { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1  ROOT c = pred[] compare(i, n), direction=LT }
step { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  ROOT t = (s32[], s32[]) tuple(j, n) }
outer_less { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)  ROOT c = pred[] compare(i, n), direction=LT }
outer_step { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  zero = s32[] constant(0)  init = (s32[], s32[]) tuple(zero, n)
  loop = (s32[], s32[]) while(init), condition=less, body=step
  k = s32[] add(n, one)  ROOT t = (s32[], s32[]) tuple(j, )" +
           handed_on + R"() }
ENTRY e { z = s32[] constant(0)  n = s32[] constant(8)  init = (s32[], s32[]) tuple(z, n)
  ROOT r = (s32[], s32[]) while(init), condition=outer_less, body=outer_step })";
  };
  CHECK(trips(nested("n")) == 8);
  CHECK_FALSE(trips(nested("k")));
}

TEST_CASE("trip counts: sums of sums of sums cost no exponential time") {
  std::string text = "more { i = s32[] parameter(0)\n  c0 = s32[] constant(0)\n";
  for (int k = 1; k <= 150; ++k) {
    std::string before = "c" + std::to_string(k - 1);
    text += "  c" + std::to_string(k) + " = s32[] add(" + before + ", " + before + ")\n";
  }
  text += R"(  ROOT c = pred[] compare(i, c150), direction=LT }
step { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT j = s32[] add(i, one) }
ENTRY e { z = s32[] constant(0)  ROOT loop = s32[] while(z), condition=more, body=step })";
  CHECK_FALSE(trips(text));
}

}  // namespace
}  // namespace flipsat::hlo
