// How many operands an opcode takes.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "hlo/opcode.h"

namespace flipsat::hlo {

struct OperandCount {
  static constexpr size_t kAny = std::numeric_limits<size_t>::max();

  bool allows(size_t count) const { return count >= least && count <= most; }

  size_t least = 0;
  size_t most = kAny;
};

OperandCount operand_count(Opcode opcode);

// "2", "1 to 2", "at least 1".
std::string to_string(OperandCount count);

}  // namespace flipsat::hlo
