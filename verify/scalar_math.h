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

// The result on numbers; nullopt for what has no number here (stochastic rounding, complex numbers
// under functions that few programs use). Real arithmetic is done in double precision and rounded
// once, which for f32 and below is the correctly rounded result; transcendental functions are the
// host's. What HLO defines beyond that: x / 0 of integers is -1 (all bits), x % 0 is x, the
// smallest integer / -1 is itself, shifts by the width or more leave nothing but sign bits; maximum
// and minimum pass on NaN and put -0 before +0.
std::optional<Term> apply_to_numbers(const ScalarOp& op, std::span<const Term> arguments);

// The part of it that takes or gives complex numbers.
std::optional<Term> apply_to_complex(const ScalarOp& op, std::span<const Term> arguments);

// A number's bits in its type's width, and the number of such bits (pred: 0 or 1).
uint64_t bits_of_number(const Term& number, hlo::ElementType type);
Term number_of_bits(uint64_t bits, hlo::ElementType type);

// A binary operation on two numbers of one type; what comes of a drawn number is drawn.
Term fold_numbers(hlo::Opcode opcode, hlo::ElementType type, const Term& a, const Term& b);

}  // namespace flipsat::verify
