// HLO operations as e-graph operators.
//
// An operator is everything about an operation but its operands: the opcode and each attribute that
// decides its value or steers its compiler, the shape of the result, and the region (computation)
// that it stands in, so that nothing is shared across regions. Numbers of channels, metadata and
// layouts are left out: they are print attributes. Operators are interned; equal ones get one
// index.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "hlo/reducer.h"

namespace flipsat::language {

// What patterns match on. Opcodes that no rule looks into share kOpaque.
enum class Kind : uint8_t {
  kOpaque,  // an instruction of the input that stands for itself and equals nothing else
  kConstant,
  kIota,
  kPartitionId,
  kReplicaId,
  kTuple,
  kGetTupleElement,
  kElementwise,  // of one, two or three operands; the opcode tells which
  kConvert,
  kReshape,
  kTranspose,
  kBroadcast,
  kSlice,
  kReverse,
  kPad,
  kConcatenate,
  kDynamicSlice,
  kDynamicUpdateSlice,
  kReduce,  // of one array, by a reducer of a known kind
  kDot,
  kAllGather,
  kAllReduce,
  kReduceScatter,
  kAllToAll,  // of one array, split and joined along one dim
  kCollectivePermute,
  // A chain of additions (or of the opcode's kind of reduction) as one node of all its terms, in no
  // order. Rules look at it; no program can hold it.
  kSum,
};

std::string_view to_string(Kind kind);
bool is_collective(Kind kind);
// Can a program hold a node of this kind?
inline bool is_instruction(Kind kind) { return kind != Kind::kSum; }

// The kind that algebra gives an opcode; kOpaque for all that rules do not look into.
Kind kind_of(hlo::Opcode opcode);

using OperatorIndex = uint32_t;
using CollectiveIndex = uint32_t;
inline constexpr uint32_t kNone = 0xffffffff;

struct Operator {
  Kind kind = Kind::kOpaque;
  hlo::Opcode opcode = hlo::Opcode::kParameter;
  hlo::ComputationId region = hlo::kNoId;
  hlo::Shape shape;  // value_shape of the result
  // By kind: transpose = permutation; broadcast, reduce, reverse = dimensions; slice = start,
  // limit, stride of each dim; pad = low, high, interior of each dim; dynamic-slice = sizes; iota,
  // concatenate and the collectives with a dim = that dim; get-tuple-element = index; dot = see
  // dot_dims.
  std::vector<int64_t> ints;
  CollectiveIndex collective = kNone;        // into CollectiveTable
  std::optional<hlo::Reducer> reducer;       // reduce
  hlo::LiteralRef literal;                   // constants
  std::string steering;                      // other attributes as spelled: "direction=LT;"
  hlo::InstructionId identity = hlo::kNoId;  // opaque: the instruction that it is
};

// Which dims of the operands a dot contracts, and which it goes through side by side. Result dims:
// batch, then the others of the left operand, then those of the right.
struct DotDims {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
  bool operator==(const DotDims&) const = default;
};
DotDims dot_dims(const Operator& dot);
std::vector<int64_t> ints_of(const DotDims& dims);
hlo::Dims dot_result(const hlo::Dims& lhs, const hlo::Dims& rhs, const DotDims& dims);

hlo::PaddingDims padding_dims(const Operator& pad);

// The shape that decides a value: no layout, but the packed width of sub-byte elements stays.
hlo::Shape value_shape(const hlo::Shape& shape);

class OperatorTable {
 public:
  // The index of an equal operator, or a new one.
  OperatorIndex intern(Operator op);
  const Operator& operator[](OperatorIndex index) const { return operators_[index]; }
  size_t size() const { return operators_.size(); }

 private:
  std::deque<Operator> operators_;  // references stay valid as rules add more
  boost::unordered_flat_map<std::string, OperatorIndex> index_;  // by serialised operator
};

}  // namespace flipsat::language
