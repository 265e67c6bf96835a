#include "hlo/device_values.h"

#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

const DeviceCounts kFour{1, 4, true, "given"};

struct Answer {
  std::optional<std::vector<int64_t>> values;
  std::string why;
};

Answer ask(const std::string& text, const std::string& name = "r",
           const DeviceCounts& counts = kFour) {
  Module module = parse("HloModule m\n" + text);
  CallGraph calls(module);
  DeviceValues values(module, counts, calls);
  Answer answer;
  answer.values = values.scalar(id_of(module, name));
  answer.why = values.why_unknown();
  return answer;
}

// Instructions after `p = u32[] partition-id()`, the last named r.
std::optional<std::vector<int64_t>> entry(const std::string& lines,
                                          const DeviceCounts& counts = kFour) {
  return ask("ENTRY e {\n  p = u32[] partition-id()\n" + lines + "\n}", "r", counts).values;
}

using Values = std::vector<int64_t>;

TEST_CASE("device values: ids by replica and partition") {
  DeviceCounts counts{2, 3, true, "given"};
  CHECK(entry("  ROOT r = u32[] copy(p)", counts) == Values{0, 1, 2, 0, 1, 2});
  CHECK(entry("  ROOT r = u32[] replica-id()", counts) == Values{0, 0, 0, 1, 1, 1});
}

TEST_CASE("device values: arithmetic on partition-id") {
  CHECK(entry("c = u32[] constant(8)  ROOT r = u32[] multiply(p, c)") == Values{0, 8, 16, 24});
  CHECK(entry("c = u32[] constant(1)  ROOT r = u32[] subtract(p, c)") ==
        Values{4294967295, 0, 1, 2});
  CHECK(entry("c = u32[] constant(2)  d = u32[] divide(p, c)  k = u32[] constant(3)  x = u32[] "
              "multiply(d, k)  ROOT r = s64[] convert(x)") == Values{0, 0, 3, 3});
  CHECK(entry("c = u32[] constant(3)  x = u32[] add(p, c)  m = u32[] constant(4)  ROOT r = u32[] "
              "remainder(x, m)") == Values{3, 0, 1, 2});
  CHECK(entry("s = s32[] convert(p)  n = s32[] negate(s)  ROOT r = u8[] convert(n)") ==
        Values{0, 255, 254, 253});
}

TEST_CASE("device values: compare, select and clamp") {
  CHECK(entry("c = u32[] constant(2)  b = pred[] compare(p, c), direction=GE  ROOT r = s32[] "
              "convert(b)") == Values{0, 0, 1, 1});
  CHECK(entry("c = u32[] constant(2)  b = pred[] compare(p, c), direction=LT  z = u32[] constant(9)"
              "  ROOT r = u32[] select(b, p, z)") == Values{0, 1, 9, 9});
  CHECK(entry("a = u32[] constant(1)  b = u32[] constant(2)  ROOT r = u32[] clamp(a, p, b)") ==
        Values{1, 1, 2, 2});
}

TEST_CASE("device values: nothing where HLO leaves the result open") {
  CHECK_FALSE(entry("c = u32[] constant(1)  ROOT r = u32[] divide(c, p)"));
}

TEST_CASE("device values: a table, a table of tables, a start that is clamped") {
  std::string row =
      "t = s32[4] constant({30, 10, 0, 20})  d = s32[1] dynamic-slice(t, p), "
      "dynamic_slice_sizes={1}  ";
  CHECK(entry(row + "ROOT r = s32[] reshape(d)") == Values{30, 10, 0, 20});
  CHECK(entry(row + "i = s32[] reshape(d)  ten = s32[] constant(10)  k = s32[] divide(i, ten)  "
                    "u = s32[4] constant({5, 6, 7, 8})  f = s32[1] dynamic-slice(u, k), "
                    "dynamic_slice_sizes={1}  ROOT r = s32[] reshape(f)") == Values{8, 6, 5, 7});
  CHECK(entry("t = s32[3] constant({7, 8, 9})  d = s32[1] dynamic-slice(t, p), "
              "dynamic_slice_sizes={1}  ROOT r = s32[] reshape(d)") == Values{7, 8, 9, 9});
  CHECK(
      entry("one = s32[] constant(1)  s = s32[] convert(p)  n = s32[] subtract(s, one)  t = "
            "s32[4,2] constant({{1,2},{3,4},{5,6},{7,8}})  d = s32[1,1] dynamic-slice(t, n, one), "
            "dynamic_slice_sizes={1,1}  ROOT r = s32[] reshape(d)") == Values{2, 2, 4, 6});
}

TEST_CASE("device values: a u64 start past the signed range is clamped to the end") {
  CHECK(
      entry("t = s32[3] constant({7, 8, 9})  k = u64[] constant(18446744073709551615)  d = s32[1] "
            "dynamic-slice(t, k), dynamic_slice_sizes={1}  ROOT r = s32[] reshape(d)") ==
      Values{9, 9, 9, 9});
}

TEST_CASE("device values: tables that are computed") {
  CHECK(
      entry("i = s32[4] iota(), iota_dimension=0  k = s32[] constant(5)  b = s32[4] broadcast(k), "
            "dimensions={}  m = s32[4] multiply(i, b)  v = s32[4] reverse(m), dimensions={0}  "
            "d = s32[1] dynamic-slice(v, p), dynamic_slice_sizes={1}  ROOT r = s32[] reshape(d)") ==
      Values{15, 10, 5, 0});
  CHECK(entry("i = s32[2,2] iota(), iota_dimension=1  t = s32[2,2] transpose(i), dimensions={1,0}  "
              "f = s32[4] reshape(t)  g = s32[2] slice(f), slice={[0:4:2]}  h = s32[4] "
              "concatenate(g, g), dimensions={0}  d = s32[1] dynamic-slice(h, p), "
              "dynamic_slice_sizes={1}  ROOT r = s32[] reshape(d)") == Values{0, 1, 0, 1});
}

