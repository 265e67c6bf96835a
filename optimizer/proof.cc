#include "optimizer/proof.h"

#include "optimizer/optimize.h"
#include "verify/compare.h"

namespace flipsat::optimizer {
namespace {

std::string describe(const verify::Difference& difference) {
  std::string index;
  for (int64_t i : difference.index) index += (index.empty() ? "" : ",") + std::to_string(i);
  return "%" + difference.instruction + " in " + difference.computation + " at [" + index +
         "] on device " + std::to_string(difference.device) + ": " + difference.text;
}

}  // namespace

verify::Options proof_options(const hlo::DeviceCounts& counts, const Options& options,
                              const std::vector<std::string>& wider) {
  verify::Options how;
  how.level = options.verify == VerifyLevel::kFull ? verify::Options::Level::kFull
                                                   : verify::Options::Level::kQuick;
  how.numerics = options.numerics;
  how.precise_sites.insert(wider.begin(), wider.end());
  // No names would stand for all sites.
  if (wider.empty()) how.precise_sites.insert("");
  if (counts.known) how.devices = {counts.replicas, counts.partitions};
  how.assume_replicated = options.assume_replicated;
  how.assume_finite = options.assume_finite;
  return how;
}

Proof prove(const hlo::Module& before, const hlo::Module& after, const hlo::DeviceCounts& counts,
            const Options& options, const std::vector<std::string>& wider) {
  const verify::Result result =
      verify::compare(before, after, proof_options(counts, options, wider));
  if (result.verdict == verify::Verdict::kDifferent) {
    throw VerificationFailed("the rewritten module computes something else: " +
                             describe(result.differences.front()));
  }
  Proof proof;
  proof.values = result.values;
  proof.elements = result.elements;
  for (const verify::NotChecked& value : result.not_checked) {
    proof.unchecked.push_back({"%" + value.instruction, value.reason});
  }
  return proof;
}

}  // namespace flipsat::optimizer
