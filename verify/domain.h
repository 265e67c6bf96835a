// What the interpreter's elements are: the operations that it needs on them. Two domains implement
// it: fingerprints of computations (symbols.h) and numbers (number_domain.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "hlo/device_partition.h"
#include "hlo/reducer.h"
#include "verify/scalar_math.h"
#include "verify/term.h"

namespace flipsat::verify {

// Something has no meaning in a domain or in the interpreter. What depends on it is not checked.
struct Unmodelled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A value that is taken as given: a parameter, or one that two programs are known to share. Its
// elements are as random as what is known of it allows.
struct Leaf {
  uint64_t key = 0;
  // Where the elements are known to agree; null: each device has its own.
  const hlo::DevicePartition* equal_on = nullptr;
  // The number on each device where it is known (one-element integers); null: unknown.
  const std::vector<int64_t>* on_devices = nullptr;
  // Integers that start slices: about how many starts are in range; 0: not known to be one.
  int64_t starts = 0;
};

// Who asks for a reduction decides which orders HLO leaves open.
enum class SumOrder : uint8_t {
  kFixed,  // reduce: some order, the same for the same elements
  kOpen,   // all-reduce, reduce-scatter: any order
};

struct Reduction {
  hlo::ReducerKind kind = hlo::ReducerKind::kAdd;
  hlo::ElementType type = hlo::ElementType::kF32;
  SumOrder order = SumOrder::kFixed;
  // A directed edge was followed here: the value may be a wider rendering of a narrow sum.
  bool may_be_wider = false;
};

struct Contraction {
  hlo::ElementType result = hlo::ElementType::kF32;
  uint64_t tag = 0;  // types, precision, algorithm
};

// Elements of one leaf at even distances: index, index + step, ...
struct LeafRow {
  const Leaf* leaf = nullptr;
  hlo::ElementType type = hlo::ElementType::kF32;
  uint32_t part = 0;
  int64_t device = 0;
  int64_t index = 0;
  int64_t step = 0;
};

class Domain {
 public:
  virtual ~Domain() = default;

  virtual Term leaf(const Leaf& leaf, hlo::ElementType type, uint32_t part, int64_t device,
                    int64_t index) = 0;
  virtual Term constant(const hlo::Literal& literal, int64_t index) = 0;
  virtual Term scalar(const ScalarOp& op, std::span<const Term> arguments) = 0;
  // `terms` may be reordered and changed.
  virtual Term reduce(const Reduction& reduction, std::vector<Term>& terms) = 0;
  virtual Term contract(const Contraction& contraction, std::span<const Term> left,
                        std::span<const Term> right) = 0;
  // Of rows without a look at each element; nullopt where that is not possible.
  virtual std::optional<Term> contract_rows(const Contraction&, const LeafRow& /*left*/,
                                            const LeafRow& /*right*/, int64_t /*count*/) {
    return std::nullopt;
  }
  // An operation known only by name, as a function of all that it reads.
  virtual Term opaque(uint64_t tag, hlo::ElementType type, std::span<const Term> terms) = 0;
  // Where a slice starts: the number, or something that stands for an unknown one, about `starts`
  // of which are in range.
  virtual int64_t start_index(const Term& term, int64_t starts) = 0;
  // Work of the domain's own since the last call, in elements' worth.
  virtual int64_t take_work() { return 0; }
};

}  // namespace flipsat::verify
