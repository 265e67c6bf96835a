#include "verify/compare.h"

#include "verify/added_elements.h"
#include "verify/facts.h"
#include "verify/region_check.h"

namespace flipsat::verify {

namespace {

// Programs that are called in another way are not compared further.
std::string signature_difference(const hlo::Module& before, const hlo::Module& after) {
  if (before.entry == hlo::kNoId || after.entry == hlo::kNoId)
    return "there is no entry computation";
  const hlo::Computation& b = before.entry_computation();
  const hlo::Computation& a = after.entry_computation();
  if (b.parameters.size() != a.parameters.size()) return "the number of parameters differs";
  for (size_t i = 0; i < b.parameters.size(); ++i) {
    if (!before[b.parameters[i]].shape.same_value_shape(after[a.parameters[i]].shape)) {
      return "the shape of parameter " + std::to_string(i) + " differs";
    }
  }
  if (!before[b.root].shape.same_value_shape(after[a.root].shape)) {
    return "the shape of the result differs";
  }
  return {};
}

Result refused(const hlo::Module& after, std::string text) {
  Result result;
  result.verdict = Verdict::kDifferent;
  Difference difference;
  if (after.entry != hlo::kNoId) {
    difference.computation = after.entry_computation().name;
    difference.instruction = after[after.entry_computation().root].name;
  }
  difference.text = std::move(text);
  result.differences.push_back(std::move(difference));
  return result;
}

}  // namespace

Result compare(const hlo::Module& before, const hlo::Module& after, const Options& options) {
  std::string difference = signature_difference(before, after);
  if (!difference.empty()) return refused(after, difference);
  hlo::DeviceCounts counts = hlo::infer_device_counts(before, options.devices);
  hlo::DeviceCounts after_counts = hlo::infer_device_counts(after, options.devices);
  const auto says_devices = [](const hlo::Module& module) {
    return module.num_partitions.has_value() || module.replica_count.has_value();
  };
  if (counts.known && after_counts.known && says_devices(before) && says_devices(after) &&
      (counts.replicas != after_counts.replicas || counts.partitions != after_counts.partitions)) {
    return refused(after, "the number of devices differs");
  }
  if (std::optional<hlo::Module> shorter = without_added_elements(before, after)) {
    return compare(before, *shorter, options);
  }
  Facts facts(before, counts, options.assume_replicated);
  ProverOptions prover;
  prover.seed = options.seed;
  prover.every_element = options.level == Options::Level::kFull;
  prover.work = options.work;
  prover.numerics = options.numerics;
  prover.assume_finite = options.assume_finite;
  prover.precise_sites = options.precise_sites;

  RegionCheck by_value(before, after, counts, facts, prover, OnFailure::kReport);
  Result result = by_value.run();
  if (result.verdict == Verdict::kSame) return result;

  // Values of one name may be two different things, and the programs still the same.
  prover.work = options.work / 100;
  RegionCheck by_result(before, after, counts, facts, prover, OnFailure::kPart);
  Result second = by_result.run();
  result.elements += second.elements;
  if (second.verdict != Verdict::kSame) return result;
  second.elements = result.elements;
  return second;
}

}  // namespace flipsat::verify
