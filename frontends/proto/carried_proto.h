// What a module that was read from a proto keeps of it.
#pragma once

#include <google/protobuf/arena.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <string>
#include <utility>

#include "frontends/proto/hlo.pb.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// The message of a file. What holds a module does so in field 1, so one pointer finds it. All its
// parts stand in one arena: they are read one after the other, and given back at once.
struct ProtoFile {
  std::unique_ptr<google::protobuf::Arena> arena = std::make_unique<google::protobuf::Arena>();
  google::protobuf::Message* message = nullptr;
  hlo_proto::Module* module = nullptr;  // inside `message`, or itself
  const hlo_proto::ModuleConfig* config = nullptr;
};

struct CarriedProto {
  std::string bytes;
  ProtoFile file;
  // The module's own text: another source, or none, has nothing to do with the message.
  std::shared_ptr<const std::string> source;
  // Positions in the message by where the text of a computation or an instruction begins.
  boost::unordered_flat_map<uint32_t, int> computations;
  boost::unordered_flat_map<uint32_t, std::pair<int, int>> instructions;
};

// Null where the module was not read from a proto.
const CarriedProto* carried_proto(const hlo::Module& module);

// The file without its module: the same wrapping around another one.
ProtoFile wrapping_of(const ProtoFile& file);

}  // namespace flipsat::frontends
