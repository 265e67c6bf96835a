// Elements as fingerprints of how they were computed, equal exactly if the laws below make them so
// (but for collisions of 64-bit words).
//
//   elementwise     an uninterpreted function of the operands; commutative ones sort them; numbers
//                   fold with true rounding, but what was drawn at random is not compared,
//                   clamped or rounded
//   max, min        sets: idempotent, associative, monotone converts go inside; and, or on pred are
//                   min, max of 0 and 1
//   float sums      unordered; -0 drops out; up to four equal terms are the term times their number
//   integer sums    and products: unordered, associative, truncating converts go inside; equal
//                   terms are one times their number, and numbers are multiplied out
//   select          of one predicate: passes sums, sets and converts
//   convert         keeps the fingerprint where it preserves the value (a value that is known to be
//                   representable in the target type is preserved by narrowing, too), from
//                   integer to float and back as well; integers narrowed twice are narrowed once;
//                   a float out of an integer type's range is left uninterpreted
//   dot             a function of the unordered products
//   assume_finite   -0 is 0, 0 drops out of float sums, a float product with it is 0
//   complex         the parts of a number made of two are those, and a number made of another's
//                   parts is that one; sums as of floats; all else is uninterpreted
//
// One program (`before`) is evaluated first and allows what the other (`after`) computes: an after
// sum may be a nesting of an open sum that the before side has computed, or a power of two times a
// term where it has added up equal terms; where a directed edge was followed, also a wider
// rendering of a narrower sum. In the class `reassoc` float sums and products are arithmetic in a
// prime field instead (field.h).
//
// What is uninterpreted in an unknown integer or pred has more laws than these, so fingerprints
// that differ then prove nothing. With `Integers::kConcrete` unknown ones are plain numbers: what
// differs then differs for those, and what does not is no proof.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <vector>

#include "hlo/numerics.h"
#include "verify/domain.h"

namespace flipsat::verify {

enum class Side : uint8_t { kBefore, kAfter };
enum class Integers : uint8_t { kOpen, kConcrete };

class SymbolDomain : public Domain {
 public:
  struct Options {
    uint64_t seed = 1;
    hlo::Numerics numerics = hlo::Numerics::kExact;
    bool assume_finite = false;  // zeros have no sign, x times 0 is 0
  };
  explicit SymbolDomain(const Options& options);

  // The class whose laws hold from the next restart on.
  void set_numerics(hlo::Numerics numerics) { options_.numerics = numerics; }
  // Whose elements are computed from here on.
  void set_side(Side side) { side_ = side; }
  // Starts afresh with other random leaves; all terms from before are void. Concrete integers lie
  // by preference next to those that the last run with open ones compared unknown ones with.
  void restart(uint64_t seed, Integers integers = Integers::kOpen);
  bool same(const Term& a, const Term& b) const;
  // Whether an integer whose value is unknown was given one at random since the last restart:
  // another seed may then show what this one hides.
  bool drew_integers() const { return drew_integers_; }
  // Whether there was an unknown integer or pred, for whose laws see above.
  bool met_unknowns() const { return drew_integers_ || met_preds_; }
  // Whether 0 was multiplied by what is known not to be finite since it was last forgotten: then
  // `assume_finite` does not hold, and nothing is said of what differs.
  bool met_not_finite() const { return met_not_finite_; }
  void forget_not_finite() { met_not_finite_ = false; }
  // Parts of fingerprints that are kept.
  size_t remembered() const { return parts_.size(); }

  Term leaf(const Leaf& leaf, hlo::ElementType type, uint32_t part, int64_t device,
            int64_t index) override;
  Term constant(const hlo::Literal& literal, int64_t index) override;
  Term scalar(const ScalarOp& op, std::span<const Term> arguments) override;
  Term reduce(const Reduction& reduction, std::vector<Term>& terms) override;
  Term contract(const Contraction& contraction, std::span<const Term> left,
                std::span<const Term> right) override;
  std::optional<Term> contract_rows(const Contraction& contraction, const LeafRow& left,
                                    const LeafRow& right, int64_t count) override;
  Term opaque(uint64_t tag, hlo::ElementType type, std::span<const Term> terms) override;
  int64_t start_index(const Term& term, int64_t starts) override;
  int64_t take_work() override;

 private:
  // Laws look inside of terms, and terms may be nested at will: past this the answer is Unmodelled.
  class Nesting {
   public:
    explicit Nesting(SymbolDomain& domain);
    ~Nesting();

   private:
    SymbolDomain& domain_;
  };

  // What a fingerprint is made of, where a law looks inside.
  enum class Form : uint8_t {
    kMaximum,
    kMinimum,
    kBitAnd,
    kBitOr,
    kSum,
    kProduct,  // of integers
    kChoice,
    kWidened,
    kWrapped,  // an integer converted to an integer type that does not hold it
    kComplex,  // of a real and an imaginary part
    kReal,     // part of a complex number
    kImaginary,
  };
  struct Structure {
    Form form;
    hlo::ElementType type;
    uint32_t begin;
    uint32_t size;
  };

