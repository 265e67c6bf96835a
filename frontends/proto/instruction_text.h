// One instruction of a message as a line of HLO text.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/proto/hlo.pb.h"
#include "hlo/element_type.h"

namespace flipsat::frontends {

// By the low 32 bits of their ids: newer files put the computation's number above those.
using InstructionsById = boost::unordered_flat_map<uint32_t, int>;
using ComputationNames = boost::unordered_flat_map<int64_t, std::string>;

struct ComputationText {
  const hlo_proto::Computation& message;
  std::vector<std::string> names;  // by position in the message, as text may spell them
  InstructionsById positions;
  int root;  // position; -1 where there is none
  const ComputationNames& computations;
  size_t max_bytes;  // of the whole text
};

// The type of a comparison where none is given.
std::string_view default_comparison_type(hlo::ElementType type);

// `%name = shape opcode(operands), attributes`. Throws std::runtime_error.
void append_instruction(const ComputationText& computation, int position, std::string& out);

}  // namespace flipsat::frontends
