// Sets (max, min, and, or) of the symbolic domain, and selects by one predicate.
#include <algorithm>
#include <cmath>

#include "verify/rounding.h"
#include "verify/symbols.h"

namespace flipsat::verify {

using hlo::ElementType;
using hlo::Opcode;
using hlo::ReducerKind;

namespace {

Opcode opcode_of_set(bool maximum) { return maximum ? Opcode::kMaximum : Opcode::kMinimum; }

// The number that a max or min over the type ignores, and the one that it never leaves.
std::optional<Term> set_bound(ElementType type, bool lowest) {
  if (type == ElementType::kPred) return Term::integer(lowest ? 0 : 1);
  if (hlo::is_float(type)) {
    if (!hlo::float_format(type)->has_infinity) return std::nullopt;
    return Term::real(lowest ? -INFINITY : INFINITY);
  }
  int width = hlo::bit_width(type);
  if (hlo::is_signed_integer(type)) {
    int64_t low = wrap(static_cast<int64_t>(uint64_t{1} << (width - 1)), type);
    return Term::integer(lowest ? low : -(low + 1));
  }
  return Term::integer(lowest ? 0 : wrap(-1, type));
}

// Is a number, of `type`, at or beyond the lowest (or highest) value of an integer type or pred?
bool is_beyond(const Term& number, ElementType type, ElementType narrow, bool lowest) {
  Term bound = *set_bound(narrow, lowest);
  if (number == bound) return true;
  // No number of any integer type is beyond the ends of 64 bits, which doubles round.
  if (hlo::bit_width(narrow) == 64) return false;
  bool is_large = number.kind == TermKind::kInteger && type == ElementType::kU64;
  double at = number.kind == TermKind::kReal ? number.as_real()
              : is_large                     ? static_cast<double>(number.bits)
                                             : static_cast<double>(number.as_integer());
  double end = static_cast<double>(bound.as_integer());
  return lowest ? at <= end : at >= end;
}

// A type that all terms are known to be of, as narrow as one of theirs.
ElementType common_type(const std::vector<Term>& terms, ElementType type) {
  ElementType common = type;
  bool is_new = true;
  for (const Term& term : terms) {
    if (term.is_known() || (!is_new && fits_into(term, common))) continue;
    common = term.type;
    is_new = false;
  }
  bool all = std::all_of(terms.begin(), terms.end(),
                         [&](const Term& term) { return fits_into(term, common); });
  return all ? common : type;
}

}  // namespace

Term SymbolDomain::extremum(Form form, ElementType type, std::vector<Term>& terms) {
  bool maximum = form == Form::kMaximum;
  bool ordered = maximum || form == Form::kMinimum;
  Opcode opcode = ordered                 ? opcode_of_set(maximum)
                  : form == Form::kBitAnd ? Opcode::kAnd
                                          : Opcode::kOr;
  std::vector<Term> symbols;
  std::optional<Term> number;
  auto take = [&](const Term& term) {
    if (!term.is_known()) {
      symbols.push_back(term);
    } else {
      number = number ? fold_numbers(opcode, type, *number, term) : term;
    }
  };
  for (const Term& term : terms) {
    if (const Structure* set = structure_of(term, form)) {
      for (const Term& part : parts_of(*set, type)) take(part);
    } else {
      take(term);
    }
  }
  if (symbols.empty()) return *number;
  if (number && ordered) {
    if (number->kind == TermKind::kReal && std::isnan(number->as_real())) return *number;
    ElementType narrow = common_type(symbols, type);
    if (hlo::is_float(narrow)) {
      if (number == set_bound(type, maximum)) number.reset();
    } else if (is_beyond(*number, type, narrow, maximum)) {
      number.reset();
    } else if (is_beyond(*number, type, narrow, !maximum)) {
      return *number;  // a float has a third value (NaN) that would still come through
    }
  }
  std::sort(symbols.begin(), symbols.end(),
            [&](const Term& a, const Term& b) { return word(a) < word(b); });
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  if (symbols.size() == 1 && !number) return symbols[0];
  if (number) symbols.push_back(*number);
  ElementType known = common_type(symbols, type);
  // The same bits are in another order in a type without sign.
  uint64_t fingerprint =
      salted(Salt::kSet, static_cast<uint64_t>(form), ordered && known == ElementType::kU64);
  for (const Term& symbol : symbols) fingerprint = combine(fingerprint, word(symbol));
  if (number) note_compared(symbols);
  if (symbols.size() > kMostRecordedParts) return made(fingerprint, known);
  return record(fingerprint, form, known, symbols);
}

// op(select(p, a, b), select(p, c, d)) = select(p, op(a, c), op(b, d)).
std::optional<Term> SymbolDomain::lift_choice(const Reduction& reduction,
                                              const std::vector<Term>& terms) {
  std::optional<Term> predicate;
  std::vector<Term> yes, no;
  for (const Term& term : terms) {
    const Structure* choice = structure_of(term, Form::kChoice);
    if (!choice && !term.is_number()) return std::nullopt;
    if (!choice) {
      yes.push_back(term);
      no.push_back(term);
      continue;
    }
    std::vector<Term> parts = parts_of(*choice, reduction.type);
    if (predicate && !(*predicate == parts[0])) return std::nullopt;
    predicate = parts[0];
    yes.push_back(parts[1]);
    no.push_back(parts[2]);
  }
  if (!predicate) return std::nullopt;
  Term on_yes = reduce(reduction, yes);
  Term on_no = reduce(reduction, no);
  return chosen(*predicate, on_yes, on_no, reduction.type);
}

Term SymbolDomain::reduce(const Reduction& reduction, std::vector<Term>& terms) {
  Nesting nesting(*this);
  if (terms.size() > 1 && structure_of(terms[0], Form::kChoice)) {
    if (auto lifted = lift_choice(reduction, terms)) return *lifted;
  }
  bool pred = reduction.type == ElementType::kPred;
  switch (reduction.kind) {
    case ReducerKind::kAdd:  // of truth values: or
      return pred ? extremum(Form::kMaximum, reduction.type, terms) : sum(reduction, terms);
    case ReducerKind::kMultiply:
      return pred ? extremum(Form::kMinimum, reduction.type, terms) : product(reduction, terms);
    case ReducerKind::kMaximum:
      return extremum(Form::kMaximum, reduction.type, terms);
    case ReducerKind::kMinimum:
      return extremum(Form::kMinimum, reduction.type, terms);
    case ReducerKind::kAnd:
      return extremum(pred ? Form::kMinimum : Form::kBitAnd, reduction.type, terms);
    case ReducerKind::kOr:
      return extremum(pred ? Form::kMaximum : Form::kBitOr, reduction.type, terms);
  }
  throw std::logic_error("a reducer of no kind");
}

}  // namespace flipsat::verify
