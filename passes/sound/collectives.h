// What the six have in common: finding the collective below an instruction, reasons to leave it
// alone, and building what takes its place.
#pragma once

#include "hlo/editor.h"
#include "passes/context.h"
#include "passes/verdict.h"

namespace flipsat::passes {

// The collective whose result is operand `index` of `id`, of one of the `opcodes`; kNoId if there
// is none. Parts of a collective with several operands are found too, as that collective.
hlo::InstructionId collective_below(const Context& context, hlo::InstructionId id, size_t index,
                                    std::initializer_list<hlo::Opcode> opcodes);

// Refuses where no rewrite may touch the collective or the instruction above it: several operands,
// control dependencies, a layout, scheduling group or schedule to be kept, dims of unknown size.
// Else accepts.
Verdict may_move(Context& context, hlo::InstructionId above, hlo::InstructionId collective);

// The same devices in the same order, and the same mode, so that channel ids are there on both or
// on neither.
bool same_groups(const Context& context, const hlo::Instruction& a, const hlo::Instruction& b);

// `above` with its attributes, but on other operands and for another value: it stands where the
// collective stood and has the collective's metadata.
hlo::Instruction moved_below(const Context& context, hlo::InstructionId above,
                             hlo::InstructionId collective,
                             std::vector<hlo::InstructionId> operands, hlo::Shape shape);

// `collective` with its attributes, but on another operand and in the place of `above`: it has that
// one's shape, metadata and sharding. The channel id is the collective's if that one now goes away,
// else a fresh one; there is none if there was none.
hlo::Instruction moved_above(const Context& context, hlo::ModuleEditor& editor,
                             hlo::InstructionId above, hlo::InstructionId collective,
                             hlo::InstructionId operand);

}  // namespace flipsat::passes
