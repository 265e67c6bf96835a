// The operations that text rules can match and build: for each its name, its attributes and where
// an e-graph operator holds them, and the shape of its result. To add one: a row in operators.cc,
// and in optimizer/harness/text_programs.cc how programs get one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/hlo_graph.h"
#include "rules/text/value.h"

namespace flipsat::rules::text {

// Where an operator holds an attribute.
enum class Place : uint8_t {
  kFirstInt,   // ints[0]
  kInts,       // all of them
  kEachThird,  // ints[offset], ints[offset + 3], ..
  kDims,       // of the result's shape
  kType,       // of the result's shape
  kReducer,    // of the collective, or the reduce
  kGroups,     // of the collective
  kPairs,      // of the permute
  kDotDims,    // one list of language::DotDims, in their order
  kFunction,   // opcode and steering
  kConstant,   // the literal: an integer of any type
};

struct Slot {
  std::string_view name;  // for messages: "dim"
  Sort sort;
  Place place;
  size_t offset = 0;
};

struct OperatorRow {
  std::string name;
  language::Kind kind;
  std::optional<hlo::Opcode> opcode;  // nullopt: the function says
  std::vector<Slot> slots;
  int operands = 1;
  bool has_starts = false;  // start indices follow
  // Of the result; nullopt where these attributes and operands make no well-formed operation.
  std::optional<hlo::Shape> (*shape)(std::span<const Value> attributes,
                                     std::span<const hlo::Shape> operands);

  bool is_elementwise() const { return kind == language::Kind::kElementwise; }
  // A name that stands for one elementwise opcode; its function need not be written.
  bool is_named_elementwise() const { return is_elementwise() && opcode.has_value(); }
  // A builder for several operations, which no one node is.
  bool is_right_only() const { return !opcode && !is_elementwise(); }
  bool is_collective() const { return language::is_collective(kind); }
  // An all-reduce does not say in which order its members stand.
  bool has_order() const { return kind != language::Kind::kAllReduce; }
};

// Null where there is none.
const OperatorRow* find_operator(std::string_view name);
std::span<const OperatorRow> operator_table();

// A function whose attributes decide what it computes must be written out.
bool needs_function(hlo::Opcode opcode);

// The attribute of a node of the row's kind; monostate where it has none (a constant of no
// integer).
Value read_slot(const language::HloGraph& hlo, language::NodeId node, const Slot& slot);
// Into an operator of the row's kind, which has its shape; what belongs to the collective is not
// written.
void write_attributes(const OperatorRow& row, std::span<const Value> attributes,
                      language::Operator& op);

}  // namespace flipsat::rules::text
