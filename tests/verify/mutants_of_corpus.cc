// The verifier's power on real programs, at their true shapes: every module of the corpus that
// FLIPSAT_CORPUS names is optimised, and each changed instruction broken in every way that applies.
// FLIPSAT_MUTANTS is about how many there are in all.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "frontends/file.h"
#include "frontends/text/text.h"
#include "optimizer/optimize.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/optimizer/random_selection.h"
#include "tests/random_programs/random.h"
#include "tests/verify/mutant_counts.h"
#include "tests/verify/mutation.h"
#include "tests/verify/value_change.h"

namespace flipsat::verify::testing {
namespace {

constexpr int64_t kWork = 10'000'000;  // of a comparison; more is "not checked"
constexpr size_t kSmall = 60;
constexpr int kDraws = 40;

std::vector<std::string> corpus_modules() {
  const char* corpus = std::getenv("FLIPSAT_CORPUS");
  std::vector<std::string> paths;
  if (!corpus) {
    std::cout << "skipped: FLIPSAT_CORPUS is not set\n";
    return paths;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".hlo") || name.ends_with(".hlo.gz")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Few instructions on small arrays: cheap to compare.
bool is_small_module(const hlo::Module& module) {
  int64_t elements = 0;
  for (const hlo::Instruction& in : module.instructions) {
    if (in.shape.is_array()) elements = std::max(elements, in.shape.element_count());
    if (in.opcode == hlo::Opcode::kDot) return false;
  }
  return module.instructions.size() <= kSmall && elements <= 1 << 26;
}

// Breaks instructions in turn until there are enough mutants.
void break_some(const hlo::Module& input, const hlo::Module& output,
                const hlo::DeviceCounts& devices, size_t most, MutantCounts& counts) {
  std::vector<hlo::InstructionId> changed = changed_instructions(input, output);
  random_programs::Random random(changed.size());
  random.shuffle(changed);
  const ValueChange change(input, devices);
  Options how;
  how.work = kWork;
  size_t made = 0;
  for (hlo::InstructionId id : changed) {
    std::vector<Mutant> mutants = mutants_of(output, devices, id, random.next());
    random.shuffle(mutants);
    // All ways where there is room, some of each instruction where there is not.
    if (changed.size() * 4 > most && mutants.size() > 4) mutants.resize(4);
    for (const Mutant& mutant : mutants) {
      if (made++ >= most) return;
      const std::optional<bool> changes = change.at(mutant.module, output, id);
      if (!changes) {
        ++counts.by_kind[mutant.kind].undecided;
        continue;
      }
      if (!counts.add(mutant.kind, *changes, false, compare(input, mutant.module, how))) continue;
      FAIL_CHECK("missed: " << mutant.kind << " at " << frontends::print_instruction(output, id)
                            << "\nwhich became "
                            << frontends::print_instruction(mutant.module, id));
    }
  }
}

// The module optimised for two objectives and, where it is small, other programs of its e-graph.
std::vector<hlo::Module> rewritten(const hlo::Module& input, const hlo::DeviceCounts& devices) {
  std::vector<hlo::Module> outputs;
  for (extract::Objective objective : {extract::Objective::kTime, extract::Objective::kBytes}) {
    optimizer::Options options;
    options.cost.objective = objective;
    options.greedy_seed = false;
    optimizer::Result result = optimizer::optimize(input, options);
    if (!result.changes.empty()) outputs.push_back(std::move(result.output));
  }
  if (!is_small_module(input) || !devices.known) return outputs;
  optimizer::testing::RandomSelection selection(input, devices, {}, {}, false);
  random_programs::Random random(input.instructions.size());
  for (int draw = 0; draw < kDraws; ++draw) {
    auto drawn = selection.draw(random);
    if (drawn && !drawn->patches.empty()) outputs.push_back(std::move(drawn->module));
  }
  return outputs;
}

TEST_CASE("every mutant of a rewritten corpus module that changes a value is refused") {
  const char* number = std::getenv("FLIPSAT_MUTANTS");
  const size_t wanted = number ? std::strtoull(number, nullptr, 10)
                               : flipsat::testing::length<size_t>({4000, 1500}, {100, 10});
  // Instructions: each mutant costs a comparison of the whole.
  const size_t largest = flipsat::testing::length<size_t>({4000, 4000}, {4000, 500});
  MutantCounts counts;
  int64_t outputs = 0;
  const std::vector<std::string> paths = corpus_modules();
  for (const std::string& path : paths) {
    INFO(path);
    const hlo::Module input = frontends::read_module(path);
    if (input.instructions.size() > largest) continue;
    const hlo::DeviceCounts devices = hlo::infer_device_counts(input, {});
    const bool is_small = is_small_module(input);
    for (const hlo::Module& output : rewritten(input, devices)) {
      ++outputs;
      CHECK(compare(input, output, {}).verdict == Verdict::kSame);
      // A mutant of a large module costs as much as hundreds of a small one.
      break_some(input, output, devices, is_small ? wanted / 50 : 2, counts);
    }
  }
  if (paths.empty()) return;
  counts.print(std::to_string(outputs) + " rewritten corpus modules");
  const MutantCounts::Row total = counts.total();
  CHECK(total.missed == 0);
  CHECK(total.changing > 0);
}

}  // namespace
}  // namespace flipsat::verify::testing
