// HLO protos: read and written. See docs/hlo-protos.md for what is kept.
#pragma once

#include <string>
#include <string_view>

#include "hlo/module.h"

namespace flipsat::frontends {

// Do these bytes begin as a serialized module does, bare or in one of its wrappings? Never true of
// text.
bool looks_like_proto(std::string_view bytes);

// Is there a module in them?
bool holds_module(std::string_view bytes);

// Reads a module, or what holds one: HloProto, HloModuleProtoWithConfig, HloSnapshot. The module
// keeps the message, unknown fields included, and `source` is its text in XLA's long form. Throws
// hlo::InputError; where an instruction is at fault, the words begin with its name.
hlo::Module read_proto(std::string bytes, const std::string& file);

bool was_read_from_proto(const hlo::Module& module);
// The bytes that were read; only of a module that was read from a proto.
const std::string& original_bytes(const hlo::Module& module);

// The module as a message: of the kind that it was read from, else a bare module. Instructions that
// nobody touched keep their message, and a module that nobody touched is its bytes again. Throws
// hlo::InputError for what protos cannot say.
std::string write_proto(const hlo::Module& module);

}  // namespace flipsat::frontends
