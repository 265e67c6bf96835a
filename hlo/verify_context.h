// What the parts of the verifier share: the module, and how to refuse. See verifier.h.
#pragma once

#include <string>

#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::hlo {

class VerifyContext {
 public:
  VerifyContext(const Module& module, const DeviceCounts& counts)
      : module(module), counts(counts) {}

  // Throws InputError at the instruction's place; the message begins with its name and opcode.
  [[noreturn]] void refuse(const Instruction& instruction, const std::string& message) const;
  void require(bool holds, const Instruction& instruction, const char* message) const {
    if (!holds) refuse(instruction, message);
  }

  const Shape& operand_shape(const Instruction& instruction, size_t number) const {
    return module[instruction.operands[number]].shape;
  }
  // The operand as an array; refuses others.
  const Shape& operand_array(const Instruction& instruction, size_t number) const;
  void require_array_result(const Instruction& instruction) const;

  // The result must have this value shape; unbounded dims fit any.
  void require_result(const Instruction& instruction, const Shape& expected) const;
  void require_result_dims(const Instruction& instruction, const Dims& expected) const;
  void require_result_type(const Instruction& instruction, ElementType expected) const;

  // Equal but for layouts and dynamic bounds. Once a module is scheduled, float widths may differ
  // too: TPU compilers narrow values late, without converts.
  bool fits(const Shape& a, const Shape& b) const;
  bool same_type(ElementType a, ElementType b) const;

  // One computation under this attribute; refuses absence and lists.
  ComputationId called(const Instruction& instruction, AttributeKey key) const;

  const Module& module;
  const DeviceCounts& counts;
};

// Equal; `?` fits any size.
bool fits(const Dims& a, const Dims& b);

// Each refuses what is wrong with instructions of its family, and does nothing for others. Operand
// counts have been checked.
void verify_elementwise(const VerifyContext& context, const Instruction& instruction);
void verify_data_movement(const VerifyContext& context, const Instruction& instruction);
void verify_slices(const VerifyContext& context, const Instruction& instruction);
void verify_contraction(const VerifyContext& context, const Instruction& instruction);
void verify_control_flow(const VerifyContext& context, const Instruction& instruction);
void verify_collective(const VerifyContext& context, const Instruction& instruction);

}  // namespace flipsat::hlo
