// The verifier's power: optimised random programs, each changed instruction broken in every way
// that applies. What changes a value must be refused, and what was not broken must not.
#include <cstdlib>
#include <optional>
#include <set>

#include "frontends/text/text.h"
#include "optimizer/optimize.h"
#include "optimizer/random_selection.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/random_programs/generator.h"
#include "tests/random_programs/random.h"
#include "tests/verify/any_order.h"
#include "tests/verify/mutant_counts.h"
#include "tests/verify/mutation.h"
#include "verify/numbers.h"

namespace flipsat::verify::testing {
namespace {

constexpr int64_t kMostMutants = 60;  // of a program

// Do two modules differ on any of some inputs? Nullopt where they cannot be run.
std::optional<bool> differ_on_numbers(const hlo::Module& a, const hlo::Module& b) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    NumbersInAnyOrder numbers(seed, seed == 4);
    NumberOptions how;
    how.domain = &numbers;
    how.work = 3'000'000;
    const NumberComparison same = compare_on_numbers(a, b, how);
    if (!same.compared) return std::nullopt;
    if (same.differing > 0) return true;
  }
  return false;
}

// The module with all arrays of its entry that `other` has by the same name as results.
hlo::Module exposed(hlo::Module module, const hlo::Module& other) {
  std::set<std::string> names;
  for (hlo::InstructionId id : other.entry_computation().instructions) {
    names.insert(other[id].name);
  }
  hlo::Instruction root;
  root.name = "exposed";
  root.opcode = hlo::Opcode::kTuple;
  root.computation = module.entry;
  std::vector<hlo::Shape> parts;
  for (hlo::InstructionId id : module.entry_computation().instructions) {
    if (!module[id].shape.is_array() || !names.count(module[id].name)) continue;
    root.operands.push_back(id);
    parts.push_back(module[id].shape);
  }
  root.shape = hlo::Shape::tuple(std::move(parts));
  hlo::Computation& entry = module.computations[module.entry];
  entry.root = static_cast<hlo::InstructionId>(module.instructions.size());
  entry.instructions.push_back(entry.root);
  module.instructions.push_back(std::move(root));
  return module;
}

void break_everything(const hlo::Module& input, const hlo::Module& output,
                      const hlo::DeviceCounts& devices, uint64_t seed, MutantCounts& counts) {
  std::vector<Mutant> mutants;
  for (hlo::InstructionId id : changed_instructions(input, output)) {
    for (Mutant& mutant : mutants_of(output, devices, id, seed)) {
      mutants.push_back(std::move(mutant));
    }
  }
  random_programs::Random random(seed);
  random.shuffle(mutants);
  if (mutants.size() > kMostMutants) mutants.resize(kMostMutants);
  for (const Mutant& mutant : mutants) {
    const std::optional<bool> changes = differ_on_numbers(input, mutant.module);
    if (!changes) {
      ++counts.by_kind[mutant.kind].undecided;
      continue;
    }
    const Result result = compare(input, mutant.module, {});
    // A value may differ that what follows hides: a clamp, a comparison, infinities.
    const bool is_hidden =
        !*changes && result.verdict == Verdict::kDifferent &&
        differ_on_numbers(exposed(input, mutant.module), exposed(mutant.module, input)) == true;
    if (!counts.add(mutant.kind, *changes, is_hidden, result)) continue;
    std::cout << "missed: " << mutant.kind << ", seed " << seed << "\n"
              << frontends::write_text(input) << "\nbecomes\n"
              << frontends::write_text(mutant.module) << "\n";
    FAIL_CHECK("missed: " << mutant.kind << ", seed " << seed);
  }
}

TEST_CASE("every mutant of a random program that changes a value is refused") {
  const char* number = std::getenv("FLIPSAT_MUTANT_PROGRAMS");
  const uint64_t programs = number ? std::strtoull(number, nullptr, 10)
                                   : flipsat::testing::length<uint64_t>({100, 40}, {10, 4});
  MutantCounts counts;
  int64_t outputs = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    INFO("seed " << seed);
    const hlo::Module input =
        frontends::read_text(random_programs::random_program(seed), "random.hlo");
    const hlo::DeviceCounts devices = hlo::infer_device_counts(input, {});
    random_programs::Random random(seed);
    std::vector<hlo::Module> programs_of_it;
    optimizer::Options options;
    options.cost.objective = random.one_of({extract::Objective::kTime, extract::Objective::kBytes});
    optimizer::Result result = optimizer::optimize(input, options);
    if (!result.changes.empty()) programs_of_it.push_back(std::move(result.output));
    optimizer::RandomSelection selection(input, devices, {}, {}, true);
    auto drawn = selection.draw(random);
    if (drawn && !drawn->patches.empty()) programs_of_it.push_back(std::move(drawn->module));
    for (const hlo::Module& output : programs_of_it) {
      ++outputs;
      CHECK(compare(input, output, {}).verdict != Verdict::kDifferent);
      break_everything(input, output, devices, seed, counts);
    }
  }
  counts.print(std::to_string(outputs) + " rewritten random programs");
  CHECK(counts.total().missed == 0);
}

}  // namespace
}  // namespace flipsat::verify::testing
