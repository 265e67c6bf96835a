// Sums, products and dots of the symbolic domain.
#include <algorithm>
#include <cmath>

#include "verify/field.h"
#include "verify/rounding.h"
#include "verify/symbols.h"

namespace flipsat::verify {

using hlo::ElementType;
using hlo::Opcode;
using hlo::ReducerKind;

namespace {

constexpr int kMostNestedSums = 6;

uint64_t unordered(const std::vector<Term>& terms) {
  uint64_t total = 0;
  for (const Term& term : terms) total += mix(hash(term) ^ 0x5851f42d4c957f2d);
  return total;
}

uint64_t sum_fingerprint(SumOrder order, ElementType type, uint64_t total) {
  return salted(order == SumOrder::kOpen ? Salt::kOpenSum : Salt::kFixedSum,
                static_cast<uint64_t>(type), total);
}

uint64_t product_fingerprint(SumOrder order, ElementType type, uint64_t total) {
  return salted(order == SumOrder::kOpen ? Salt::kOpenProduct : Salt::kFixedProduct,
                static_cast<uint64_t>(type), total);
}

bool all_known(const std::vector<Term>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.is_known(); });
}

bool all_equal(const std::vector<Term>& terms) {
  return std::all_of(terms.begin(), terms.end(), [&](const Term& t) { return t == terms[0]; });
}

bool is_zero(const Term& term, bool negative) { return term == Term::real(negative ? -0.0 : 0.0); }

// -0 changes no sum; +0 changes the sign of a zero sum, but once is enough.
void drop_zeros(std::vector<Term>& terms, bool signs_count) {
  size_t zeros = signs_count ? 0 : 1;
  std::erase_if(terms,
                [&](const Term& t) { return is_zero(t, true) || (is_zero(t, false) && zeros++); });
}

}  // namespace

// A product as what is not a number, and the number.
std::pair<Term, int64_t> SymbolDomain::factored(const Term& term, ElementType type) {
  const Structure* inner = structure_of(term, Form::kProduct);
  if (!inner || inner->type != type) return {term, 1};
  std::vector<Term> parts = parts_of(*inner, type);
  const auto number =
      std::find_if(parts.begin(), parts.end(), [](const Term& t) { return t.is_known(); });
  if (number == parts.end()) return {term, 1};
  const int64_t factor = number->as_integer();
  parts.erase(number);
  return {integer_product(type, parts), factor};
}

// A sum of products with numbers: equal terms are one, with their number as a factor.
Term SymbolDomain::integer_sum(ElementType type, std::vector<Term>& terms) {
  std::vector<Term> symbols;
  std::vector<uint64_t> factors;                      // of each symbol
  boost::unordered_flat_map<uint64_t, size_t> index;  // of a symbol, by its fingerprint
  uint64_t total = 0;
  bool drawn = false;
  auto take = [&](const Term& term) {
    if (term.is_number()) {
      total += term.bits;
      drawn = drawn || term.drawn;
      return;
    }
    auto [symbol, factor] = factored(term, type);
    auto [it, is_new] = index.try_emplace(hash(symbol), symbols.size());
    if (is_new) {
      symbols.push_back(symbol);
      factors.push_back(0);
    }
    factors[it->second] += static_cast<uint64_t>(factor);
  };
  for (const Term& term : terms) {
    const Structure* inner = structure_of(term, Form::kSum);
    if (inner && inner->type == type) {
      for (const Term& part : parts_of(*inner, inner->type)) take(part);
    } else {
      take(term);
    }
  }
  std::vector<Term> parts;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const int64_t factor = wrap(static_cast<int64_t>(factors[i]), type);
    if (factor == 0) continue;
    std::vector<Term> product = {symbols[i], Term::integer(factor)};
    parts.push_back(factor == 1 ? symbols[i] : integer_product(type, product));
  }
  Term number = Term::integer(wrap(static_cast<int64_t>(total), type));
  number.drawn = drawn;
  if (drawn) number.type = type;
  if (parts.empty()) return number;
  if (number.bits != 0) parts.push_back(number);
  if (parts.size() == 1) return parts[0];
  uint64_t fingerprint = sum_fingerprint(SumOrder::kOpen, type, unordered(parts));
  if (parts.size() > kMostRecordedParts) return Term::symbol(fingerprint, type);
  return record(fingerprint, Form::kSum, type, parts);
}

