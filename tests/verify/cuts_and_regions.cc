// What is proved and what is taken as given: cuts, loops, calls, opaque instructions, foreign
// names.
#include "tests/catch.h"
#include "tests/verify/programs.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;

TEST_CASE("a module is the same as itself, whatever is in it") {
  auto module = program(
      "x = f32[8] parameter(0)\n"
      "c = f32[8] custom-call(x), custom_call_target=\"f\"\n"
      "k = s32[100] constant({...})\n"
      "ROOT t = (f32[8], s32[100]) tuple(c, k)\n");
  Result result = compare(module, module, {});
  CHECK(result.verdict == Verdict::kSame);
  CHECK(result.values == 0);
}

TEST_CASE("equal opaque instructions on equal operands are equal") {
  auto with = [](const std::string& operand, const std::string& target) {
    return "x = f32[8] parameter(0)\n"
           "y = f32[8] parameter(1)\n"
           "n = f32[8] negate(x)\n"
           "m = f32[8] copy(n)\n"
           "c = f32[8] custom-call(" +
           operand + "), custom_call_target=\"" + target +
           "\"\n"
           "ROOT r = f32[8] add(c, y)\n";
  };
  CHECK(verdict(with("n", "f"), with("m", "f")) == "same");
  CHECK(verdict(with("n", "f"), with("x", "f")) == "different");
  CHECK(verdict(with("n", "f"), with("n", "g")).substr(0, 14) == "not checked: c");
}

TEST_CASE("what is new and opaque is not checked, never the same") {
  CHECK(verdict("x = f32[8] parameter(0)\nROOT r = f32[8] negate(x)\n",
                "x = f32[8] parameter(0)\n"
                "c = f32[8] custom-call(x), custom_call_target=\"f\"\n"
                "ROOT r = f32[8] negate(c)\n")
            .substr(0, 12) == "not checked:");
}

TEST_CASE("an elided table proves nothing about offsets") {
  auto with = [](const std::string& last) {
    return "x = f32[32] parameter(0)\n"
           "p = u32[] partition-id()\n"
           "t = s32[4] constant({...})\n"
           "d = s32[1] dynamic-slice(t, p), dynamic_slice_sizes={1}\n"
           "at = s32[] reshape(d)\n"
           "ar = f32[32] all-reduce(x), to_apply=add_f32" +
           kAll + "\n" + last;
  };
  std::string slice = with("ROOT r = f32[8] dynamic-slice(ar, at), dynamic_slice_sizes={8}\n");
  std::string scatter = with("rs = f32[8] reduce-scatter(x), dimensions={0}, to_apply=add_f32" +
                             kAll + "\nROOT r = f32[8] copy(rs)\n");
  CHECK(verdict(slice, scatter) != "same");
  // But it may stand where it stood.
  std::string moved = with(
      "h = f32[8] dynamic-slice(x, at), dynamic_slice_sizes={8}\n"
      "ROOT r = f32[8] dynamic-slice(ar, at), dynamic_slice_sizes={8}\n");
  CHECK(verdict(slice, moved) == "same");
}

TEST_CASE("every change is judged by itself") {
  std::string before =
      "x = f32[8] parameter(0)\n"
      "a = f32[8] negate(x)\n"
      "b = f32[8] exponential(a)\n"
      "c = f32[8] negate(b)\n"
      "ROOT r = f32[8] add(c, x)\n";
  std::string after =
      "x = f32[8] parameter(0)\n"
      "a = f32[8] abs(x)\n"
      "b = f32[8] exponential(a)\n"
      "b2 = f32[8] copy(b)\n"
      "c = f32[8] negate(b2)\n"
      "ROOT r = f32[8] add(c, x)\n";
  Result result = compare(program(before), program(after), {});
  CHECK(result.verdict == Verdict::kDifferent);
  REQUIRE(result.differences.size() == 1);
  CHECK(result.differences[0].instruction == "a");
}

TEST_CASE("one name for two things does not make programs differ") {
  CHECK(verdict("x = f32[8] parameter(0)\n"
                "a = f32[8] negate(x)\n"
                "b = f32[8] exponential(a)\n"
                "ROOT r = f32[8] add(a, b)\n",
                "x = f32[8] parameter(0)\n"
                "b = f32[8] negate(x)\n"
                "a = f32[8] exponential(b)\n"
                "ROOT r = f32[8] add(b, a)\n") == "same");
}

