// The optimizer comes back: from a scramble, the walk of some rules in any direction away from a
// module (optimizer/scramble.h), it finds a program that costs at most what the module did.
//
// What a program costs "with its surroundings" is counted over instructions that are fixed by the
// optimizer's input, and a scramble has others than its original. So here every instruction of both
// counts, wherever it stands: what a scramble carried out of the surroundings, where no rule sees
// it, is held against the optimizer too.
//
// FLIPSAT_SCRAMBLES is the number of scrambles a module, FLIPSAT_RANDOM_SEED the first seed.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "frontends/file.h"
#include "frontends/text/text.h"
#include "optimizer/optimize.h"
#include "optimizer/scramble.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/optimizer/scrambled_modules.h"

namespace flipsat::optimizer {
namespace {

uint64_t number_from(const char* variable, uint64_t absent) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : absent;
}

Options chain() {
  Options options;
  options.headroom = false;
  return options;
}

int64_t cost_of_all(const hlo::Module& module) {
  return extract::price_program(module, hlo::infer_device_counts(module, {}), chain().cost, {})
      .time;
}

struct Counts {
  int64_t scrambles = 0, recovered = 0, better = 0, equal = 0, worse = 0;
  int64_t steps = 0, rules = 0;
  double cost = 0;  // of scrambles, in costs of the original
};

void check(const std::string& name, const hlo::Module& module, uint64_t scrambles) {
  if (scrambles == 0) return;
  const int64_t original = cost_of_all(module);
  const int64_t own = cost_of_all(optimize(module, chain()).output);
  Counts counts;
  const uint64_t first = number_from("FLIPSAT_RANDOM_SEED", 1);
  for (uint64_t seed = first; seed < first + scrambles; ++seed) {
    INFO(name << ", seed " << seed);
    ScrambleOptions options;
    options.seed = seed;
    const Scramble scrambled = scramble(module, options);
    CHECK(scrambled.steps >= 20);
    CHECK(scrambled.rules.size() >= 5);
    // As one reads it from a file.
    const hlo::Module input =
        frontends::read_text(frontends::write_text(scrambled.module), "scramble.hlo");
    const int64_t back = cost_of_all(optimize(input, chain()).output);
    CHECK(back <= original);
    ++counts.scrambles;
    counts.recovered += back <= original;
    counts.better += back < own;
    counts.equal += back == own;
    counts.worse += back > own;
    counts.steps += scrambled.steps;
    counts.rules += static_cast<int64_t>(scrambled.rules.size());
    counts.cost += static_cast<double>(cost_of_all(input)) / static_cast<double>(original);
  }
  const double share = 1.0 / static_cast<double>(counts.scrambles);
  std::cout << "counted: scrambles of " << name << ": " << counts.recovered << " of "
            << counts.scrambles << " recovered; on average " << counts.steps * share << " steps by "
            << counts.rules * share << " rules to " << counts.cost * share
            << " of the cost; beside the optimizer's program of the original " << counts.better
            << " better, " << counts.equal << " equal, " << counts.worse << " worse\n";
}

void check_corpus(const std::string& name) {
  const char* corpus = std::getenv("FLIPSAT_CORPUS");
  const std::filesystem::path path = std::filesystem::path(corpus ? corpus : "") / name;
  if (!std::filesystem::is_regular_file(path)) {
    std::cout << "skipped: FLIPSAT_CORPUS holds no " << name << "\n";
    return;
  }
  const uint64_t scrambles =
      number_from("FLIPSAT_SCRAMBLES", flipsat::testing::length<uint64_t>({200, 2}, {2, 0}));
  check(name, frontends::read_module(path.string()), scrambles);
}

TEST_CASE("scrambles of small modules recover") {
  const uint64_t scrambles =
      number_from("FLIPSAT_SCRAMBLES", flipsat::testing::length<uint64_t>({200, 20}, {20, 2}));
  check("layer", frontends::read_text(testing::kLayer, "layer.hlo"), scrambles);
  check("experts", frontends::read_text(testing::kExperts, "experts.hlo"), scrambles);
}

// A module each, so that they can run side by side.
TEST_CASE("scrambles of fsdp_gather_then_cast_scan recover") {
  check_corpus("jax/spmd/fsdp_gather_then_cast_scan.hlo.gz");
}

TEST_CASE("scrambles of fsdp_prefill_scan recover") {
  check_corpus("jax/spmd/fsdp_prefill_scan.hlo.gz");
}

TEST_CASE("scrambles of fsdp_scan recover") { check_corpus("jax/spmd/fsdp_scan.hlo.gz"); }

TEST_CASE("scrambles of moe_ep_fsdp_unroll2 recover") {
  check_corpus("jax/spmd/moe_ep_fsdp_unroll2.hlo.gz");
}

TEST_CASE("scrambles of tp_fsdp_2d_scan recover") {
  check_corpus("jax/spmd/tp_fsdp_2d_scan.hlo.gz");
}

TEST_CASE("scrambles of fsdp_unroll4_noremat_noclip recover") {
  check_corpus("jax/spmd/fsdp_unroll4_noremat_noclip.hlo.gz");
}

TEST_CASE("scrambles of zero1_gather_f32_unroll2 recover") {
  check_corpus("jax/spmd/zero1_gather_f32_unroll2.hlo.gz");
}

TEST_CASE("scrambles of zero1_unroll2 recover") { check_corpus("jax/spmd/zero1_unroll2.hlo.gz"); }

TEST_CASE("scrambles of hlo_llama31_405b_bf16_16x8 recover") {
  check_corpus("xla/hlo_llama31_405b_bf16_16x8.hlo.gz");
}

TEST_CASE("scrambles of hlo_llama3_8b_cp_bf16_1x4 recover") {
  check_corpus("xla/hlo_llama3_8b_cp_bf16_1x4.hlo.gz");
}

}  // namespace
}  // namespace flipsat::optimizer