Term SymbolDomain::integer_product(ElementType type, std::vector<Term>& terms) {
  std::vector<Term> symbols;
  Term number = Term::integer(1);
  auto take = [&](const Term& term) {
    if (term.is_number()) {
      number = fold_numbers(Opcode::kMultiply, type, number, term);
    } else {
      symbols.push_back(term);
    }
  };
  for (const Term& term : terms) {
    const Structure* inner = structure_of(term, Form::kProduct);
    if (inner && inner->type == type) {
      for (const Term& part : parts_of(*inner, type)) take(part);
    } else {
      take(term);
    }
  }
  if (symbols.empty() || number.bits == 0) return number;
  if (symbols.size() == 1 && number.is_known() && number.bits != 1) {
    const Structure* sum = structure_of(symbols[0], Form::kSum);
    if (sum && sum->type == type) {
      std::vector<Term> parts = parts_of(*sum, type);
      for (Term& part : parts) {
        std::vector<Term> product = {part, number};
        part = integer_product(type, product);
      }
      return integer_sum(type, parts);
    }
  }
  if (number.bits != 1) symbols.push_back(number);
  if (symbols.size() == 1) return symbols[0];
  uint64_t word = static_cast<uint64_t>(type);
  uint64_t fingerprint = salted(Salt::kOpenProduct, word, unordered(symbols));
  if (symbols.size() > kMostRecordedParts) return Term::symbol(fingerprint, type);
  return record(fingerprint, Form::kProduct, type, symbols);
}

Term SymbolDomain::field_total(const Reduction& reduction, const std::vector<Term>& terms) {
  const bool is_sum = reduction.kind == ReducerKind::kAdd;
  const auto combined = [&](uint64_t a, uint64_t b) {
    return is_sum ? field::add(a, b) : field::multiply(a, b);
  };
  uint64_t total = is_sum ? 0 : 1;
  for (const Term& term : terms) total = combined(total, field::element(term));
  if (reduction.may_be_wider && side_ == Side::kAfter) {
    uint64_t narrow = is_sum ? 0 : 1;
    ElementType type = reduction.type;
    for (const Term& term : terms) {
      const Structure* inner = structure_of(term, Form::kWidened);
      if (!inner || (type != reduction.type && type != inner->type)) {
        type = reduction.type;
        break;
      }
      type = inner->type;
      narrow = combined(narrow, field::element(parts_of(*inner, inner->type)[0]));
    }
    if (type != reduction.type) {
      Term sum = Term::symbol(narrow, type);
      Term wide = widened(sum, reduction.type);
      if (before_.contains(wide.bits) || before_.contains(sum.bits)) {
        return Term::symbol(wide.bits, reduction.type);
      }
      // It may be a stage of one.
      if (!before_.contains(total)) return wide;
    }
  }
  if (side_ == Side::kBefore && reduction.order == SumOrder::kOpen) before_.insert(total);
  return Term::symbol(total, reduction.type);
}

// Numbers add up to a number where their order cannot matter.
std::optional<Term> SymbolDomain::sum_of_numbers(const Reduction& reduction,
                                                 const std::vector<Term>& terms) {
  if (!all_known(terms)) return std::nullopt;
  bool is_float = hlo::is_float(reduction.type);
  bool few = terms.size() <= 2 || (is_float && terms.size() <= 4 && all_equal(terms));
  if (!is_float && !few) return std::nullopt;
  double magnitudes = 0;
  for (const Term& term : terms) magnitudes += std::fabs(term.as_real());
  // All partial sums of whole numbers below 2^mantissa are exact.
  bool whole = std::all_of(terms.begin(), terms.end(), [](const Term& t) {
    return std::nearbyint(t.as_real()) == t.as_real();
  });
  if (!few) {
    double limit = std::ldexp(1.0, hlo::float_format(reduction.type)->mantissa_bits);
    if (!whole || magnitudes >= limit) return std::nullopt;
  }
  Term total = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    total = fold_numbers(Opcode::kAdd, reduction.type, total, terms[i]);
  }
  return total;
}