TEST_CASE("a proof looks past a kept value where it must") {
  std::string table =
      "p = u32[] partition-id()\n"
      "eight = u32[] constant(8)\n"
      "at = u32[] multiply(p, eight)\n";
  std::string before =
      "x = f32[32] parameter(0)\n"
      "n = f32[32] negate(x)\n"
      "ar = f32[32] all-reduce(n), to_apply=add_f32" +
      kAll + "\n" + table +
      "ds = f32[8] dynamic-slice(ar, at), dynamic_slice_sizes={8}\n"
      "s = f32[8] sine(ds)\n"
      "ROOT r = (f32[8], f32[32]) tuple(s, ar)\n";
  std::string after =
      "x = f32[32] parameter(0)\n"
      "n = f32[32] negate(x)\n"
      "ar = f32[32] all-reduce(n), to_apply=add_f32" +
      kAll +
      "\n"
      "rs = f32[8] reduce-scatter(n), dimensions={0}, to_apply=add_f32" +
      kAll +
      "\n"
      "s = f32[8] sine(rs)\n"
      "ROOT r = (f32[8], f32[32]) tuple(s, ar)\n";
  CHECK(verdict(before, after) == "same");
}

TEST_CASE("programs with other names are paired by structure") {
  std::string before =
      "x = f32[8,4] parameter(0)\n"
      "ag = f32[32,4] all-gather(x), dimensions={0}" +
      kAll +
      "\n"
      "c = bf16[32,4] convert(ag)\n"
      "k = bf16[32,4] custom-call(c), custom_call_target=\"f\"\n"
      "ROOT r = bf16[32,4] negate(k)\n";
  auto after = [](const std::string& target) {
    return "in = f32[8,4] parameter(0)\n"
           "low = bf16[8,4] convert(in)\n"
           "whole = bf16[32,4] all-gather(low), dimensions={0}" +
           kAll +
           "\n"
           "call = bf16[32,4] custom-call(whole), custom_call_target=\"" +
           target +
           "\"\n"
           "ROOT out = bf16[32,4] negate(call)\n";
  };
  CHECK(verdict(before, after("f")) == "same");
  CHECK(verdict(before, after("g")) != "same");
}

namespace {

std::string loop_bodies(const std::string& body) {
  return "more {\n  st = (s32[], f32[8,4], f32[32,4]) parameter(0)\n"
         "  i = s32[] get-tuple-element(st), index=0\n"
         "  n = s32[] constant(5)\n"
         "  ROOT go = pred[] compare(i, n), direction=LT\n}\n"
         "step {\n  st = (s32[], f32[8,4], f32[32,4]) parameter(0)\n"
         "  i = s32[] get-tuple-element(st), index=0\n"
         "  x = f32[8,4] get-tuple-element(st), index=1\n"
         "  acc = f32[32,4] get-tuple-element(st), index=2\n"
         "  one = s32[] constant(1)\n"
         "  j = s32[] add(i, one)\n" +
         body + "  ROOT out = (s32[], f32[8,4], f32[32,4]) tuple(j, x, acc2)\n}\n";
}

const std::string kLoop =
    "init = (s32[], f32[8,4], f32[32,4]) parameter(0)\n"
    "ROOT w = (s32[], f32[8,4], f32[32,4]) while(init), condition=more, body=step\n";

}  // namespace

TEST_CASE("loop bodies are compared as functions of the state") {
  auto before = program(kLoop, "num_partitions=4",
                        loop_bodies("  ag = f32[32,4] all-gather(x), dimensions={0}" + kAll +
                                    "\n"
                                    "  n = f32[32,4] negate(ag)\n"
                                    "  acc2 = f32[32,4] add(acc, n)\n"));
  auto good = program(kLoop, "num_partitions=4",
                      loop_bodies("  l = f32[8,4] negate(x)\n"
                                  "  g = f32[32,4] all-gather(l), dimensions={0}" +
                                  kAll +
                                  "\n"
                                  "  acc2 = f32[32,4] add(acc, g)\n"));
  auto bad = program(kLoop, "num_partitions=4",
                     loop_bodies("  l = f32[8,4] negate(x)\n"
                                 "  g = f32[32,4] all-gather(l), dimensions={0}" +
                                 kAll +
                                 "\n"
                                 "  acc2 = f32[32,4] add(g, g)\n"));
  CHECK(verdict(before, good) == "same");
  CHECK(verdict(before, bad) == "different");
}

TEST_CASE("another trip count is another loop") {
  std::string body = "  acc2 = f32[32,4] negate(acc)\n";
  std::string longer = loop_bodies(body);
  longer.replace(longer.find("constant(5)"), 11, "constant(6)");
  CHECK(verdict(program(kLoop, "num_partitions=4", loop_bodies(body)),
                program(kLoop, "num_partitions=4", longer)) == "different");
}

