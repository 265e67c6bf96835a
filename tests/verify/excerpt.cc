#include "verify/excerpt.h"

#include <deque>

#include "tests/catch.h"
#include "tests/verify/programs.h"
#include "verify/numbers.h"

namespace flipsat::verify {
namespace {

using testing::kAll;
using testing::program;

const std::string kOwn =
    "  table = s32[4] constant({0, 2, 4, 6})\n  id = u32[] partition-id()\n"
    "  entry = s32[1] dynamic-slice(table, id), dynamic_slice_sizes={1}\n"
    "  own = s32[] reshape(entry)\n  zero = s32[] constant(0)\n";
const std::string kSummedShard =
    "  p = f32[8,6] parameter(0)\n  x = f32[8,6] negate(p)\n" + kOwn +
    "  sum = f32[8,6] all-reduce(x)" + kAll +
    ", to_apply=add_f32\n"
    "  mine = f32[2,6] dynamic-slice(sum, own, zero), dynamic_slice_sizes={2,6}\n";
const std::string kScattered = "  p = f32[8,6] parameter(0)\n  x = f32[8,6] negate(p)\n" + kOwn +
                               "  mine = f32[2,6] reduce-scatter(x), dimensions={0}" + kAll +
                               ", to_apply=add_f32\n";
const std::string kUsed = "  y = f32[2,6] exponential(mine)\n  ROOT z = f32[2,6] tanh(y)\n";

// Excerpts borrow text of the modules that they are cut from: these are kept.
Excerpts cut(const hlo::Module& before, const hlo::Module& after, ExcerptOptions options = {}) {
  static std::deque<hlo::Module> kept;
  kept.push_back(before);
  kept.push_back(after);
  return cut_excerpts(before, after, options);
}

// What one can read of a module that was put together, as XLA would.
hlo::Module read_again(const hlo::Module& module) {
  return frontends::read_text(frontends::write_text(module), "excerpt");
}

std::vector<std::string> opcodes(const hlo::Module& module) {
  std::vector<std::string> names;
  for (hlo::InstructionId id : module.entry_computation().instructions) {
    names.emplace_back(to_string(module[id].opcode));
  }
  return names;
}

}  // namespace

TEST_CASE("an excerpt holds the change back to the nearest values that both have", "[excerpt]") {
  hlo::Module before = program(kSummedShard + kUsed);
  hlo::Module after = program(kScattered + kUsed);
  Excerpts found = cut(before, after);
  REQUIRE(found.excerpts.size() == 1);
  CHECK(found.left_out.empty());
  const Excerpt& excerpt = found.excerpts[0];
  CHECK(excerpt.computation == "main");
  CHECK(excerpt.values == std::vector<std::string>{"mine"});
  CHECK(excerpt.parameters.size() == 1);  // x: neither p nor what uses the change is there
  CHECK(opcodes(read_again(excerpt.after)) ==
        std::vector<std::string>{"parameter", "reduce-scatter", "tuple"});
  // Where a device cuts follows from its number: that is part of the excerpt, not fed to it.
  auto lines = opcodes(read_again(excerpt.before));
  CHECK(std::ranges::count(lines, "partition-id") == 1);
  CHECK(std::ranges::count(lines, "parameter") == 1);
  CHECK(verify::compare(read_again(excerpt.before), read_again(excerpt.after), {}).verdict ==
        Verdict::kSame);
}

TEST_CASE("a wrong change differs in its excerpt", "[excerpt]") {
  std::string wrong = kScattered;
  wrong.replace(wrong.find("{{0,1,2,3}}"), 11, "{{1,0,2,3}}");
  Excerpts found = cut(program(kSummedShard + kUsed), program(wrong + kUsed));
  REQUIRE(found.excerpts.size() == 1);
  NumberComparison numbers = compare_on_numbers(read_again(found.excerpts[0].before),
                                                read_again(found.excerpts[0].after), {});
  REQUIRE(numbers.compared);
  CHECK(numbers.differing > 0);
}

TEST_CASE("equal modules have no excerpt", "[excerpt]") {
  hlo::Module module = program(kScattered + kUsed);
  CHECK(cut(module, module).excerpts.empty());
}

TEST_CASE("a value that one side reads through another is not fed by itself", "[excerpt]") {
  // `after` reads x where `before` reads the sum of it, which both have.
  const std::string both = "  ROOT t = (f32[2,6], f32[8,6]) tuple(mine, sum)\n";
  std::string scattered =
      kScattered + "  sum = f32[8,6] all-reduce(x)" + kAll + ", to_apply=add_f32\n";
  Excerpts found = cut(program(kSummedShard + both), program(scattered + both));
  REQUIRE(found.excerpts.size() == 1);
  CHECK(found.excerpts[0].parameters.size() == 1);
  CHECK(
      verify::compare(read_again(found.excerpts[0].before), read_again(found.excerpts[0].after), {})
          .verdict == Verdict::kSame);
}

TEST_CASE("a value that is written twice is not fed under one name and computed under the other",
          "[excerpt]") {
  const std::string gathers = "  x = f32[2,3] parameter(0)\n  a = f32[8,3] all-gather(x), " +
                              std::string("dimensions={0}") + kAll + "\n";
  const std::string twice = "  b = f32[8,3] all-gather(x), dimensions={0}" + kAll + "\n";
  const std::string result = "  ROOT r = (f32[8,3], f32[8,3]) tuple(a, y)\n";
  Excerpts found = cut(program(gathers + twice + "  y = f32[8,3] negate(b)\n" + result),
                       program(gathers + "  y = f32[8,3] negate(a)\n" + result));
  REQUIRE(found.excerpts.size() == 1);
  const Excerpt& excerpt = found.excerpts[0];
  CHECK(excerpt.parameters.size() == 1);
  NumberComparison numbers =
      compare_on_numbers(read_again(excerpt.before), read_again(excerpt.after), {});
  REQUIRE(numbers.compared);
  CHECK(numbers.differing == 0);
}

TEST_CASE("a value that one side reads is computed where it depends on another of the border",
          "[excerpt]") {
  const std::string common =
      "  p = f32[2,3] parameter(0)\n  x = f32[2,3] exponential(p)\n  n = f32[2,3] negate(x)\n";
  const std::string result = "  ROOT r = (f32[2,3], f32[8,3]) tuple(n, y)\n";
  Excerpts found = cut(program(common + "  g = f32[8,3] all-gather(x), dimensions={0}" + kAll +
                               "\n  m = f32[8,3] negate(g)\n  y = f32[8,3] add(g, m)\n" + result),
                       program(common +
                               "  s = f32[2,3] add(x, n)\n"
                               "  y = f32[8,3] all-gather(s), dimensions={0}" +
                               kAll + "\n" + result));
  REQUIRE(found.excerpts.size() == 1);
  const Excerpt& excerpt = found.excerpts[0];
  CHECK(excerpt.parameters.size() == 1);
  NumberComparison numbers =
      compare_on_numbers(read_again(excerpt.before), read_again(excerpt.after), {});
  REQUIRE(numbers.compared);
  CHECK(numbers.differing == 0);
}

TEST_CASE("values that each side reads by itself are computed from what they have in common",
          "[excerpt]") {
  const std::string common = "  p = f32[2,3] parameter(0)\n  x = f32[2,3] exponential(p)\n" +
                             std::string("  n = f32[2,3] negate(x)\n") +
                             "  g = f32[8,3] all-gather(x), dimensions={0}" + kAll + "\n";
  const std::string result = "  ROOT r = (f32[2,3], f32[8,3], f32[8,3]) tuple(n, g, y)\n";
  Excerpts found =
      cut(program(common + "  m = f32[8,3] all-gather(n), dimensions={0}" + kAll +
                  "\n  y = f32[8,3] abs(m)\n" + result),
          program(common + "  m.1 = f32[8,3] negate(g)\n  y = f32[8,3] abs(m.1)\n" + result));
  REQUIRE(found.excerpts.size() == 1);
  NumberComparison numbers = compare_on_numbers(read_again(found.excerpts[0].before),
                                                read_again(found.excerpts[0].after), {});
  REQUIRE(numbers.compared);
  CHECK(numbers.differing == 0);
}

TEST_CASE("a result may be a value of the border itself", "[excerpt]") {
  // The loop gets x itself where it got a copy that goes a long way round.
  auto module = [](const std::string& copy, const std::string& used) {
    const std::string lines =
        "  id = u32[] partition-id()\n  n = f32[] convert(id)\n"
        "  b = f32[2,6] broadcast(n), dimensions={}\n"
        "  x = f32[8,6] all-gather(b), dimensions={0}" +
        kAll + "\n";
    return program(lines + copy + "  ROOT t = (f32[8,6]) tuple(" + used + ")\n");
  };
  Excerpts found =
      cut(module("  y = f32[8,6] slice(x), slice={[0:8], [0:6]}\n", "y"), module("", "x"));
  REQUIRE(found.excerpts.size() == 1);
  CHECK(
      verify::compare(read_again(found.excerpts[0].before), read_again(found.excerpts[0].after), {})
          .verdict == Verdict::kSame);
  CHECK(compare_on_numbers(read_again(found.excerpts[0].before),
                           read_again(found.excerpts[0].after), {})
            .differing == 0);
}

TEST_CASE("alike changes are cut out once", "[excerpt]") {
  auto layers = [](bool flipped) {
    std::string lines;
    for (std::string n : {"0", "1", "2"}) {
      lines += "  p" + n + " = f32[2,6] parameter(" + n + ")\n";
      lines += flipped ? "  c" + n + " = bf16[2,6] convert(p" + n + ")\n  h" + n +
                             " = bf16[8,6] all-gather(c" + n + "), dimensions={0}" + kAll + "\n"
                       : "  g" + n + " = f32[8,6] all-gather(p" + n + "), dimensions={0}" + kAll +
                             "\n  h" + n + " = bf16[8,6] convert(g" + n + ")\n";
    }
    return lines + "  ROOT t = (bf16[8,6], bf16[8,6], bf16[8,6]) tuple(h0, h1, h2)\n";
  };
  Excerpts found = cut(program(layers(false)), program(layers(true)));
  REQUIRE(found.excerpts.size() == 1);
  CHECK(found.excerpts[0].values == std::vector<std::string>{"h0"});
  CHECK(found.alike == 2);
}

TEST_CASE("what is equal on devices is passed on", "[excerpt]") {
  ExcerptOptions options;
  options.assume_replicated = {"p"};
  hlo::Module before = program(kSummedShard + kUsed);
  CHECK(entry_arrays(before, options).at(0).blocks == std::vector<uint32_t>{0, 0, 0, 0});
  CHECK(entry_arrays(before, {}).at(0).blocks.empty());
  Excerpts found = cut(before, program(kScattered + kUsed), options);
  REQUIRE(found.excerpts.size() == 1);
  CHECK(found.excerpts[0].parameters[0].blocks == std::vector<uint32_t>{0, 0, 0, 0});
}

TEST_CASE("what cannot be cut out is said", "[excerpt]") {
  ExcerptOptions small;
  small.max_bytes = 100;
  Excerpts found = cut(program(kSummedShard + kUsed), program(kScattered + kUsed), small);
  CHECK(found.excerpts.empty());
  REQUIRE(found.left_out.size() == 1);
  CHECK(found.left_out[0].instruction == "mine");
  CHECK(found.left_out[0].reason.starts_with("it is too large"));

  const std::string lines = "  p = f32[4] parameter(0)\n";
  found = cut(program(lines + "  ROOT y = f32[4] custom-call(p), custom_call_target=\"f\"\n"),
              program(lines + "  ROOT y = f32[4] custom-call(p), custom_call_target=\"g\"\n"));
  CHECK(found.excerpts.empty());
  REQUIRE(found.left_out.size() == 1);
}

TEST_CASE("the body of a loop is cut out by itself", "[excerpt]") {
  auto loop = [](const std::string& change) {
    return "more {\n  s = (s32[], f32[2,6]) parameter(0)\n  n = s32[] get-tuple-element(s), "
           "index=0\n"
           "  five = s32[] constant(5)\n  ROOT c = pred[] compare(n, five), direction=LT\n}\n"
           "body {\n  s = (s32[], f32[2,6]) parameter(0)\n  n = s32[] get-tuple-element(s), "
           "index=0\n"
           "  x = f32[2,6] get-tuple-element(s), index=1\n" +
           change +
           "  low = f32[8,6] convert(h)\n  w = f32[2,6] slice(low), slice={[0:2], [0:6]}\n"
           "  one = s32[] constant(1)\n  next = s32[] add(n, one)\n"
           "  ROOT t = (s32[], f32[2,6]) tuple(next, w)\n}\n";
  };
  const std::string main =
      "  p = (s32[], f32[2,6]) parameter(0)\n"
      "  ROOT w = (s32[], f32[2,6]) while(p), condition=more, body=body\n";
  auto module = [&](const std::string& change) {
    return program(main, "num_partitions=4", loop(change));
  };
  Excerpts found =
      cut(module("  g = f32[8,6] all-gather(x), dimensions={0}" + kAll +
                 "\n  h = bf16[8,6] convert(g)\n"),
          module("  c = bf16[2,6] convert(x)\n  h = bf16[8,6] all-gather(c), dimensions={0}" +
                 kAll + "\n"));
  REQUIRE(found.excerpts.size() == 1);
  CHECK(found.excerpts[0].computation == "body");
  CHECK(found.excerpts[0].values == std::vector<std::string>{"h"});
  CHECK(found.excerpts[0].parameters.size() == 1);
}

}  // namespace flipsat::verify