TEST_CASE("device values: an elided table is named with the flag that prints it") {
  Answer answer = ask(R"(ENTRY e {
  p = u32[] partition-id()
  offsets = s32[4] constant({...})
  d = s32[1] dynamic-slice(offsets, p), dynamic_slice_sizes={1}
  ROOT r = s32[] reshape(d)
})");
  CHECK_FALSE(answer.values);
  CHECK(answer.why == "the table %offsets is elided; dump with --xla_dump_large_constants");
}

TEST_CASE("device values: parameters and changing loop state are unknown, for no special reason") {
  Answer answer = ask("ENTRY e { q = u32[] parameter(0)  ROOT r = u32[] negate(q) }");
  CHECK_FALSE(answer.values);
  CHECK(answer.why.empty());
  CHECK_FALSE(ask(R"(
more { s = s32[] parameter(0)  n = s32[] constant(3)  ROOT c = pred[] compare(s, n), direction=LT }
step { s = s32[] parameter(0)  one = s32[] constant(1)  ROOT r = s32[] add(s, one) }
ENTRY e { z = s32[] constant(0)  ROOT w = s32[] while(z), condition=more, body=step })")
                  .values);
}

TEST_CASE("device values: no partition-id without a number of devices") {
  DeviceCounts unknown;
  unknown.known = false;
  CHECK_FALSE(entry("ROOT r = u32[] copy(p)", unknown));
}

TEST_CASE("device values: through calls and tuples, where all callers agree") {
  auto called = [](const std::string& second) {
    return ask(R"(
twice { x = u32[] parameter(0)  r = u32[] add(x, x)  ROOT t = (u32[], u32[]) tuple(x, r) }
ENTRY e {
  p = u32[] partition-id()  q = u32[] partition-id()  c = u32[] constant(1)
  a = (u32[], u32[]) call(p), to_apply=twice
  b = (u32[], u32[]) call()" +
                   second + R"(), to_apply=twice
  ROOT out = u32[] get-tuple-element(a), index=1
})",
               "out")
        .values;
  };
  CHECK(called("q") == Values{0, 2, 4, 6});
  CHECK_FALSE(called("c"));
}

TEST_CASE("device values: an element that a loop passes on unchanged is what it started as") {
  CHECK(ask(R"(
more { s = (s32[], u32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)  ROOT c = pred[] compare(i, n), direction=LT }
step { s = (s32[], u32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  r = u32[] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  ROOT t = (s32[], u32[]) tuple(j, r) }
ENTRY e { p = u32[] partition-id()  z = s32[] constant(0)  init = (s32[], u32[]) tuple(z, p)
  ROOT w = (s32[], u32[]) while(init), condition=more, body=step })")
            .values == Values{0, 1, 2, 3});
}

TEST_CASE(
    "device values: a callee whose argument is its own earlier result is unknown, not endless") {
  CHECK_FALSE(ask(R"(
next { x = u32[] parameter(0)  one = u32[] constant(1)  ROOT y = u32[] add(x, one) }
ENTRY e { p = u32[] partition-id()  a = u32[] call(p), to_apply=next
  ROOT r = u32[] call(a), to_apply=next })")
                  .values);
}

TEST_CASE("device values: operands that wait for each other's siblings are not taken for cycles") {
  CHECK(entry("a = u32[] add(p, p)  b = u32[] add(a, p)  c = u32[] add(b, a)  ROOT r = u32[] "
              "subtract(a, c)") == Values{0, 4294967293, 4294967290, 4294967287});
}

TEST_CASE("device values: elements that a loop swaps are not unchanged") {
  CHECK_FALSE(ask(R"(
more { s = (u32[], u32[]) parameter(0)  i = u32[] get-tuple-element(s), index=0
  n = u32[] constant(3)  ROOT c = pred[] compare(i, n), direction=LT }
step { s = (u32[], u32[]) parameter(0)  i = u32[] get-tuple-element(s), index=0
  r = u32[] get-tuple-element(s), index=1  ROOT t = (u32[], u32[]) tuple(r, i) }
ENTRY e { p = u32[] partition-id()  z = u32[] constant(0)  init = (u32[], u32[]) tuple(z, p)
  ROOT w = (u32[], u32[]) while(init), condition=more, body=step })")
                  .values);
}

TEST_CASE("device values: long chains need no deep recursion") {
  std::string lines = "  x0 = u32[] copy(p)\n";
  for (int k = 1; k <= 100000; ++k) {
    lines += "  x" + std::to_string(k) + " = u32[] copy(x" + std::to_string(k - 1) + ")\n";
  }
  CHECK(entry(lines + "  ROOT r = u32[] copy(x100000)") == Values{0, 1, 2, 3});
}

TEST_CASE("device values: whole small arrays") {
  Module module = parse(R"(HloModule m
ENTRY e { p = u32[] partition-id()  t = s32[4,2] constant({{1,2},{3,4},{5,6},{7,8}})
  z = u32[] constant(0)  ROOT r = s32[1,2] dynamic-slice(t, p, z), dynamic_slice_sizes={1,2} })");
  CallGraph calls(module);
  DeviceValues values(module, kFour, calls);
  CHECK(values.array(id_of(module, "r")) == std::vector<Values>{{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  CHECK(values.array(id_of(module, "t")) == std::vector<Values>{{1, 2, 3, 4, 5, 6, 7, 8}});
  CHECK_FALSE(values.scalar(id_of(module, "r")));
}

}  // namespace
}  // namespace flipsat::hlo
