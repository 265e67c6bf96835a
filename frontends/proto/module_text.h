// A module's message as HLO text in XLA's long form, which the text reader then reads.
//
// So there is one reader of everything: spellings, limits and checks of text hold for protos too.
#pragma once

#include <string>
#include <vector>

#include "frontends/proto/hlo.pb.h"

namespace flipsat::frontends {

struct ModuleText {
  std::string text;
  // Of each computation in the message's order: its instructions as they are printed, by their
  // position in the message. A schedule's order where there is one.
  std::vector<std::vector<int>> order;
};

// `config` may be null. Throws std::runtime_error with what was expected, after the name of the
// instruction where one is at fault; also for a text of more than `max_bytes`.
ModuleText module_text(const hlo_proto::Module& message, const hlo_proto::ModuleConfig* config,
                       size_t max_bytes);

}  // namespace flipsat::frontends
