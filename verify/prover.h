// Are two values, one of each module, equal for all inputs? Decided on a sample of their elements
// with random interpretation (symbols.h), down to the nearest values known to be equal (cuts.h).
#pragma once

#include <string>
#include <unordered_set>

#include "verify/cuts.h"
#include "verify/likeness.h"
#include "verify/sampling.h"
#include "verify/symbols.h"

namespace flipsat::verify {

struct ProverOptions {
  uint64_t seed = 1;
  bool every_element = false;
  size_t elements = 96;     // of each value, on each device
  int integer_trials = 16;  // more draws where unknown integers were drawn
  size_t trial_elements = 12;
  int64_t work_each = 2'000'000;  // elements looked at, for one value
  int64_t work = 400'000'000;     // in all
  hlo::Numerics numerics = hlo::Numerics::kExact;
  bool assume_finite = false;
  std::unordered_set<std::string> precise_sites;
};

struct Proof {
  enum class Outcome : uint8_t { kEqual, kDifferent, kUnknown };
  Outcome outcome = Outcome::kEqual;
  std::string reason;  // of the other two outcomes
  // Unknown because integers were drawn at random and the laws for them are not complete.
  bool undecided = false;
  // Where they differ, and where the differing elements come from.
  uint32_t part = 0;
  int64_t device = 0;
  int64_t index = 0;
};

class Prover {
 public:
  Prover(const hlo::Module& before, const hlo::Module& after, const hlo::DeviceCounts& counts,
         Cuts& cuts, const ProverOptions& options);

  // What the neighbourhood of the next proofs looks like.
  void set_surroundings(Borders borders, std::vector<hlo::DeviceGroupsRef> groups);

  // `open`: the two are a pair themselves, and are looked into though it is cut. Where they differ
  // at first sight, `doubt` more work is spent on looking further up.
  Proof prove(hlo::InstructionId before, hlo::InstructionId after, bool open, int64_t doubt);

  int64_t elements() const { return elements_; }

 private:
  struct Sample {
    uint32_t part;
    std::vector<int64_t> elements;
  };

  std::vector<Sample> samples_of(const hlo::Shape& shape, size_t most) const;
  // One element on the devices; true where it is the same on both sides.
  bool element_agrees(hlo::InstructionId before, hlo::InstructionId after, bool open,
                      const std::vector<int64_t>& devices, uint32_t part, int64_t index,
                      uint64_t seed, Proof& proof);
  // One trial; true where no element differs.
  bool agree(hlo::InstructionId before, hlo::InstructionId after, bool open,
             const std::vector<Sample>& samples, uint64_t seed, Proof& proof);
  // Two values differ by their fingerprints: do they for concrete integers?
  void look_for_example(hlo::InstructionId before, hlo::InstructionId after, bool open,
                        Proof& proof);
  bool all_trials_agree(hlo::InstructionId before, hlo::InstructionId after, bool open,
                        Proof& proof);
  void restart(uint64_t seed);
  // `prove` with the laws of one class, looking further up so many times.
  Proof prove_in(hlo::Numerics numerics, int rounds, hlo::InstructionId before,
                 hlo::InstructionId after, bool open, int64_t doubt);
  // Of a difference that an operation known only by name may explain.
  bool rests_on_opaque(Proof& proof) const;
  std::string describe(const hlo::Module& module, const Place& place) const;

  const hlo::Module& before_;
  const hlo::Module& after_;
  hlo::DeviceCounts counts_;
  Cuts& cuts_;
  ProverOptions options_;
  SymbolDomain domain_;
  WorkMeter work_;
  Evaluator before_side_;
  Evaluator after_side_;
  Likeness likeness_;
  Borders borders_;
  std::vector<int64_t> devices_;      // a sample
  std::vector<int64_t> all_devices_;  // but not more than a few thousand
  int64_t elements_ = 0;
  Side side_ = Side::kBefore;   // that is being computed
  bool drew_integers_ = false;  // before the domain was last restarted
  bool met_unknowns_ = false;
  Integers integers_ = Integers::kOpen;
};

}  // namespace flipsat::verify
