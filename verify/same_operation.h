// Do two instructions of two modules do the same to equal operands? Decided without looking inside,
// by opcode, shape and every attribute that steers the result; metadata, shardings, layouts and
// the numbers of channels (but of transfers) do not count.
#pragma once

#include <map>

#include "hlo/module.h"
#include "verify/effects.h"

namespace flipsat::verify {

class OperationComparer {
 public:
  OperationComparer(const hlo::Module& before, const hlo::Module& after)
      : before_(before),
        after_(after),
        acts_before_(acting_instructions(before)),
        acts_after_(acting_instructions(after)) {}

  // Instructions that act on the world outside.
  const std::vector<bool>& acts_before() const { return acts_before_; }
  const std::vector<bool>& acts_after() const { return acts_after_; }

  // Takes two computations for the same, or not, without comparing them: regions, which are proved
  // elsewhere.
  void take_as_same(hlo::ComputationId before, hlo::ComputationId after, bool same);
  bool same_computation(hlo::ComputationId before, hlo::ComputationId after);
  // Operands apart. An elided constant is the same only under the same name.
  bool same_operation(hlo::InstructionId before, hlo::InstructionId after);

 private:
  bool same_attribute(const hlo::Attribute& before, const hlo::Attribute& after);
  bool same_lines(const hlo::Computation& before, const hlo::Computation& after);

  const hlo::Module& before_;
  const hlo::Module& after_;
  std::vector<bool> acts_before_, acts_after_;
  std::map<std::pair<hlo::ComputationId, hlo::ComputationId>, bool> computations_;
};

// An attribute that never changes what its instruction computes.
bool is_remark(const hlo::Instruction& instruction, hlo::AttributeKey key);

}  // namespace flipsat::verify
