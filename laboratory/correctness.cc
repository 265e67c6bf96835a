#include "laboratory/correctness.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/reducer.h"
#include "optimizer/proof.h"
#include "verify/numbers.h"

namespace flipsat::laboratory {
namespace {

// Only what passes have brought may be wider.
std::vector<std::string> brought(const hlo::Module& before, const hlo::Module& after) {
  std::vector<std::string> names;
  for (size_t id = before.instructions.size(); id < after.instructions.size(); ++id) {
    names.push_back(after[static_cast<hlo::InstructionId>(id)].name);
  }
  return names;
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
  const verify::Options how = optimizer::proof_options(counts, options, brought(before, after));
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
  verify::NumberOptions numbers = verify::number_options(how);
  numbers.work = verify::kUnaskedWork;
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
