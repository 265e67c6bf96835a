// What kind of proto a file is, told by its bytes before anything is parsed.
//
// All kinds are messages whose field 1 is text or another message, which protobuf cannot tell
// apart; what a module must hold, an instruction with an opcode, can be found all the same.
#pragma once

#include <optional>
#include <string_view>

namespace flipsat::frontends {

enum class ProtoKind { kModule, kProto, kModuleWithConfig, kSnapshot };

// Nullopt where no module is found. Looks only at fields that lead to one.
std::optional<ProtoKind> kind_of_proto(std::string_view bytes);

// Begins as a proto of any kind, even if it is damaged further on; never true of text.
bool begins_as_proto(std::string_view bytes);

}  // namespace flipsat::frontends
