// Every program of the corpus that FLIPSAT_CORPUS names, through the whole chain with default
// options. Nothing of it is copied here; without the variable these tests say so and pass.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "frontends/file.h"
#include "frontends/text/text.h"
#include "hlo/packing_plan.h"
#include "hlo/verifier.h"
#include "optimizer/optimize.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/optimizer/untouched.h"

namespace flipsat {
namespace {

std::filesystem::path corpus() {
  const char* path = std::getenv("FLIPSAT_CORPUS");
  if (!path || !std::filesystem::is_directory(path)) {
    std::cout << "skipped: FLIPSAT_CORPUS does not name a folder\n";
    return {};
  }
  return path;
}

bool is_text_module(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  return name.ends_with(".hlo") || name.ends_with(".hlo.gz");
}

// With sanitizers on, only modules of up to about two thousand instructions: the larger ones take
// ten times as long there, and hold nothing that these do not.
bool is_small_enough(const std::filesystem::path& path) {
#if defined(__SANITIZE_ADDRESS__)
  return std::filesystem::file_size(path) <= 25'000;
#else
  return std::filesystem::exists(path);
#endif
}

std::vector<std::filesystem::path> modules() {
  std::vector<std::filesystem::path> found;
  std::filesystem::path root = corpus();
  if (root.empty()) return found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || !is_text_module(entry.path())) continue;
    if (is_small_enough(entry.path())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

optimizer::Result optimize_file(const std::filesystem::path& path,
                                const optimizer::Options& options = {}) {
  return optimizer::optimize(frontends::read_module(path.string()), options);
}

TEST_CASE("every corpus module is optimised, checked, written and read again") {
  std::vector<std::filesystem::path> found = modules();
  std::cout << "corpus modules found: " << found.size() << "\n";
  for (const std::filesystem::path& path : found) {
    INFO(path.string());
    hlo::Module input = frontends::read_module(path.string());
    optimizer::Result result = optimizer::optimize(input, {});
    CHECK(result.verified.not_checked.empty());
    CHECK(result.output_cost.time <= result.input_cost.time);
    CHECK(result.output_cost.time <= std::max(result.input_cost.time, result.greedy_cost.time));
    CHECK(result.output_cost.time <= result.greedy_cost.time);
    std::string text = frontends::write_text(result.output);
    if (result.origin == optimizer::Origin::kInput) {
      CHECK(text == *input.source);
      continue;
    }
    CHECK(result.output_cost.time < result.input_cost.time);
    hlo::Module output = frontends::read_text(text, "output");
    REQUIRE(optimizer::testing::touched_without_need(input, result.output, output) == "");
  }
}

TEST_CASE("every corpus module with combined collectives: proved, never more launches, once") {
  int64_t written = 0, fewer = 0;
  for (const std::filesystem::path& path : modules()) {
    for (const char* combiner : {"neuron", "xla-gpu"}) {
      // Large modules take as long again for the other combiner and hold nothing new; with
      // sanitizers that is so of all.
      const size_t largest = flipsat::testing::length<size_t>({60'000, 60'000}, {60'000, 0});
      if (combiner != std::string("neuron") && std::filesystem::file_size(path) > largest) continue;
      INFO(path.string() << " " << combiner);
      optimizer::Options options;
      options.cost.combiner = hlo::combiner_preset(combiner);
      options.headroom = false;
      const optimizer::Result plain = optimize_file(path, options);
      options.emit_combined = true;
      const optimizer::Result result = optimize_file(path, options);
      if (!result.combined) continue;  // a module that is left alone as a whole
      CHECK(result.combined->why_not == "");
      CHECK(result.verified.not_checked.size() == plain.verified.not_checked.size());
      CHECK(result.output_cost.time <= plain.output_cost.time);
      CHECK(result.output_cost.plain.launches <= plain.output_cost.plain.launches);
      CHECK(result.output_cost.plain.launches <= result.combined->planned);
      CHECK(result.output_cost.plain.launches >= result.combined->bound);
      written += result.combined->written;
      fewer += result.output_cost.plain.launches < plain.output_cost.plain.launches;
      const std::string text = frontends::write_text(result.output);
      const hlo::Module output = frontends::read_text(text, "output");
      hlo::verify_module(output, result.counts);
      const hlo::PackingPlan again =
          hlo::plan_packing(output, hlo::CallGraph(output), options.cost.combiner, 1'000'000);
      CHECK(again.batches.empty());
      const optimizer::Result second = optimizer::optimize(output, options);
      CHECK(second.combined->written == 0);
      // Unless rules find more in what they have made, nothing changes.
      if (second.changes.empty()) CHECK(frontends::write_text(second.output) == text);
    }
  }
  std::cout << "counted: combined collectives written for the corpus: " << written
            << ", modules with fewer launches: " << fewer << "\n";
  // One of two is among the large modules, which sanitizers leave out.
  if (!corpus().empty()) CHECK(fewer >= flipsat::testing::length<int64_t>({2, 2}, {1, 1}));
}

TEST_CASE("programs known to gain do so without the greedy order's help") {
  const std::set<std::string> gaining = {
      "sm_cast_after_gather.hlo.gz",   "sm_zero1_explicit.hlo.gz",
      "sm_lora_sum_of_gathers.hlo.gz", "fsdp_gather_then_cast_scan.hlo.gz",
      "tp_seqpar_unroll4.hlo.gz",      "maxtext_llama_tp4_fsdp4.1post_spmd.hlo.gz"};
  std::set<std::string> seen;
  for (const std::filesystem::path& path : modules()) {
    if (path.parent_path().filename() == "optimized") continue;
    if (!gaining.count(path.filename().string())) continue;
    seen.insert(path.filename().string());
    INFO(path.string());
    optimizer::Options options;
    CHECK(optimize_file(path, options).output_cost.time <
          optimize_file(path, options).input_cost.time);
    options.greedy_seed = false;
    optimizer::Result alone = optimize_file(path, options);
    CHECK(alone.origin == optimizer::Origin::kEGraph);
    CHECK(alone.output_cost.time < alone.input_cost.time);
  }
#if !defined(__SANITIZE_ADDRESS__)
  if (!corpus().empty()) CHECK(seen == gaining);
#endif
}

TEST_CASE("own-shard slices of all-reduces become reduce-scatters where that pays") {
  for (const std::filesystem::path& path : modules()) {
    if (path.filename() != "fsdp_unroll24.hlo.gz") continue;
    optimizer::Result result = optimize_file(path);
    int64_t scatters = 0;
    for (hlo::ComputationId id : result.output.order) {
      for (hlo::InstructionId i : result.output.computations[id].instructions) {
        scatters += result.output[i].opcode == hlo::Opcode::kReduceScatter;
      }
    }
    int64_t kept = std::count_if(result.kept.begin(), result.kept.end(),
                                 [](const auto& site) { return site.rule == "reduce-own-shard"; });
    CHECK(scatters + kept == 169);
    CHECK(scatters >= 160);
  }
}

int64_t count_if(const hlo::Module& module, auto is_wanted) {
  int64_t count = 0;
  for (hlo::ComputationId id : module.order) {
    for (hlo::InstructionId i : module.computations[id].instructions) count += is_wanted(module[i]);
  }
  return count;
}

optimizer::Result optimize_reassoc(const std::filesystem::path& path) {
  optimizer::Options options;
  options.numerics = hlo::Numerics::kReassoc;
  options.headroom = false;
  return optimize_file(path, options);
}

TEST_CASE("trees of scalar sums become one all-reduce each under reassoc") {
  for (const std::filesystem::path& path : modules()) {
    if (path.filename() != "hlo_llama31_8b_bf16_1x8.hlo.gz") continue;
    auto is_scalar_sum = [](const hlo::Instruction& instruction) {
      return instruction.opcode == hlo::Opcode::kAllReduce && instruction.shape.is_array() &&
             instruction.shape.rank() == 0 && instruction.shape.type == hlo::ElementType::kF32;
    };
    CHECK(count_if(frontends::read_module(path.string()), is_scalar_sum) == 905);
    optimizer::Result result = optimize_reassoc(path);
    CHECK(result.verified.not_checked.empty());
    CHECK(count_if(result.output, is_scalar_sum) <= 5);
  }
}

TEST_CASE("gradients that tensor parallelism sums are added before their all-reduce") {
  for (const std::filesystem::path& path : modules()) {
    if (path.filename() != "tp_unroll4.hlo.gz") continue;
    if (path.parent_path().filename() != "spmd") continue;
    optimizer::Result result = optimize_reassoc(path);
    CHECK(result.verified.not_checked.empty());
    CHECK(result.output_cost.time * 10 < result.input_cost.time * 9);
  }
}

TEST_CASE("no all-reduce of an all-reduce is left under reassoc") {
  for (const std::filesystem::path& path : modules()) {
    if (path.filename() != "tp_fsdp_2d_scan.hlo.gz") continue;
    hlo::Module input = frontends::read_module(path.string());
    auto is_nested = [](const hlo::Module& module) {
      return [&](const hlo::Instruction& instruction) {
        return instruction.opcode == hlo::Opcode::kAllReduce &&
               module[instruction.operands[0]].opcode == hlo::Opcode::kAllReduce;
      };
    };
    CHECK(count_if(input, is_nested(input)) > 0);
    optimizer::Result result = optimize_reassoc(path);
    CHECK(count_if(result.output, is_nested(result.output)) == 0);
  }
}

TEST_CASE("programs whose gathers carry tokens end with no more gathers") {
  for (const std::filesystem::path& path : modules()) {
    if (!path.filename().string().starts_with("txla_")) continue;
    INFO(path.string());
    auto is_gather = [](const hlo::Instruction& instruction) {
      return instruction.opcode == hlo::Opcode::kAllGather;
    };
    hlo::Module input = frontends::read_module(path.string());
    CHECK(count_if(optimize_file(path).output, is_gather) <= count_if(input, is_gather));
  }
}

TEST_CASE("the same input gives the same bytes twice") {
  for (const std::filesystem::path& path : modules()) {
    std::string name = path.filename().string();
    if (name != "tp_seqpar_unroll4.hlo.gz" && name != "tp_fsdp_2d_scan.hlo.gz") continue;
    INFO(name);
    CHECK(frontends::write_text(optimize_file(path).output) ==
          frontends::write_text(optimize_file(path).output));
  }
}

}  // namespace
}  // namespace flipsat
