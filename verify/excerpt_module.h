// A module that is put together from instructions of another one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::verify {

class ExcerptModule {
 public:
  ExcerptModule(const hlo::Module& source, const hlo::DeviceCounts& counts);

  // A parameter of the entry; returns its id.
  hlo::InstructionId add_parameter(const std::string& name, const hlo::Shape& shape);
  // Copies of `lines` (operands first) on the entry, where `known` has ids of what is there already
  // by ids of the source; the copies are added to it.
  void add_lines(const std::vector<hlo::InstructionId>& lines,
                 std::map<hlo::InstructionId, hlo::InstructionId>& known);
  // A value that is a result: an array, or each array of a tuple.
  void add_result(hlo::InstructionId value);
  hlo::Module finish();

 private:
  hlo::InstructionId add(hlo::ComputationId computation, hlo::Instruction instruction);
  hlo::Instruction copy_of(hlo::InstructionId id);
  hlo::ComputationId copy_computation(hlo::ComputationId id);

  const hlo::Module& source_;
  hlo::Module module_;
  std::map<hlo::ComputationId, hlo::ComputationId> copied_;
  std::vector<hlo::InstructionId> results_;
  int64_t channels_ = 0;
};

}  // namespace flipsat::verify