  bool in_field() const { return options_.numerics >= hlo::Numerics::kReassoc; }
  // A new symbol, and the word by which a term enters a fingerprint: in the field the same for all
  // terms that stand for one element.
  Term made(uint64_t fingerprint, hlo::ElementType type) const;
  uint64_t word(const Term& term) const;
  const Structure* structure_of(const Term& term, Form form) const;
  // Numbers among them as ones of the type, which holds them: a structure is the same for integers
  // and for floats of the same values.
  std::vector<Term> parts_of(const Structure& structure, hlo::ElementType type);
  Term record(uint64_t fingerprint, Form form, hlo::ElementType type, std::span<const Term> parts);

  // symbols.cc
  Term without_zero_sign(const Term& number) const;
  std::optional<Term> number_of(const ScalarOp& op, std::span<const Term> arguments);
  int64_t draw(uint64_t random, hlo::ElementType type, int64_t starts) const;
  void note_compared(std::span<const Term> terms);
  Term negated(const ScalarOp& op, const Term& term);
  Term made_complex(const ScalarOp& op, std::span<const Term> parts);
  Term part_of_complex(const ScalarOp& op, const Term& term);
  Term chosen(const Term& predicate, const Term& yes, const Term& no, hlo::ElementType type);
  Term applied(const ScalarOp& op, std::span<const Term> arguments);

  // symbol_converts.cc
  Term convert(const ScalarOp& op, const Term& term);
  Term convert_of_number(const ScalarOp& op, const Term& number);
  Term uninterpreted_convert(const ScalarOp& op, const Term& term);
  std::optional<Term> convert_inside(const ScalarOp& op, const Term& term);
  Term widened(const Term& term, hlo::ElementType to);
  bool keeps_order(hlo::ElementType from, hlo::ElementType to) const;

  // symbol_sets.cc, symbol_sums.cc
  Term extremum(Form form, hlo::ElementType type, std::vector<Term>& terms);
  Term sum(const Reduction& reduction, std::vector<Term>& terms);
  Term integer_sum(hlo::ElementType type, std::vector<Term>& terms);
  Term integer_product(hlo::ElementType type, std::vector<Term>& terms);
  std::pair<Term, int64_t> factored(const Term& term, hlo::ElementType type);
  Term product(const Reduction& reduction, std::vector<Term>& terms);
  bool is_zero_product(hlo::ElementType type, std::span<const Term> factors);
  Term field_total(const Reduction& reduction, const std::vector<Term>& terms);
  std::optional<Term> sum_of_numbers(const Reduction& reduction, const std::vector<Term>& terms);
  std::optional<Term> allowed_order(const Reduction& reduction, const std::vector<Term>& terms);
  std::optional<Term> wider(const Reduction& reduction, const std::vector<Term>& terms);
  std::optional<Term> lift_choice(const Reduction& reduction, const std::vector<Term>& terms);

  Options options_;
  Side side_ = Side::kBefore;
  Integers integers_ = Integers::kOpen;
  bool drew_integers_ = false;
  bool met_preds_ = false;
  bool met_not_finite_ = false;
  int nested_ = 0;                 // laws inside of laws
  int64_t law_steps_ = 0;          // since the outermost of them
  int64_t work_ = 0;               // law steps and parts handled
  std::vector<int64_t> compared_;  // numbers that unknown ones were compared with
  boost::unordered_flat_map<uint64_t, Structure> structures_;
  std::vector<Term> parts_;
  boost::unordered_flat_set<uint64_t> before_;  // fingerprints of what an after side may render
  boost::unordered_flat_map<uint64_t, hlo::ElementType> rendered_;  // wider, and its type before
};

// Is the value known to be one of the type?
bool fits_into(const Term& term, hlo::ElementType type);

// The same number as one of a type that holds it: float types have reals, others integers.
Term number_as(const Term& number, hlo::ElementType type);

// Kinds of fingerprint, so that two of them never meet by construction.
enum class Salt : uint64_t {
  kLeaf = 11,
  kConvert,
  kChoice,
  kNot,
  kSet,
  kFixedSum,
  kOpenSum,
  kFixedProduct,
  kOpenProduct,
  kDot,
  kDotOfRows,
  kRow,
  kOpaque,
  kWidened,
  kElementwise,
};

// Structures of more parts are not kept.
inline constexpr size_t kMostRecordedParts = 4096;

inline uint64_t salted(Salt salt, uint64_t a, uint64_t b = 0) {
  return combine(combine(static_cast<uint64_t>(salt), a), b);
}

}  // namespace flipsat::verify
