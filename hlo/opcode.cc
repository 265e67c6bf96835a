#include "hlo/opcode.h"

#include <array>
#include <string>
#include <unordered_map>

namespace flipsat::hlo {
namespace {

struct OpcodeRow {
  std::string_view spelling;
  int arity;
  bool commutative;
};

constexpr OpcodeRow kRows[] = {
#define FLIPSAT_OPCODE(enumerator, spelling, arity, commutative) {spelling, arity, commutative},
#include "hlo/opcodes.inc"
#undef FLIPSAT_OPCODE
};

const OpcodeRow& row(Opcode opcode) { return kRows[static_cast<size_t>(opcode)]; }

}  // namespace

std::string_view to_string(Opcode opcode) { return row(opcode).spelling; }

std::optional<Opcode> opcode_from_string(std::string_view spelling) {
  static const auto index = [] {
    std::unordered_map<std::string_view, Opcode> by_name;
    for (size_t i = 0; i < std::size(kRows); ++i) {
      by_name.emplace(kRows[i].spelling, static_cast<Opcode>(i));
    }
    return by_name;
  }();
  auto it = index.find(spelling);
  if (it == index.end()) return std::nullopt;
  return it->second;
}

int elementwise_arity(Opcode opcode) { return row(opcode).arity; }

bool is_commutative(Opcode opcode) { return row(opcode).commutative; }

bool is_collective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
    case Opcode::kRaggedAllToAll:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectiveBroadcast:
      return true;
    default:
      return false;
  }
}

Opcode synchronous(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGatherStart:
      return Opcode::kAllGather;
    case Opcode::kAllReduceStart:
      return Opcode::kAllReduce;
    case Opcode::kCollectivePermuteStart:
      return Opcode::kCollectivePermute;
    default:
      return opcode;
  }
}

}  // namespace flipsat::hlo
