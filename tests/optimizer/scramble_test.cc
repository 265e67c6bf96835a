#include "optimizer/scramble.h"

#include <algorithm>

#include "frontends/text/text.h"
#include "hlo/input_error.h"
#include "hlo/verifier.h"
#include "optimizer/optimize.h"
#include "tests/catch.h"
#include "tests/optimizer/scrambled_modules.h"
#include "tests/rules/fixture.h"
#include "verify/compare.h"
#include "verify/numbers.h"

namespace flipsat::optimizer {
namespace {

using rules::testing::kOverAll;
using rules::testing::program;

hlo::Module layer() { return frontends::read_text(testing::kLayer, "layer.hlo"); }

ScrambleOptions with_seed(uint64_t seed) {
  ScrambleOptions options;
  options.seed = seed;
  return options;
}

TEST_CASE("scramble: the same seed gives the same bytes, another seed others") {
  const std::string once = frontends::write_text(scramble(layer(), with_seed(1)).module);
  CHECK(once == frontends::write_text(scramble(layer(), with_seed(1)).module));
  CHECK(once != frontends::write_text(scramble(layer(), with_seed(2)).module));
}

TEST_CASE("scramble: steps are counted by rule, as many as asked for") {
  for (int64_t steps : {1, 7, 20}) {
    ScrambleOptions options = with_seed(3);
    options.steps = steps;
    options.rules = 1;
    const Scramble scrambled = scramble(layer(), options);
    CHECK(scrambled.steps >= steps);
    CHECK(scrambled.steps < steps + 4);
    int64_t sum = 0;
    for (const auto& [rule, count] : scrambled.rules) {
      CHECK(count > 0);
      sum += count;
    }
    CHECK(sum == scrambled.steps);
  }
}

TEST_CASE("scramble: rules that had no turn come first until there are enough") {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    CHECK(scramble(layer(), with_seed(seed)).rules.size() >= 5);
  }
}

TEST_CASE("scramble: what comes out is well-formed and computes the same") {
  for (hlo::Numerics numerics :
       {hlo::Numerics::kExact, hlo::Numerics::kPrecise, hlo::Numerics::kReassoc}) {
    ScrambleOptions options = with_seed(static_cast<uint64_t>(numerics) + 1);
    options.numerics = numerics;
    const hlo::Module before = layer();
    const std::string text = frontends::write_text(scramble(before, options).module);
    const hlo::Module after = frontends::read_text(text, "scramble.hlo");
    hlo::verify_module(after, hlo::infer_device_counts(after, {}));
    verify::Options how;
    how.numerics = numerics;
    how.precise_sites = {""};  // none
    CHECK(verify::compare(before, after, how).verdict == verify::Verdict::kSame);
    if (numerics == hlo::Numerics::kReassoc) continue;  // may round otherwise
    const verify::NumberComparison numbers = verify::compare_on_numbers(before, after, {});
    CHECK(numbers.reason == "");
    CHECK(numbers.differing == 0);
  }
}

int64_t most_sums(const std::string& text) {
  int64_t most = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Scramble scrambled = scramble(frontends::read_text(text, "sum.hlo"), with_seed(seed));
    const hlo::Module& module = scrambled.module;
    most =
        std::max(most, std::ranges::count_if(module.entry_computation().instructions, [&](auto id) {
                   return module[id].opcode == hlo::Opcode::kAllReduce ||
                          module[id].opcode == hlo::Opcode::kReduceScatter;
                 }));
  }
  return most;
}

TEST_CASE("scramble: a sum is not made twice") {
  // Its own shard and all of it: a scatter for the one would be another sum beside the other.
  const std::string own_shard =
      "  table = s32[4] constant({0,2,4,6})\n"
      "  device = u32[] partition-id()\n"
      "  zero = s32[] constant(0)\n"
      "  entry = s32[1] dynamic-slice(table, device), "
      "dynamic_slice_sizes={1}\n"
      "  row = s32[] reshape(entry)\n"
      "  d = f32[2,4] dynamic-slice(s, row, zero), "
      "dynamic_slice_sizes={2,4}\n";
  CHECK(most_sums(program("  x = f32[8,4] parameter(0)\n"
                          "  s = f32[8,4] all-reduce(x), to_apply=add_f32" +
                          kOverAll + "\n" + own_shard +
                          "  ROOT t = (f32[8,4], f32[2,4]) tuple(s, d)\n")) == 1);
  // The same of a sum that is launched together with a token.
  CHECK(most_sums(program("  x = f32[8,4] parameter(0)\n"
                          "  token = f32[] parameter(1)\n"
                          "  both = (f32[8,4], f32[]) all-reduce(x, token), to_apply=add_f32" +
                          kOverAll +
                          "\n"
                          "  s = f32[8,4] get-tuple-element(both), index=0\n"
                          "  after = f32[] get-tuple-element(both), index=1\n" +
                          own_shard +
                          "  ROOT t = (f32[8,4], f32[2,4], f32[]) tuple(s, d, after)\n")) == 1);
}

TEST_CASE("scramble: where no rule has anything to say the module comes back as it was") {
  const hlo::Module module = frontends::read_text(program("  x = f32[4] parameter(0)\n"
                                                          "  ROOT r = f32[4] negate(x)\n"),
                                                  "plain.hlo");
  const Scramble scrambled = scramble(module, {});
  CHECK(scrambled.steps == 0);
  CHECK(scrambled.rules.empty());
  CHECK(frontends::write_text(scrambled.module) == *module.source);
}

TEST_CASE("scramble: a malformed module is refused") {
  hlo::Module module = layer();
  module[module.entry_computation().root].operands.pop_back();
  CHECK_THROWS_AS(scramble(module, {}), hlo::InputError);
}

}  // namespace
}  // namespace flipsat::optimizer
