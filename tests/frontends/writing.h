// A module to change in tests of the printer, and ways to change it.
#pragma once

#include <algorithm>
#include <string>

#include "frontends/text/same_structure.h"
#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::ComputationId;
using hlo::ElementType;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;
using hlo::Shape;

// A module with percent signs, layouts, comments and odd spacing.
inline const char* const kText = R"(// top
HloModule m,  entry_computation_layout={(f32[2,4]{1,0})->f32[8,4]{1,0}}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

/* the entry */
ENTRY %main (p: f32[2,4]) -> f32[8,4] {
  %p = f32[2,4]{1,0} parameter(0)   // the input

  // negated twice
  %n = f32[2,4]{1,0} negate(%p), metadata={op_name="n"} // first
  %k = f32[2,4]{1,0} negate( %n )
  ROOT %g = f32[8,4]{1,0} all-gather(%k), channel_id=1,  replica_groups=[1,4]<=[4], dimensions={0}, metadata={op_name="g"}
} // end

// bottom
)";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// What is written reads back as the same module.
inline std::string written(const Module& module) {
  std::string text = write_text(module);
  INFO(text);
  std::string difference;
  try {
    difference = first_difference(module, read(text));
  } catch (const hlo::InputError& error) {
    difference = error.what();
  }
  CHECK(difference == "");
  return text;
}

inline InstructionId add_before(Module& m, InstructionId before, Instruction instruction) {
  auto id = static_cast<InstructionId>(m.instructions.size());
  instruction.computation = m[before].computation;
  instruction.touched = true;
  auto& list = m.computations[instruction.computation].instructions;
  list.insert(std::find(list.begin(), list.end(), before), id);
  m.instructions.push_back(std::move(instruction));
  return id;
}

inline void remove(Module& m, InstructionId id) {
  std::erase(m.computations[m[id].computation].instructions, id);
}

inline Instruction unary(const std::string& name, Opcode opcode, InstructionId operand,
                         Shape shape) {
  Instruction instruction;
  instruction.name = name;
  instruction.opcode = opcode;
  instruction.operands = {operand};
  instruction.shape = std::move(shape);
  return instruction;
}

}  // namespace flipsat::frontends
