// What the variables of a text rule stand for, and what can be asked of a match (or of a small
// program that the rule is tried on).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "hlo/devices.h"
#include "hlo/opcode.h"
#include "hlo/reducer.h"
#include "hlo/shape.h"
#include "language/operator.h"

namespace flipsat::rules::text {

enum class Sort : uint8_t {
  kNone,  // not known yet
  kTruth,
  kInteger,
  kList,  // of integers: dims, sizes, a permutation
  kReducer,
  kType,
  kGroups,
  kPairs,     // sources and targets of a permute
  kFunction,  // an elementwise operation with its attributes
  kOperand,
  kOperands,  // start indices, one a dim
  kAny,       // in signatures: equal sorts
};
std::string_view to_string(Sort sort);

// With the width that elements are packed to, 0 where they are not.
struct Type {
  hlo::ElementType element = hlo::ElementType::kPred;
  int packed_bits = 0;
  bool operator==(const Type&) const = default;
};
Type type_of(const hlo::Shape& shape);
hlo::Shape shape_of(const Type& type, hlo::Dims dims);  // as language::value_shape has it

// Who takes part in a collective, in order, and what else two collectives must share to be written
// with one variable.
struct Groups {
  language::CollectiveIndex like = language::kNone;  // a collective with these attributes
  hlo::DeviceGroupsRef members;
  bool has_channel = false;
  std::string steering;

  Groups with_members(hlo::DeviceGroups changed) const;
  bool operator==(const Groups& other) const;
};

struct Pairs {
  language::CollectiveIndex like = language::kNone;
  hlo::DevicePairs pairs;  // sorted by source
  bool has_channel = false;
  std::string steering;
  bool operator==(const Pairs& other) const {
    return pairs == other.pairs && has_channel == other.has_channel && steering == other.steering;
  }
};

struct Function {
  hlo::Opcode opcode = hlo::Opcode::kAdd;
  std::string steering;
  Type result;                 // where it was seen
  std::vector<Type> operands;  // there
  bool operator==(const Function& other) const {
    return opcode == other.opcode && steering == other.steering;
  }
};

struct Operand {
  uint32_t id = 0;  // an e-class, or a value of a program
  bool operator==(const Operand&) const = default;
};

using List = std::vector<int64_t>;
using Value = std::variant<std::monostate, bool, int64_t, List, hlo::ReducerKind, Type, Groups,
                           Pairs, Function, Operand, std::vector<Operand>>;
using Values = std::vector<Value>;

inline bool is_known(const Value& value) { return value.index() != 0; }

// What can be asked of operands. Only what never becomes false as the e-graph grows.
class Known {
 public:
  virtual ~Known() = default;
  virtual int64_t devices() const = 0;
  virtual hlo::Shape shape(Operand operand) const = 0;
  // Provably the same on all members of each group.
  virtual bool uniform(Operand operand, const hlo::DeviceGroups& groups) const = 0;
  // An integer scalar's value on each device, or null.
  virtual const List* values(Operand operand) const = 0;
};

}  // namespace flipsat::rules::text
