// An HLO module as data: instructions in computations, with everything the reader saw.
//
// Instructions live in one module-wide array and never move, so an InstructionId stays valid for
// the life of a module and names the same instruction in its copies. A computation lists the live
// ones in text order; what is no longer listed is dead. Copies share literals, layouts, the source
// text and nothing else.
//
// A module that was read keeps its text. An instruction that nobody touched still points at its
// span there and is printed from it, byte for byte; `touched` says that it must be printed anew.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/attribute.h"
#include "hlo/ids.h"
#include "hlo/literal.h"
#include "hlo/opcode.h"
#include "hlo/shape.h"

namespace flipsat::hlo {

// Byte offsets into Module::source; empty (begin == end) for what was not read from text.
struct SourceSpan {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool empty() const { return begin == end; }
};

struct Instruction {
  std::string name;  // without '%'
  Opcode opcode = Opcode::kParameter;
  Shape shape;
  std::vector<InstructionId> operands;
  std::vector<Attribute> attributes;  // in printed order
  ComputationId computation = kNoId;
  int64_t parameter_number = -1;  // parameter
  LiteralRef literal;             // constant
  std::optional<Opcode> wrapped;  // sugared async-start/-update/-done: the opcode inside
  bool implicit = false;          // get-tuple-element that users spell `%op#0`: never printed
  bool is_inlined = false;        // written inside its only user's operand list
  bool touched = false;           // differs from its source text (or has none)
  SourceSpan text;                // from ROOT or the name to the last attribute
  SourceSpan operands_text;       // what stands between the operand parentheses
  uint32_t line = 0;              // of the name, from 1

  const Attribute* find(AttributeKey key) const;
  bool has(AttributeKey key) const { return find(key) != nullptr; }

  // Values with their defaults where the attribute is absent.
  int64_t int_attribute(AttributeKey key, int64_t absent) const;
  bool bool_attribute(AttributeKey key, bool absent) const;
  const IntList& ints(AttributeKey key) const;        // empty if absent
  std::string_view word(AttributeKey key) const;      // empty if absent
  std::string_view raw_text(AttributeKey key) const;  // spelling; empty if absent or made
  const IntList& dimensions() const { return ints(AttributeKey::kDimensions); }
  std::optional<int64_t> channel_id() const;
  const std::vector<InstructionId>& control_predecessors() const;
  int64_t tuple_index() const { return int_attribute(AttributeKey::kIndex, -1); }
  // Computations that it calls, in attribute order.
  ComputationList called_computations() const;

  // Sets or adds; marks the instruction touched.
  void set(AttributeKey key, AttributeValue value);
  void erase(AttributeKey key);
};

struct Computation {
  std::string name;
  std::vector<InstructionId> instructions;  // live ones, operands before users
  InstructionId root = kNoId;
  std::vector<InstructionId> parameters;  // by parameter number
  bool is_entry = false;
  bool is_inlined = false;       // written inside an attribute as { ... }
  std::string execution_thread;  // empty: main
  SourceSpan text;               // from ENTRY or the name to the closing brace or thread
  SourceSpan body;               // between the braces
};

// One `name=value` of the module header, as read.
struct HeaderAttribute {
  std::string name;
  std::string_view text;
};

struct Module {
  std::string name;
  std::vector<HeaderAttribute> header;
  std::optional<int64_t> replica_count;  // as written; nullopt: the file does not say
  std::optional<int64_t> num_partitions;
  bool is_scheduled = false;
  bool has_header = true;  // false: bare computations
  std::vector<Instruction> instructions;
  std::vector<Computation> computations;  // ids are positions; callees come first in `order`
  std::vector<ComputationId> order;       // in text order
  ComputationId entry = kNoId;
  std::shared_ptr<const std::string> source;  // the whole text; null if not read from text
  std::string file;                           // for messages
  std::shared_ptr<const void> carried;        // what a frontend keeps of its input beside the text

  Instruction& operator[](InstructionId id) { return instructions[id]; }
  const Instruction& operator[](InstructionId id) const { return instructions[id]; }
  const Computation& entry_computation() const { return computations[entry]; }
  std::string_view source_text(SourceSpan span) const;
  size_t live_instruction_count() const;
};

// Users of every instruction (index by InstructionId), live ones only, in text order; an
// instruction that uses a value twice is listed once.
std::vector<std::vector<InstructionId>> users_of(const Module& module);

// Which instructions are live, by id.
std::vector<bool> live_instructions(const Module& module);

// True when removing an unused instance could change what the program does: effects on the world,
// collectives whose absence on one device would hang the others, custom calls.
bool has_side_effect(const Module& module, const Instruction& instruction);

// Is there an instruction with this name anywhere in the module? For several questions: NameTable.
class NameTable {
 public:
  explicit NameTable(const Module& module);
  // A name that is free in the whole module: `<stem>.<number>`, the smallest number that is larger
  // than any seen with that stem. The name is taken from then on.
  std::string fresh(std::string_view stem);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// The smallest channel id that no instruction of the module uses and that is larger than all used.
int64_t next_channel_id(const Module& module);

}  // namespace flipsat::hlo
