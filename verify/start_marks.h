// Which integers say where a slice starts, and how many starts are in range: an unknown one is then
// drawn from there, so that slices differ where starts do.
#pragma once

#include <map>

#include "hlo/module.h"

namespace flipsat::verify {

class StartMarks {
 public:
  explicit StartMarks(const hlo::Module& module) : module_(module) {}

  // About how many starts are in range for the integers of a value (a part of a tuple), 0 where
  // none of them is known to be a start. The value's computation is looked through once.
  int64_t of(hlo::InstructionId value, uint32_t part);

 private:
  void look_through(hlo::ComputationId computation);
  void mark(hlo::InstructionId value, uint32_t part, int64_t starts);

  const hlo::Module& module_;
  std::vector<bool> seen_;
  std::map<std::pair<hlo::InstructionId, uint32_t>, int64_t> marks_;
};

}  // namespace flipsat::verify
