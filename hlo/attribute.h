// Attributes of instructions: `dimensions={0}`, `channel_id=1`, `to_apply=%add`.
//
// Every attribute keeps its spelling, so that what is not changed prints as it was read. Those that
// decide what an instruction computes also carry a value; the rest (metadata, sharding,
// backend_config, unknown ones) are spelling alone, looked into on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hlo/ids.h"

namespace flipsat::hlo {

// How a known attribute's value is written, hence which alternative of AttributeValue holds it.
enum class AttributeSyntax : uint8_t {
  kRaw,            // balanced text of any form: spelling only
  kBool,           // bool
  kInt,            // int64_t
  kFloat,          // double
  kWord,           // std::string: an identifier such as LT
  kString,         // std::string: quoted text, unescaped
  kInts,           // IntList: {1,0}
  kIntLists,       // IntLists: {{0,1},{2,3}}
  kSlice,          // SliceDims: {[0:4], [1:9:2]}
  kPadding,        // PaddingDims: 0_1x-2_3_1
  kWindow,         // spelling only; window={size=2x2 ...}
  kReplicaGroups,  // ReplicaGroupsRef, expanded
  kComputation,    // ComputationList of one
  kComputations,   // ComputationList: {%a, %b}
  kInstructions,   // InstructionList: {%a, %b}
};

enum class AttributeKey : uint8_t {
#define FLIPSAT_ATTRIBUTE(enumerator, spelling, syntax) enumerator,
#include "hlo/attributes.inc"
#undef FLIPSAT_ATTRIBUTE
  kOther,  // a name that this version does not know; `Attribute::name` has it
};

std::string_view to_string(AttributeKey key);  // "" for kOther
AttributeKey attribute_key_from_string(std::string_view name);
AttributeSyntax attribute_syntax(AttributeKey key);

struct SliceDim {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  bool operator==(const SliceDim&) const = default;
};

struct PaddingDim {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
  bool operator==(const PaddingDim&) const = default;
};

// Groups as lists of ids, whatever the spelling (lists, iota, mesh axes); empty for `{}`.
using ReplicaGroups = std::vector<std::vector<int64_t>>;
using ReplicaGroupsRef = std::shared_ptr<const ReplicaGroups>;

using IntList = std::vector<int64_t>;
using IntLists = std::vector<std::vector<int64_t>>;
using SliceDims = std::vector<SliceDim>;
using PaddingDims = std::vector<PaddingDim>;
using ComputationList = std::vector<ComputationId>;

struct InstructionList {
  std::vector<InstructionId> ids;
  bool operator==(const InstructionList&) const = default;
};

using AttributeValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, IntList, IntLists, SliceDims,
                 PaddingDims, ReplicaGroupsRef, ComputationList, InstructionList>;

struct Attribute {
  AttributeKey key = AttributeKey::kOther;
  std::string name;      // set for kOther only
  AttributeValue value;  // monostate: spelling only
  // What stands after '=' in the source, as read; empty where the attribute was made or changed,
  // and is then printed from `value`.
  std::string_view text;

  std::string_view spelled_name() const {
    return key == AttributeKey::kOther ? name : to_string(key);
  }
};

}  // namespace flipsat::hlo
