// Converts of the symbolic domain: what they keep, and which operations they go inside of.
#include <algorithm>

#include "verify/rounding.h"
#include "verify/symbols.h"

namespace flipsat::verify {

using hlo::ElementType;

namespace {

// Converts to the type are taken modulo a power of two that divides the modulus of `from`.
bool wraps_further(ElementType from, ElementType to) {
  return hlo::is_integer(from) && hlo::is_integer(to) && hlo::bit_width(to) <= hlo::bit_width(from);
}

bool is_whole(ElementType type) { return hlo::is_integer(type) || type == ElementType::kPred; }

}  // namespace

bool SymbolDomain::keeps_order(ElementType from, ElementType to) const {
  if (hlo::convert_preserves_values(from, to)) return true;
  if (!hlo::is_float(to)) return false;
  auto format = hlo::float_format(to);
  if (is_whole(from)) return format->has_infinity;
  // The sign of a zero that a narrowing convert makes of a tiny number may differ.
  return in_field() && hlo::is_float(from) && format->has_infinity;
}

// In the field a widened value is another element than the value itself: sums of different types
// are different sums.
Term SymbolDomain::widened(const Term& term, ElementType to) {
  if (const Structure* inner = structure_of(term, Form::kWidened)) {
    return to == inner->type ? parts_of(*inner, to)[0] : term;
  }
  if (to == term.type) return term;
  Term result = record(salted(Salt::kWidened, static_cast<uint64_t>(term.type), word(term)),
                       Form::kWidened, term.type, {&term, 1});
  if (side_ == Side::kBefore) before_.insert(result.bits);
  return result;
}

Term SymbolDomain::uninterpreted_convert(const ScalarOp& op, const Term& term) {
  ElementType to = op.result;
  // A float of the same value saturates where an integer wraps.
  bool saturates = hlo::is_integer(to) && hlo::is_float(op.operand);
  // The same bits are another number in a type without sign.
  bool is_unsigned = term.drawn && term.type == ElementType::kU64;
  uint64_t how = static_cast<uint64_t>(to) * 4 + saturates * 2 + is_unsigned;
  uint64_t fingerprint = salted(Salt::kConvert, how, word(term));
  bool wraps = hlo::is_integer(to) && !saturates && !term.is_number();
  if (!wraps) return made(fingerprint, to);
  return record(fingerprint, Form::kWrapped, to, {&term, 1});
}

Term SymbolDomain::convert_of_number(const ScalarOp& op, const Term& number) {
  ElementType to = op.result;
  if (hlo::is_complex(to) && number.drawn) return uninterpreted_convert(op, number);
  if (!number.drawn) {
    bool may_saturate = number.kind == TermKind::kReal && hlo::is_integer(to) &&
                        !in_integer_range(number.as_real(), to);
    if (may_saturate && integers_ == Integers::kOpen) return uninterpreted_convert(op, number);
    return without_zero_sign(convert_number(number, op.operand, to));
  }
  bool preserved = hlo::convert_preserves_values(number.type, to);
  bool wraps = number.kind == TermKind::kInteger && hlo::is_integer(to);
  if (!preserved && !wraps) return uninterpreted_convert(op, number);
  Term result = convert_number(number, op.operand, to);
  result.drawn = true;
  result.type = preserved ? number.type : to;
  return result;
}

// op(f(a, b)) = f'(op(a), op(b)), where that is a law.
std::optional<Term> SymbolDomain::convert_inside(const ScalarOp& op, const Term& term) {
  if (term.is_number()) return std::nullopt;
  auto found = structures_.find(term.bits);
  if (found == structures_.end()) return std::nullopt;
  const Structure structure = found->second;
  bool is_modular = !hlo::is_float(op.operand) && wraps_further(structure.type, op.result);
  bool is_set = structure.form == Form::kMaximum || structure.form == Form::kMinimum;
  if (is_set && !keeps_order(term.type, op.result) && !keeps_order(op.operand, op.result)) {
    return std::nullopt;
  }
  auto converted_parts = [&](ElementType from) {
    ScalarOp inside = op;
    inside.operand = from;
    std::vector<Term> parts = parts_of(structure, from);
    for (Term& part : parts) part = convert(inside, part);
    return parts;
  };
  switch (structure.form) {
    case Form::kMaximum:
    case Form::kMinimum: {
      std::vector<Term> parts = converted_parts(op.operand);
      return extremum(structure.form, op.result, parts);
    }
    case Form::kBitAnd:
    case Form::kBitOr: {
      if (!is_modular) return std::nullopt;
      std::vector<Term> parts = converted_parts(structure.type);
      return extremum(structure.form, op.result, parts);
    }
    case Form::kSum: {
      if (!is_modular) return std::nullopt;
      std::vector<Term> parts = converted_parts(structure.type);
      return integer_sum(op.result, parts);
    }
    case Form::kProduct: {
      if (!is_modular) return std::nullopt;
      std::vector<Term> parts = converted_parts(structure.type);
      return integer_product(op.result, parts);
    }
    case Form::kWrapped: {
      if (!is_modular) return std::nullopt;
      ElementType from = parts_of(structure, structure.type)[0].type;
      return converted_parts(from)[0];
    }
    case Form::kChoice:
    case Form::kWidened:
    case Form::kComplex:
    case Form::kReal:
    case Form::kImaginary:
      return std::nullopt;
  }
  return std::nullopt;
}

Term SymbolDomain::convert(const ScalarOp& op, const Term& term) {
  Nesting nesting(*this);
  if (term.is_number()) return convert_of_number(op, term);
  if (const Structure* choice = structure_of(term, Form::kChoice)) {
    std::vector<Term> parts = parts_of(*choice, op.operand);
    Term yes = convert(op, parts[1]);
    Term no = convert(op, parts[2]);
    return chosen(parts[0], yes, no, op.result);
  }
  // What was widened before is converted as the value that it still is.
  if (const Structure* narrow = structure_of(term, Form::kWidened)) {
    ScalarOp inside = op;
    inside.operand = narrow->type;
    return convert(inside, parts_of(*narrow, narrow->type)[0]);
  }
  // A sum that was made wider and is rounded once stands for the one that was rounded on the way.
  auto narrow_sum = rendered_.find(term.bits);
  if (narrow_sum != rendered_.end() && term.type != op.result && narrow_sum->second == op.result) {
    return Term::symbol(term.bits, op.result);
  }
  bool preserved = hlo::convert_preserves_values(term.type, op.result);
  if (preserved && !in_field()) return term;
  if (auto inside = convert_inside(op, term)) return *inside;
  if (!preserved) return uninterpreted_convert(op, term);
  bool floats = hlo::is_float(term.type) && hlo::is_float(op.result);
  return floats ? widened(term, op.result) : term;
}

}  // namespace flipsat::verify
