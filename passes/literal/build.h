// What the six literal passes build with, in the words of XLA's `Create..` and `Make..Hlo`: an
// instruction has the attributes that were handed over and no other. So sharding, frontend
// attributes, statistics, origin and backend_config are lost, and metadata is where a pass copies
// it.
#pragma once

#include <optional>
#include <string>

#include "hlo/editor.h"
#include "passes/context.h"

namespace flipsat::passes::literal {

// `%name`, as logs call an instruction.
std::string named(const Context& context, hlo::InstructionId id);

bool is_all_gather(const Context& context, hlo::InstructionId id);

// A get-tuple-element of a parameter: to the compiler, the optimizer state that a loop carries.
bool is_part_of_parameter(const Context& context, hlo::InstructionId id);

// The operation `like` on other operands: its opcode, and of its attributes the shape-giving ones.
hlo::Instruction operation(const Context& context, hlo::InstructionId like,
                           std::vector<hlo::InstructionId> operands, hlo::Shape shape);

hlo::Instruction convert(hlo::InstructionId x, hlo::Shape shape);

// The collective `like` on another operand: groups, channel id, constrain_layout,
// use_global_device_ids, dims and reducer are copied.
hlo::Instruction collective(const Context& context, hlo::InstructionId like,
                            hlo::InstructionId operand, hlo::Shape shape);

// hlo_query::NextChannelId: also for a collective that had none, which changes its mode.
void give_next_channel_id(hlo::ModuleEditor& editor, hlo::Instruction& collective);

void copy_metadata(const Context& context, hlo::InstructionId from, hlo::Instruction& to);

// Adds it where `beside` stands, under a name of its own that logs can use.
hlo::InstructionId add(const Context& context, hlo::ModuleEditor& editor, hlo::InstructionId beside,
                       hlo::Instruction instruction);

}  // namespace flipsat::passes::literal
