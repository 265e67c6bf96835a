// Replica groups of HLO protos: lists, iota, mesh axes; in the field of each age of the format.
#pragma once

#include <string>

#include "frontends/proto/hlo.pb.h"
#include "hlo/attribute.h"

namespace flipsat::frontends {

// The spelling of HLO text; `{}` where the message has none.
std::string groups_text(const hlo_proto::Instruction& message);

// Iota and mesh groups are written in their own field, and expanded in the oldest one as well: a
// reader that does not know the newer field would else take no groups for one group of all.
void set_groups(const hlo::Attribute& attribute, hlo_proto::Instruction* message);

}  // namespace flipsat::frontends
