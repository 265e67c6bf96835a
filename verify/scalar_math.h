// Elementwise operations on numbers, with each type's true rounding and wrapping.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hlo/module.h"
#include "verify/term.h"

namespace flipsat::verify {

enum class Direction : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };

// What an elementwise instruction does to one element. `tag` fingerprints everything that decides
// its value but the operands: opcode, types, attributes.
struct ScalarOp {
  hlo::Opcode opcode = hlo::Opcode::kAdd;
  hlo::ElementType result = hlo::ElementType::kF32;
  hlo::ElementType operand = hlo::ElementType::kF32;  // of the last operand
  Direction direction = Direction::kEq;               // compare
  bool total_order = false;                           // compare
  int exponent_bits = 0;                              // reduce-precision
  int mantissa_bits = 0;
  uint64_t tag = 0;

  static ScalarOp of(const hlo::Module& module, const hlo::Instruction& instruction);
  // add, multiply, ... of two scalars of a type.
  static ScalarOp binary(hlo::Opcode opcode, hlo::ElementType type);
};

// The result on numbers; nullopt for what has no number here (complex types, stochastic rounding).
// Transcendental functions are the host's, in double precision, rounded once.
std::optional<Term> apply_to_numbers(const ScalarOp& op, std::span<const Term> arguments);

// A binary operation on two numbers of one type; what comes of a drawn number is drawn.
Term fold_numbers(hlo::Opcode opcode, hlo::ElementType type, const Term& a, const Term& b);

}  // namespace flipsat::verify