Term SymbolDomain::sum(const Reduction& reduction, std::vector<Term>& terms) {
  ElementType type = reduction.type;
  if (hlo::is_integer(type)) return integer_sum(type, terms);
  drop_zeros(terms, !options_.assume_finite);
  if (terms.empty()) return without_zero_sign(Term::real(-0.0));
  if (terms.size() == 1) return terms[0];
  if (auto number = sum_of_numbers(reduction, terms)) return *number;
  bool is_float = hlo::is_float(type);
  if (is_float && in_field()) return field_total(reduction, terms);
  if (is_float && reduction.order == SumOrder::kOpen && all_equal(terms)) {
    // Up to four equal terms round alike in any order, so also in stages.
    const Structure* stage = structure_of(terms[0], Form::kSum);
    if (stage && stage->type == type) {
      std::vector<Term> parts = parts_of(*stage, type);
      if (all_equal(parts) && parts.size() * terms.size() <= 4) {
        terms.assign(parts.size() * terms.size(), parts[0]);
      }
    }
  }
  if (is_float && reduction.order == SumOrder::kOpen && terms.size() <= 4 && all_equal(terms)) {
    if (side_ == Side::kAfter) {
      if (auto allowed = allowed_order(reduction, terms)) return *allowed;
    }
    std::vector<Term> factors = {terms[0], Term::real(static_cast<double>(terms.size()))};
    Term multiple =
        product({ReducerKind::kMultiply, type, SumOrder::kOpen, reduction.may_be_wider}, factors);
    // A stage of a larger sum is taken apart again.
    const bool is_stage = !multiple.is_number() && multiple.type == type;
    if (is_stage) record(multiple.bits, Form::kSum, type, terms);
    return multiple;
  }
  uint64_t fingerprint = sum_fingerprint(reduction.order, type, unordered(terms));
  if (side_ == Side::kBefore) before_.insert(fingerprint);
  if (side_ == Side::kAfter && reduction.order == SumOrder::kOpen &&
      !before_.contains(fingerprint)) {
    if (auto allowed = allowed_order(reduction, terms)) return *allowed;
  }
  bool keep = reduction.order == SumOrder::kOpen && terms.size() <= kMostRecordedParts;
  return keep ? record(fingerprint, Form::kSum, type, terms) : Term::symbol(fingerprint, type);
}

// A sum or product of the before side that this one is an allowed order, or a wider rendering, of.
std::optional<Term> SymbolDomain::allowed_order(const Reduction& reduction,
                                                const std::vector<Term>& terms) {
  const bool is_sum = reduction.kind == ReducerKind::kAdd;
  const Form form = is_sum ? Form::kSum : Form::kProduct;
  std::vector<Term> level = terms;
  for (int depth = 0; depth < kMostNestedSums; ++depth) {
    if (auto wide = wider(reduction, level)) return wide;
    std::vector<Term> next;
    for (const Term& term : level) {
      const Structure* inner = structure_of(term, form);
      if (inner && inner->type == reduction.type) {
        std::vector<Term> parts = parts_of(*inner, inner->type);
        next.insert(next.end(), parts.begin(), parts.end());
      } else {
        next.push_back(term);
      }
    }
    if (next.size() == level.size() || next.size() > kMostRecordedParts) break;
    if (is_sum) drop_zeros(next, !options_.assume_finite);
    const uint64_t total = unordered(next);
    const uint64_t flat = is_sum ? sum_fingerprint(SumOrder::kOpen, reduction.type, total)
                                 : product_fingerprint(SumOrder::kOpen, reduction.type, total);
    if (before_.contains(flat)) return Term::symbol(flat, reduction.type);
    level = std::move(next);
  }
  return std::nullopt;
}

// A narrow sum or product of the before side that this one is a wider rendering of.
std::optional<Term> SymbolDomain::wider(const Reduction& reduction,
                                        const std::vector<Term>& terms) {
  if (!reduction.may_be_wider) return std::nullopt;
  using T = ElementType;
  constexpr T kNarrow[] = {
      T::kF8E4M3FN,      T::kF8E5M2,     T::kF8E4M3, T::kF8E3M4, T::kF8E4M3FNUZ,
      T::kF8E4M3B11FNUZ, T::kF8E5M2FNUZ, T::kF16,    T::kBF16,   T::kF32};
  uint64_t total = unordered(terms);
  for (ElementType narrow : kNarrow) {
    if (narrow == reduction.type) continue;
    if (!hlo::convert_preserves_values(narrow, reduction.type)) continue;
    bool fits = std::all_of(terms.begin(), terms.end(),
                            [&](const Term& t) { return fits_into(t, narrow); });
    uint64_t fingerprint = reduction.kind == ReducerKind::kAdd
                               ? sum_fingerprint(SumOrder::kOpen, narrow, total)
                               : product_fingerprint(SumOrder::kOpen, narrow, total);
    // The value itself is not one of the narrow type: only `convert` brings it back there.
    if (fits && before_.contains(fingerprint)) {
      rendered_.insert_or_assign(fingerprint, narrow);
      return Term::symbol(fingerprint, reduction.type);
    }
  }
  return std::nullopt;
}

bool SymbolDomain::is_zero_product(ElementType type, std::span<const Term> factors) {
  if (!options_.assume_finite || !hlo::is_float(type)) return false;
  if (std::ranges::none_of(factors, [](const Term& t) { return is_zero(t, false); })) return false;
  const bool is_finite = std::ranges::none_of(factors, [](const Term& t) {
    return t.kind == TermKind::kReal && !std::isfinite(t.as_real());
  });
  met_not_finite_ = met_not_finite_ || !is_finite;
  return is_finite;
}

