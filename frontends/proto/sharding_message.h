// Shardings of HLO protos.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontends/proto/hlo.pb.h"

namespace flipsat::frontends {

// `{devices=[2,1]<=[2]}`; nullopt for what has no text here (named shardings, which say nothing
// that flipsat needs, and stay in the message).
std::optional<std::string> sharding_text(const hlo_proto::Sharding& message);

// False where the text is of a kind that cannot be written. The text reader has checked it.
bool set_sharding(std::string_view text, hlo_proto::Sharding* message);

}  // namespace flipsat::frontends
