#include "verify/symbols.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "verify/field.h"
#include "verify/number_domain.h"
#include "verify/rounding.h"

namespace flipsat::verify {

using hlo::ElementType;
using hlo::Numerics;
using hlo::Opcode;
using hlo::ReducerKind;

namespace {

constexpr size_t kMostParts = size_t{1} << 22;
constexpr size_t kLargeTable = size_t{1} << 15;

// Did folding lose nothing? Only then do numbers obey the laws of the reals.
bool folds_exactly(const ScalarOp& op, std::span<const Term> args, const Term& result) {
  if (result.kind != TermKind::kReal || args.size() != 2) return true;
  double a = args[0].as_real(), b = args[1].as_real(), r = result.as_real();
  if (!std::isfinite(r)) return true;
  switch (op.opcode) {
    case Opcode::kAdd:
      return r - a == b && r - b == a;
    case Opcode::kSubtract:
      return r + b == a && a - r == b;
    case Opcode::kMultiply:
      return std::fma(a, b, -r) == 0;
    case Opcode::kDivide:
      return std::fma(r, b, -a) == 0;
    default:
      return true;
  }
}

// Operations that tell apart (nearly) all numbers. Others, such as comparisons, and sums that
// round, would say the same of a drawn number as of many another.
bool keeps_apart(const ScalarOp& op) {
  if (op.opcode == Opcode::kNegate) return true;
  if (hlo::is_float(op.result)) return false;
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kNot:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

bool is_field_operation(Opcode opcode) {
  return opcode == Opcode::kAdd || opcode == Opcode::kSubtract || opcode == Opcode::kMultiply ||
         opcode == Opcode::kDivide || opcode == Opcode::kNegate;
}

}  // namespace

bool fits_into(const Term& term, ElementType type) {
  if (term.is_known()) return representable(term, type);
  return hlo::convert_preserves_values(term.type, type);
}

Term number_as(const Term& number, ElementType type) {
  Term result = number;
  if (number.kind == TermKind::kInteger && hlo::is_float(type)) {
    result = Term::real(static_cast<double>(number.as_integer()));
  } else if (number.kind == TermKind::kReal &&
             (hlo::is_integer(type) || type == ElementType::kPred)) {
    result = Term::integer(static_cast<int64_t>(number.as_real()));
  }
  result.drawn = number.drawn;
  if (number.drawn) result.type = number.type;
  return result;
}

SymbolDomain::Nesting::Nesting(SymbolDomain& domain) : domain_(domain) {
  constexpr int kMostNested = 200;
  constexpr int64_t kMostSteps = 1 << 14;
  if (domain.nested_ == 0) domain.law_steps_ = 0;
  if (domain.nested_ >= kMostNested || ++domain.law_steps_ > kMostSteps) {
    throw Unmodelled("choices or extremes nested too deep");
  }
  ++domain.nested_;
  ++domain.work_;
}

SymbolDomain::Nesting::~Nesting() { --domain_.nested_; }

SymbolDomain::SymbolDomain(const Options& options) : options_(options) {}

void SymbolDomain::restart(uint64_t seed, Integers integers) {
  options_.seed = seed;
  integers_ = integers;
  if (integers == Integers::kOpen) compared_.clear();
  // Clearing costs as much as a table is large, and most proofs are small.
  if (structures_.bucket_count() > kLargeTable) structures_ = {};
  if (before_.bucket_count() > kLargeTable) before_ = {};
  structures_.clear();
  parts_.clear();
  before_.clear();
  drew_integers_ = false;
  met_preds_ = false;
}

bool SymbolDomain::same(const Term& a, const Term& b) const {
  if (a == b) return true;
  return in_field() && a.kind != TermKind::kInteger && b.kind != TermKind::kInteger &&
         field::element(a) == field::element(b);
}

Term SymbolDomain::made(uint64_t fingerprint, ElementType type) const {
  return Term::symbol(in_field() ? field::reduce(fingerprint) : fingerprint, type);
}

uint64_t SymbolDomain::word(const Term& term) const {
  if (!in_field() || term.kind == TermKind::kComplex) return hash(term);
  // Beyond this integers no longer are elements of their own.
  constexpr int64_t kExact = int64_t{1} << 53;
  int64_t value = term.as_integer();
  bool large = term.kind == TermKind::kInteger && (value > kExact || value < -kExact);
  return large ? hash(term) : mix(field::element(term));
}

const SymbolDomain::Structure* SymbolDomain::structure_of(const Term& term, Form form) const {
  if (term.is_number()) return nullptr;
  auto found = structures_.find(term.bits);
  return found != structures_.end() && found->second.form == form ? &found->second : nullptr;
}

int64_t SymbolDomain::take_work() { return std::exchange(work_, 0); }

std::vector<Term> SymbolDomain::parts_of(const Structure& structure, ElementType type) {
  constexpr uint32_t kPartsPerElement = 8;
  work_ += structure.size / kPartsPerElement;
  auto begin = parts_.begin() + structure.begin;
  std::vector<Term> parts(begin, begin + structure.size);
  for (Term& part : parts) {
    if (part.is_number()) part = number_as(part, type);
  }
  return parts;
}

Term SymbolDomain::record(uint64_t fingerprint, Form form, ElementType type,
                          std::span<const Term> parts) {
  if (in_field()) fingerprint = field::reduce(fingerprint);
  Structure structure{form, type, static_cast<uint32_t>(parts_.size()),
                      static_cast<uint32_t>(parts.size())};
  if (parts_.size() > kMostParts) throw Unmodelled("extremes of too many parts");
  if (structures_.emplace(fingerprint, structure).second) {
    parts_.insert(parts_.end(), parts.begin(), parts.end());
  }
  return Term::symbol(fingerprint, type);
}

Term SymbolDomain::leaf(const Leaf& leaf, ElementType type, uint32_t part, int64_t device,
                        int64_t index) {
  if (leaf.on_devices) return Term::integer(wrap((*leaf.on_devices)[device], type));
  if (leaf.equal_on) device = leaf.equal_on->blocks()[device];
  constexpr uint64_t kStride = 0x9e3779b97f4a7c15;  // keys are random, so sums of them are as well
  uint64_t random = combine(combine(options_.seed, leaf.key + part * kStride),
                            static_cast<uint64_t>(device) * kStride + static_cast<uint64_t>(index));
  bool is_pred = type == ElementType::kPred;
  met_preds_ = met_preds_ || is_pred;
  if (hlo::is_integer(type) || (is_pred && integers_ == Integers::kConcrete)) {
    drew_integers_ = true;
    Term number = Term::integer(draw(random, type, leaf.starts));
    number.drawn = integers_ == Integers::kOpen;
    if (number.drawn) number.type = type;
    return number;
  }
  return made(salted(Salt::kLeaf, random), type);
}

int64_t SymbolDomain::draw(uint64_t random, ElementType type, int64_t starts) const {
  uint64_t dice = mix(random + 0x2545f4914f6cdd1d);
  if (type == ElementType::kPred) {
    // In some trials few are true, or few false, so that one of many in an `and` or `or` shows.
    constexpr uint64_t kRarities[] = {2, 2, 8, 64, 512, 64, 8, 2};
    uint64_t kind = mix(options_.seed) % std::size(kRarities);
    bool is_rare = dice % kRarities[kind] == 0;
    return is_rare == (kind < std::size(kRarities) / 2);
  }
  if (integers_ == Integers::kConcrete && starts == 0) {
    constexpr uint64_t kSmall = 8;
    uint64_t pick = dice >> 8;
    if (dice % 4 == 0) return wrap(static_cast<int64_t>(pick % kSmall), type);
    if (dice % 4 != 3 && !compared_.empty()) {
      int64_t near = static_cast<int64_t>(dice >> 4 & 0xf) % 3 - 1;
      return wrap(compared_[pick % compared_.size()] + near, type);
    }
  }
  return random_integer(random, type, starts);
}

void SymbolDomain::note_compared(std::span<const Term> terms) {
  if (integers_ == Integers::kConcrete) return;
  constexpr size_t kMost = 64;
  if (std::none_of(terms.begin(), terms.end(), [](const Term& t) { return t.drawn; })) return;
  for (const Term& term : terms) {
    if (!term.is_known() || compared_.size() >= kMost) continue;
    int64_t value = number_as(term, ElementType::kS64).as_integer();
    if (std::find(compared_.begin(), compared_.end(), value) == compared_.end()) {
      compared_.push_back(value);
    }
  }
}

Term SymbolDomain::constant(const hlo::Literal& literal, int64_t index) {
  if (literal.elided) throw Unmodelled("the constant is elided");
  return without_zero_sign(literal_element(literal, index));
}

// The number, and of two zeros one where their sign does not count.
Term SymbolDomain::without_zero_sign(const Term& number) const {
  return options_.assume_finite && number == Term::real(-0.0) ? Term::real(0) : number;
}

Term SymbolDomain::applied(const ScalarOp& op, std::span<const Term> arguments) {
  note_compared(arguments);
  uint64_t hashes[3] = {};
  for (size_t i = 0; i < arguments.size(); ++i) hashes[i] = word(arguments[i]);
  if (hlo::is_commutative(op.opcode)) std::sort(hashes, hashes + arguments.size());
  uint64_t fingerprint = salted(Salt::kElementwise, op.tag);
  for (size_t i = 0; i < arguments.size(); ++i) fingerprint = combine(fingerprint, hashes[i]);
  return made(fingerprint, op.result);
}

Term SymbolDomain::chosen(const Term& predicate, const Term& yes, const Term& no,
                          ElementType type) {
  if (predicate.kind == TermKind::kInteger) return predicate.bits ? yes : no;
  if (yes == no) return yes;
  if (!yes.is_known() && fits_into(no, yes.type)) {
    type = yes.type;
  } else if (!no.is_known() && fits_into(yes, no.type)) {
    type = no.type;
  }
  uint64_t fingerprint = salted(Salt::kChoice, word(predicate));
  fingerprint = combine(combine(fingerprint, word(yes)), word(no));
  Term parts[] = {predicate, yes, no};
  return record(fingerprint, Form::kChoice, type, parts);
}

Term SymbolDomain::made_complex(const ScalarOp& op, std::span<const Term> parts) {
  const Structure* real = structure_of(parts[0], Form::kReal);
  const Structure* imaginary = structure_of(parts[1], Form::kImaginary);
  if (real && imaginary) {
    Term whole = parts_of(*real, op.result)[0];
    if (whole == parts_of(*imaginary, op.result)[0]) return whole;
  }
  return record(applied(op, parts).bits, Form::kComplex, op.result, parts);
}

Term SymbolDomain::part_of_complex(const ScalarOp& op, const Term& term) {
  bool is_real = op.opcode == Opcode::kReal;
  // What was computed as a real number has no other part.
  if (!hlo::is_complex(term.type)) return is_real ? term : Term::real(0);
  if (const Structure* whole = structure_of(term, Form::kComplex)) {
    return parts_of(*whole, op.result)[is_real ? 0 : 1];
  }
  return record(applied(op, {&term, 1}).bits, is_real ? Form::kReal : Form::kImaginary, op.result,
                {&term, 1});
}

Term SymbolDomain::negated(const ScalarOp& op, const Term& term) {
  Nesting nesting(*this);
  if (op.opcode == Opcode::kNegate && in_field() && hlo::is_float(op.result)) {
    return Term::symbol(field::negate(field::element(term)), op.result);
  }
  // -max(a, b) = min(-a, -b), and so on. Not for integers, whose smallest negates to itself.
  bool order_reversing = hlo::is_float(op.result) || op.result == ElementType::kPred;
  for (Form form : {Form::kMaximum, Form::kMinimum}) {
    const Structure* set = structure_of(term, form);
    if (!set || !order_reversing) continue;
    std::vector<Term> parts = parts_of(*set, op.result);
    for (Term& part : parts) part = scalar(op, {&part, 1});
    return extremum(form == Form::kMaximum ? Form::kMinimum : Form::kMaximum, op.result, parts);
  }
  return applied(op, {&term, 1});
}

std::optional<Term> SymbolDomain::number_of(const ScalarOp& op, std::span<const Term> arguments) {
  bool drawn = false;
  for (const Term& argument : arguments) {
    if (!argument.is_number()) return std::nullopt;
    drawn = drawn || argument.drawn;
  }
  if (drawn && !keeps_apart(op)) return std::nullopt;
  std::optional<Term> value = apply_to_numbers(op, arguments);
  if (!value) return std::nullopt;
  value = without_zero_sign(*value);
  value->drawn = drawn;
  if (drawn) value->type = op.result;
  if (in_field() && is_field_operation(op.opcode) && !folds_exactly(op, arguments, *value)) {
    return std::nullopt;
  }
  return value;
}

Term SymbolDomain::scalar(const ScalarOp& op, std::span<const Term> arguments) {
  if (op.opcode == Opcode::kSelect) {
    return chosen(arguments[0], arguments[1], arguments[2], op.result);
  }
  if (op.opcode == Opcode::kConvert) return convert(op, arguments[0]);
  if (op.opcode == Opcode::kMultiply && is_zero_product(op.result, arguments)) return Term::real(0);
  if (auto number = number_of(op, arguments)) return *number;
  std::vector<Term> terms(arguments.begin(), arguments.end());
  Reduction reduction{ReducerKind::kAdd, op.result, SumOrder::kOpen, false};
  bool is_float = hlo::is_float(op.result);
  bool has_order = is_float || hlo::is_integer(op.result) || op.result == ElementType::kPred;
  switch (op.opcode) {
    case Opcode::kAdd:
      return reduce(reduction, terms);
    case Opcode::kMultiply:
      reduction.kind = ReducerKind::kMultiply;
      return reduce(reduction, terms);
    case Opcode::kComplex:
      return made_complex(op, arguments);
    case Opcode::kReal:
    case Opcode::kImag:
      return part_of_complex(op, arguments[0]);
    case Opcode::kMaximum:
      if (!has_order) break;
      return extremum(Form::kMaximum, op.result, terms);
    case Opcode::kMinimum:
      if (!has_order) break;
      return extremum(Form::kMinimum, op.result, terms);
    case Opcode::kAnd:
      return extremum(op.result == ElementType::kPred ? Form::kMinimum : Form::kBitAnd, op.result,
                      terms);
    case Opcode::kOr:
      return extremum(op.result == ElementType::kPred ? Form::kMaximum : Form::kBitOr, op.result,
                      terms);
    case Opcode::kNegate:
    case Opcode::kNot:
      return negated(op, arguments[0]);
    case Opcode::kSubtract:
      if (!is_float || !in_field()) break;
      terms[1] = Term::symbol(field::negate(field::element(terms[1])), op.result);
      return sum(reduction, terms);
    case Opcode::kDivide:
      // Nothing is known of a quotient by zero.
      if (!is_float || !in_field() || field::element(terms[1]) == 0) break;
      terms[1] = Term::symbol(field::inverse(field::element(terms[1])), op.result);
      reduction.kind = ReducerKind::kMultiply;
      return product(reduction, terms);
    default:
      break;
  }
  return applied(op, arguments);
}

Term SymbolDomain::opaque(uint64_t tag, ElementType type, std::span<const Term> terms) {
  uint64_t fingerprint = salted(Salt::kOpaque, tag, terms.size());
  for (const Term& term : terms) fingerprint = combine(fingerprint, word(term));
  return made(fingerprint, type);
}

int64_t SymbolDomain::start_index(const Term& term, int64_t starts) {
  if (term.kind == TermKind::kInteger) return term.as_integer();
  drew_integers_ = true;
  return static_cast<int64_t>(hash(term) % static_cast<uint64_t>(starts + 2)) - 1;
}

}  // namespace flipsat::verify
