// One pass over all changed values of two modules: what there is to prove, in which order, and what
// follows from it.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "verify/compare.h"
#include "verify/cuts.h"
#include "verify/pairing.h"
#include "verify/prover.h"
#include "verify/same_operation.h"

namespace flipsat::verify {

// What to do with a pair of one name that is not shown to be equal.
enum class OnFailure : uint8_t {
  kReport,  // report it, and go on as if it were equal: every change is judged by itself
  kPart,    // they are two different things: only the results of the module count
};

// Computations that are places of their own (not reducers, fusions) and that the entry reaches, in
// text order.
std::vector<hlo::ComputationId> regions_of(const hlo::Module& module);

class RegionCheck {
 public:
  RegionCheck(const hlo::Module& before, const hlo::Module& after, const hlo::DeviceCounts& counts,
              Facts& facts, const ProverOptions& options, OnFailure on_failure);

  // Result of the pass. With kPart only the entry's root decides the verdict, and no values are
  // reported.
  Result run();

 private:
  void check_region(hlo::ComputationId before, hlo::ComputationId after);
  bool is_unchanged(hlo::InstructionId before, hlo::InstructionId after);
  bool same_form(hlo::InstructionId before, hlo::InstructionId after);
  Proof check_value(hlo::InstructionId before, hlo::InstructionId after);
  // Of an operation that is the same on both sides: equal operands make equal results.
  Proof check_operands(hlo::InstructionId before, hlo::InstructionId after);
  Proof prove(hlo::InstructionId before, hlo::InstructionId after, bool open, int64_t doubt);
  void check_effects(const hlo::Module& module, hlo::ComputationId computation, bool is_before);
  void look_around(hlo::InstructionId before, hlo::InstructionId after);
  bool is_called_otherwise(hlo::ComputationId after) const;
  void report(hlo::InstructionId after, const Proof& proof);
  std::vector<bool> needed_in(hlo::ComputationId after) const;

  const hlo::Module& before_;
  const hlo::Module& after_;
  hlo::DeviceCounts counts_;
  OnFailure on_failure_;
  Pairing pairing_;
  OperationComparer operations_;
  Cuts cuts_;
  Prover prover_;
  // Of operands, with or without much doubt.
  std::map<std::tuple<hlo::InstructionId, hlo::InstructionId, bool>, Proof> operand_proofs_;
  Result result_;
};

}  // namespace flipsat::verify
