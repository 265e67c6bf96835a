// What the grammar demands of an opcode: how many operands, and which attributes it cannot lack.
#pragma once

#include <optional>
#include <string_view>

#include "frontends/text/scanner.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// Refuses wrong operand counts (at `operands_at`) and lacking attributes (at `opcode_at`).
void check_instruction(Scanner& in, const hlo::Module& module, const hlo::Instruction& instruction,
                       size_t opcode_at, size_t operands_at);

// The opcode of `reduce-scatter-start`, `-update`, `-done` and the like: async sugar around an
// opcode that has no asynchronous form of its own.
struct AsyncSugar {
  hlo::Opcode async;
  hlo::Opcode wrapped;
};
std::optional<AsyncSugar> async_sugar(std::string_view word);

}  // namespace flipsat::frontends