TEST_CASE("a loop whose state has grown is no proof of a difference") {
  const auto loop = [](const std::string& more_type, const std::string& more, int at) {
    const std::string state = "(s32[], f32[4]" + more_type + ")";
    const std::string x = std::to_string(at);
    return std::pair(
        "step {\n  p = " + state + " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n" +
            "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n  y = f32[4] "
            "get-tuple-element(p), index=" +
            x + "\n  n = f32[4] negate(y)\n" +
            (more.empty()
                 ? ""
                 : "  k = f32[4] get-tuple-element(p), index=" + std::to_string(3 - at) + "\n") +
            "  ROOT t = " + state + " tuple(next, " +
            (more.empty() ? "n"
             : at == 1    ? "n, k"
                          : "k, n") +
            ")\n}\nmore {\n  p = " + state +
            " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  three = s32[] "
            "constant(3)\n  ROOT c = pred[] compare(i, three), direction=LT\n}\n",
        "zero = s32[] constant(0)\na = f32[4] parameter(0)\ninit = " + state + " tuple(zero, " +
            (more.empty() ? "a" : "a, a") + ")\nw = " + state +
            " while(init), condition=more, body=step\nROOT r = f32[4] get-tuple-element(w), "
            "index=" +
            x + "\n");
  };
  const auto small = loop("", "", 1), grown = loop(", f32[4]", "k", 2);
  const flipsat::hlo::Module before = program(small.second, "num_partitions=4", small.first);
  const flipsat::hlo::Module after = program(grown.second, "num_partitions=4", grown.first);
  CHECK(compare(before, after, {}).verdict != Verdict::kDifferent);
  CHECK(compare(after, before, {}).verdict != Verdict::kDifferent);
}

TEST_CASE("a call is looked into where its body changed beyond its results") {
  std::string lines =
      "x = f32[8] parameter(0)\n"
      "c = f32[8] call(x), to_apply=inner\n"
      "ROOT r = f32[8] sine(c)\n";
  auto with = [&](const std::string& body, const std::string& entry) {
    return program(entry, "num_partitions=4",
                   "inner {\n  q = f32[8] parameter(0)\n" + body + "}\n");
  };
  auto before = with("  ROOT n = f32[8] negate(q)\n", lines);
  auto good = with("  m = f32[8] copy(q)\n  ROOT n = f32[8] negate(m)\n", lines);
  auto bad = with("  ROOT n = f32[8] abs(q)\n", lines);
  auto moved = with("  ROOT n = f32[8] copy(q)\n",
                    "x = f32[8] parameter(0)\n"
                    "y = f32[8] negate(x)\n"
                    "c = f32[8] call(y), to_apply=inner\n"
                    "ROOT r = f32[8] sine(c)\n");
  CHECK(verdict(before, good) == "same");
  CHECK(verdict(before, bad) == "different");
  CHECK(verdict(before, moved) == "same");
}

TEST_CASE("a lost side effect is a difference") {
  std::string send =
      "x = f32[8] parameter(0)\n"
      "c = f32[8] custom-call(x), custom_call_target=\"log\", "
      "custom_call_has_side_effect=true\n"
      "ROOT r = f32[8] negate(x)\n";
  CHECK(verdict(send, "x = f32[8] parameter(0)\nROOT r = f32[8] negate(x)\n") == "different");
}

TEST_CASE("a program that is called in another way is different") {
  CHECK(verdict("x = f32[8] parameter(0)\nROOT r = f32[8] negate(x)\n",
                "x = f32[4] parameter(0)\nc = f32[8] concatenate(x, x), dimensions={0}\n"
                "ROOT r = f32[8] negate(c)\n") == "different");
}

TEST_CASE("a collective is not checked where the number of devices is unknown") {
  auto before = program(
      "x = f32[8] parameter(0)\n"
      "s = f32[8] all-reduce(x), replica_groups={}, to_apply=add_f32\n"
      "ROOT r = f32[8] negate(s)\n",
      "is_scheduled=false");
  auto after = program(
      "x = f32[8] parameter(0)\n"
      "n = f32[8] negate(x)\n"
      "ROOT r = f32[8] all-reduce(n), replica_groups={}, to_apply=add_f32\n",
      "is_scheduled=false");
  CHECK(verdict(before, after) != "same");
}

TEST_CASE("a chain of a hundred thousand operations does not overflow the stack") {
  std::string lines = "x = f32[2] parameter(0)\nv0 = f32[2] negate(x)\n";
  for (int i = 1; i < 100000; ++i) {
    lines += "v" + std::to_string(i) + " = f32[2] sine(v" + std::to_string(i - 1) + ")\n";
  }
  std::string foreign = lines;
  for (size_t at = 0; (at = foreign.find('v', at)) != std::string::npos; ++at) foreign[at] = 'w';
  CHECK(verdict(lines + "ROOT r = f32[2] copy(v99999)\n",
                foreign + "ROOT r = f32[2] add(w99999, w99999)\n") != "same");
}
