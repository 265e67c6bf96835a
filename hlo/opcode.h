// HLO opcodes, their spellings, and the facts about them that need no operands.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flipsat::hlo {

enum class Opcode : uint8_t {
#define FLIPSAT_OPCODE(enumerator, spelling, arity, commutative) enumerator,
#include "hlo/opcodes.inc"
#undef FLIPSAT_OPCODE
};

std::string_view to_string(Opcode opcode);
std::optional<Opcode> opcode_from_string(std::string_view spelling);

// Operands of an elementwise operation (1, 2 or 3), or 0 where the opcode is not elementwise.
// bitcast-convert counts: callers must check that both element widths agree.
int elementwise_arity(Opcode opcode);
bool is_commutative(Opcode opcode);

// Moves data between devices: gathers, reductions, permutes, all-to-alls, broadcasts, and their
// native asynchronous starts (not the -done halves, nor async-start around a computation).
bool is_collective(Opcode opcode);

// The synchronous opcode of a native asynchronous start (all-gather-start: all-gather), or itself.
Opcode synchronous(Opcode opcode);

}  // namespace flipsat::hlo
