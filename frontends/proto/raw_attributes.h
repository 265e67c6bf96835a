// Attributes that are spelled in a way of their own: windows, slices, padding, aliases and so on.
#pragma once

#include <string>

#include "frontends/proto/hlo.pb.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// `, name=value` of those that stand among an opcode's own attributes; before those of the table
// where `leading` (what all collectives begin with).
void append_raw_attributes(const hlo_proto::Instruction& message, bool leading, std::string& out);

// `{{0}: (1, {}), {}: (2, {0}, must-alias)}`: shape index, number, shape index; parts of aliases.
std::string shape_index_text(const google::protobuf::RepeatedField<int64_t>& index);

// False where the attribute is none of these.
bool set_raw_attribute(const hlo::Instruction& instruction, const hlo::Attribute& attribute,
                       hlo_proto::Instruction* message);

}  // namespace flipsat::frontends
