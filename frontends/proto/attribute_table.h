// Attributes whose value is one field of the instruction's message: which field, and where shown.
//
// One table serves both directions; protobuf's reflection does the rest. What is spelled in a way
// of its own (windows, shardings, metadata) is in raw_attributes.h.
#pragma once

#include <string>

#include "frontends/proto/hlo.pb.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// `, name=value` of every attribute of the table that this instruction has.
void append_table_attributes(const hlo_proto::Instruction& message, std::string& out);

// By the opcode that the message has; false where the table has no such attribute for it.
bool set_table_attribute(const hlo::Attribute& attribute, hlo_proto::Instruction* message);

}  // namespace flipsat::frontends
