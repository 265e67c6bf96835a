// Which instruction of one module may be which of another. A pairing only proposes: whether paired
// values are equal is for the prover to say.
//
// Computations are paired by name and from their call sites, instructions by name; parameters by
// number. What is left over on both sides is paired by structure: instructions with the same
// operation on paired operands, from the parameters down, then same operations in the same operand
// of paired users, from the root up.
#pragma once

#include <vector>

#include "hlo/module.h"

namespace flipsat::verify {

class Pairing {
 public:
  Pairing(const hlo::Module& before, const hlo::Module& after);

  // kNoId where there is none.
  hlo::InstructionId before_of(hlo::InstructionId after) const { return before_of_[after]; }
  hlo::InstructionId after_of(hlo::InstructionId before) const { return after_of_[before]; }
  hlo::ComputationId before_of_computation(hlo::ComputationId after) const {
    return before_of_computation_[after];
  }
  // Paired by structure, not by name.
  bool is_guess(hlo::InstructionId after) const { return guess_[after]; }
  void part(hlo::InstructionId after);

 private:
  void pair_computations(hlo::ComputationId before, hlo::ComputationId after);
  void pair_called(hlo::InstructionId before, hlo::InstructionId after);
  void pair_by_name(hlo::ComputationId before, hlo::ComputationId after);
  void pair_by_structure(hlo::ComputationId before, hlo::ComputationId after);
  void pair(hlo::InstructionId before, hlo::InstructionId after, bool guess);

  const hlo::Module& before_;
  const hlo::Module& after_;
  std::vector<hlo::InstructionId> before_of_;
  std::vector<hlo::InstructionId> after_of_;
  std::vector<bool> guess_;
  std::vector<hlo::ComputationId> before_of_computation_;
  std::vector<bool> taken_;  // computations of `before`
  std::vector<std::pair<hlo::ComputationId, hlo::ComputationId>> waiting_;
};

}  // namespace flipsat::verify
