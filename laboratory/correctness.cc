#include "laboratory/correctness.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "hlo/reducer.h"
#include "verify/compare.h"
#include "verify/numbers.h"

namespace flipsat::laboratory {
namespace {

// Elements that numbers may look at: some seconds.
constexpr int64_t kNumbersWork = 20'000'000;

verify::Options symbolic_options(const hlo::Module& before, const hlo::Module& after,
                                 const hlo::DeviceCounts& counts,
                                 const optimizer::Options& options) {
  verify::Options how;
  if (options.verify == optimizer::VerifyLevel::kFull) how.level = verify::Options::Level::kFull;
  how.numerics = options.numerics;
  if (counts.known) how.devices = {counts.replicas, counts.partitions};
  how.assume_replicated = options.assume_replicated;
  how.assume_finite = options.assume_finite;
  // Only what passes have brought may be wider; no names would stand for all.
  how.precise_sites.insert("");
  for (size_t id = before.instructions.size(); id < after.instructions.size(); ++id) {
    how.precise_sites.insert(after[static_cast<hlo::InstructionId>(id)].name);
  }
  return how;
}

// What passes brought with a reducer of another type than the data has (literal ones keep the old
// one when they convert first) is read as backends read it: its operation, on the data.
hlo::Module as_backends_read(const hlo::Module& before, hlo::Module after) {
  for (size_t id = before.instructions.size(); id < after.instructions.size(); ++id) {
    const hlo::Instruction& made = after[static_cast<hlo::InstructionId>(id)];
    const hlo::ComputationList called = made.called_computations();
    if (!hlo::is_collective(made.opcode) || called.size() != 1 || made.operands.size() != 1)
      continue;
    const hlo::ElementType type = after[made.operands.front()].shape.type;
    const std::optional<hlo::Reducer> reducer = hlo::recognise_reducer(after, called.front());
    if (!reducer || reducer->type == type) continue;
    hlo::ComputationList retyped{hlo::find_or_add_reducer(after, reducer->kind, type)};
    after.instructions[id].set(hlo::AttributeKey::kToApply, std::move(retyped));
  }
  return after;
}

}  // namespace

Correctness check(const hlo::Module& before, const hlo::Module& program,
                  const hlo::DeviceCounts& counts, const optimizer::Options& options) {
  if (options.verify == optimizer::VerifyLevel::kOff) {
    return {Correct::kUnchecked, "not asked for"};
  }
  const hlo::Module after = as_backends_read(before, program);
  const verify::Options how = symbolic_options(before, after, counts, options);
  const verify::Result result = verify::compare(before, after, how);
  switch (result.verdict) {
    case verify::Verdict::kSame:
      return {Correct::kYes, ""};
    case verify::Verdict::kDifferent: {
      const verify::Difference& difference = result.differences.front();
      return {Correct::kNo,
              fmt::format("%{} in {} differs on device {} at [{}]: {}", difference.instruction,
                          difference.computation, difference.device,
                          fmt::join(difference.index, ","), difference.text)};
    }
    case verify::Verdict::kNotChecked:
      break;
  }
  verify::NumberOptions numbers;
  numbers.devices = how.devices;
  numbers.assume_replicated = how.assume_replicated;
  numbers.work = kNumbersWork;
  const verify::NumberComparison found = verify::compare_on_numbers(before, after, numbers);
  if (found.compared && found.differing > 0) {
    return {Correct::kNo, fmt::format("{} elements differ on a random input, by up to {:.6g}",
                                      found.differing, found.max_abs)};
  }
  if (result.not_checked.empty()) return {Correct::kUnchecked, "it cannot be told"};
  const verify::NotChecked& value = result.not_checked.front();
  return {Correct::kUnchecked, fmt::format("%{}: {}", value.instruction, value.reason)};
}

std::string to_string(Correct correct) {
  switch (correct) {
    case Correct::kYes:
      return "yes";
    case Correct::kNo:
      return "no";
    case Correct::kUnchecked:
      return "unchecked";
  }
  return "";
}

}  // namespace flipsat::laboratory