Term SymbolDomain::product(const Reduction& reduction, std::vector<Term>& terms) {
  ElementType type = reduction.type;
  if (hlo::is_integer(type)) return integer_product(type, terms);
  bool is_float = hlo::is_float(type);
  // A factor of one drops out, but not of complex numbers, whose parts then meet.
  if (is_float) std::erase_if(terms, [](const Term& t) { return t == Term::real(1); });
  if (terms.empty()) return Term::real(1);
  if (terms.size() == 1) return terms[0];
  if (is_zero_product(type, terms)) return Term::real(0);
  if (is_float && in_field()) return field_total(reduction, terms);
  if (is_float && terms.size() == 2 && side_ == Side::kAfter) {
    // A power of two times a term is one order of adding up as many equal terms.
    size_t number = terms[0].is_number() ? 0 : 1;
    double factor = terms[number].is_number() ? terms[number].as_real() : 0;
    int exponent = 0;
    if (factor > 4 && factor <= 65536 && std::frexp(factor, &exponent) == 0.5) {
      uint64_t total = unordered({terms[1 - number]}) * static_cast<uint64_t>(factor);
      uint64_t fingerprint = sum_fingerprint(SumOrder::kOpen, type, total);
      if (before_.contains(fingerprint)) return Term::symbol(fingerprint, type);
    }
  }
  uint64_t fingerprint = product_fingerprint(reduction.order, type, unordered(terms));
  if (side_ == Side::kBefore) before_.insert(fingerprint);
  const bool is_open = reduction.order == SumOrder::kOpen;
  if (side_ == Side::kAfter && is_open && !before_.contains(fingerprint)) {
    if (auto allowed = allowed_order(reduction, terms)) return *allowed;
  }
  // A multiple of a value is taken apart as a sum, if at all: see `sum`.
  const bool keep = is_float && is_open && terms.size() <= kMostRecordedParts &&
                    std::ranges::none_of(terms, [](const Term& t) { return t.is_number(); });
  return keep ? record(fingerprint, Form::kProduct, type, terms) : Term::symbol(fingerprint, type);
}

Term SymbolDomain::contract(const Contraction& contraction, std::span<const Term> left,
                            std::span<const Term> right) {
  ElementType type = contraction.result;
  bool numbers = hlo::is_integer(type);
  for (size_t i = 0; i < left.size() && numbers; ++i) {
    numbers = left[i].is_number() && right[i].is_number();
  }
  if (numbers) {
    uint64_t total = 0;
    bool drawn = false;
    for (size_t i = 0; i < left.size(); ++i) {
      total += left[i].bits * right[i].bits;
      drawn = drawn || left[i].drawn || right[i].drawn;
    }
    Term number = Term::integer(wrap(static_cast<int64_t>(total), type));
    number.drawn = drawn;
    if (drawn) number.type = type;
    return number;
  }
  // Zeros of sign plus make one, in any order.
  auto are_zeros = [](std::span<const Term> terms) {
    return std::ranges::all_of(terms, [](const Term& t) { return is_zero(t, false); });
  };
  if (hlo::is_float(type) && are_zeros(left) && are_zeros(right)) return Term::real(0);
  if (hlo::is_float(type) && in_field()) {
    uint64_t total = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      uint64_t term = field::multiply(field::element(left[i]), field::element(right[i]));
      total = field::add(total, term);
    }
    // A factor for the kind of dot keeps it linear and apart from other kinds.
    return Term::symbol(field::multiply(total, field::reduce(contraction.tag)), type);
  }
  uint64_t total = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    uint64_t a = hash(left[i]), b = hash(right[i]);
    total += combine(std::min(a, b), std::max(a, b));
  }
  return Term::symbol(salted(Salt::kDot, contraction.tag, total), type);
}

// In the field a dot is linear in each element.
std::optional<Term> SymbolDomain::contract_rows(const Contraction& contraction, const LeafRow& left,
                                                const LeafRow& right, int64_t count) {
  if (in_field() || !hlo::is_float(contraction.result)) return std::nullopt;
  if (!hlo::is_float(left.type) || !hlo::is_float(right.type)) return std::nullopt;
  auto row = [&](const LeafRow& row) {
    const Term first = leaf(*row.leaf, row.type, row.part, row.device, row.index);
    return salted(Salt::kRow, hash(first), static_cast<uint64_t>(row.step));
  };
  const uint64_t a = row(left), b = row(right);
  const uint64_t total =
      combine(combine(std::min(a, b), std::max(a, b)), static_cast<uint64_t>(count));
  return Term::symbol(salted(Salt::kDotOfRows, contraction.tag, total), contraction.result);
}

}  // namespace flipsat::verify
