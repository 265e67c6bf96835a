// Breaking one instruction of a program in every way that applies: a group permuted, a dim swapped,
// a slice shifted, a wrong shard, a narrowed type, another reducer, another operand, ...
#pragma once

#include <string>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::verify::testing {

struct Mutant {
  std::string kind;  // "group permuted"
  hlo::Module module;
};

// Well-formed modules that differ from `module` in that one instruction (or in what is put between
// it and an operand). Names stay as they are. `seed` picks among many of one kind.
std::vector<Mutant> mutants_of(const hlo::Module& module, const hlo::DeviceCounts& counts,
                               hlo::InstructionId at, uint64_t seed);

// Instructions of a patched copy that are new or have other operands.
std::vector<hlo::InstructionId> changed_instructions(const hlo::Module& before,
                                                     const hlo::Module& after);

}  // namespace flipsat::verify::testing
