// Does one module compute what another does? Symbolically, at the true shapes, on all devices.
//
//   Result r = compare(before, after, {});
//   if (r.verdict != Verdict::kSame) ... r.differences, r.not_checked
//
// Values of the same name are taken in order: one whose instruction and operands are unchanged is
// equal without looking inside, each other one is proved equal and then taken as equal, so that
// only the neighbourhoods of changes cost anything; values changed in the same way share a proof.
// Computations are compared one by one, as functions of their parameters; elements that loops of
// `after` carry beyond those of `before` are first computed in their bodies (added_elements.h).
// Where that fails, one name may stand for two things: the modules are then compared once more by
// their results alone. Nothing here knows of rewrites.
//
// "Same" is said on a sample of elements (all of them with `kFull`), up to collisions of 64-bit
// fingerprints. "Different" is said where nothing is left that could make the values equal.
// Everything else is "not checked", with the instruction that stands in the way.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "hlo/numerics.h"

namespace flipsat::verify {

enum class Verdict : uint8_t { kSame, kDifferent, kNotChecked };

struct Options {
  enum class Level : uint8_t { kQuick, kFull };
  Level level = Level::kQuick;
  hlo::Numerics numerics = hlo::Numerics::kExact;
  hlo::DeviceCountOverrides devices;
  std::unordered_set<std::string> assume_replicated;  // entry parameters, by name
  bool assume_finite = false;                         // x times 0 is 0, -0 is 0
  // From `precise` on: sum-collectives of `after` that may be wider renderings of narrow sums;
  // empty stands for all.
  std::unordered_set<std::string> precise_sites;
  uint64_t seed = 1;
  int64_t work = 400'000'000;  // elements looked at, in all
};

struct Difference {
  std::string computation;
  std::string instruction;  // of `after`
  int64_t device = 0;
  std::vector<int64_t> index;
  std::string text;  // where the differing element comes from on either side
};

struct NotChecked {
  std::string instruction;  // of `after`
  std::string reason;
};

struct Result {
  Verdict verdict = Verdict::kSame;
  int64_t values = 0;    // that had to be proved
  int64_t elements = 0;  // compared, on all devices
  std::vector<NotChecked> not_checked;
  std::vector<Difference> differences;
};

Result compare(const hlo::Module& before, const hlo::Module& after, const Options& options);

}  // namespace flipsat::verify
