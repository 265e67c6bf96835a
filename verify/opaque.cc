// Operations that are only a name: functions of exactly the elements that they read.
//
// What one repetition of the operation reads is hashed once, as the term of a place of its own (its
// `part` is kDigest, its index says which repetition); each result is a function of that term and
// of where it stands.
#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::Opcode;

namespace {

constexpr int64_t kMostRead = int64_t{1} << 16;

// The result's coordinates that say which repetition it is of, packed, and the others.
struct Split {
  int64_t repetition = 0;
  uint64_t rest = 0;
};

Split split(const Plan& plan, const hlo::Dims& dims, int64_t index) {
  hlo::Dims strides = hlo::row_major_strides(dims);
  std::vector<bool> repeats(dims.size(), false);
  for (const Reading& reading : plan.readings) {
    for (int64_t dim : reading.result_dim) {
      if (dim >= 0 && dim < static_cast<int64_t>(dims.size())) repeats[dim] = true;
    }
  }
  Split split;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t at = index / strides[i] % dims[i];
    if (repeats[i]) {
      split.repetition += at * strides[i];
    } else {
      split.rest = combine(split.rest, static_cast<uint64_t>(at));
    }
  }
  return split;
}

}  // namespace

Term Evaluator::opaque(const Place& place, uint64_t tag, hlo::ElementType type,
                       std::span<const Term> terms) {
  unmodelled_at_ = place.instruction;
  opaque_met_ = place.instruction;
  return domain_.opaque(tag, type, terms);
}

std::optional<Term> Evaluator::compute_opaque(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Shape& shape = shape_of(place);
  Split at = split(plan, shape.dims, place.index);
  Place digest = place;
  digest.part = kDigest;
  digest.index = at.repetition;
  auto found = known_.find(digest);
  if (found == known_.end()) {
    stack_.push_back(digest);
    return std::nullopt;
  }
  Term terms[] = {found->second, Term::integer(place.part),
                  Term::integer(static_cast<int64_t>(at.rest))};
  return opaque(place, plan.tag, shape.type, terms);
}

std::optional<Term> Evaluator::compute_digest(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  hlo::Dims result_strides = hlo::row_major_strides(part_shape(in.shape, 0).dims);
  std::vector<Term> terms;
  std::vector<int64_t> devices = {place.device};
  if (plan.opcode == Opcode::kRaggedAllToAll) {
    devices = plan.groups->groups[plan.group_of[place.device]];
    terms.push_back(Term::integer(plan.position_of[place.device]));
  }
  // A custom call may ask on which device it runs.
  if (plan.opcode == Opcode::kCustomCall) terms.push_back(Term::integer(place.device));
  bool known = true;
  int64_t count = 0;
  auto read = [&](size_t operand, uint32_t part, int64_t index) {
    if (++count > kMostRead) throw Unmodelled("it reads too many elements");
    for (int64_t device : devices) {
      std::optional<Term> term =
          want({in.operands[operand], place.frame, part, static_cast<uint32_t>(device), index});
      known = known && term;
      if (known) terms.push_back(*term);
    }
  };
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const hlo::Shape& shape = module_[in.operands[i]].shape;
    for (uint32_t part = 0; part < part_count(shape); ++part) {
      const hlo::Dims& dims = part_shape(shape, part).dims;
      hlo::Dims strides = hlo::row_major_strides(dims);
      int64_t base = 0, free = 1;
      hlo::Dims sizes = dims;  // 1 where the coordinate is the repetition's
      for (size_t k = 0; k < dims.size(); ++k) {
        int64_t own = plan.readings.empty() ? -1 : plan.readings[i].result_dim[k];
        if (own >= 0) {
          int64_t size = part_shape(in.shape, 0).dims[own];
          base += place.index / result_strides[own] % size * strides[k];
          sizes[k] = 1;
        }
        if (free > 0 && sizes[k] > kMostRead / free) throw Unmodelled("it reads too many elements");
        free *= sizes[k];
      }
      hlo::Dims steps = hlo::row_major_strides(sizes);
      for (int64_t at = 0; at < free; ++at) {
        int64_t index = base;
        for (size_t k = 0; k < dims.size(); ++k) index += at / steps[k] % sizes[k] * strides[k];
        read(i, part, index);
      }
    }
  }
  work_.spend(count);
  if (!known) return std::nullopt;
  return opaque(place, plan.tag, hlo::ElementType::kU64, terms);
}

// After-all: the token of all its tokens.
std::optional<Term> Evaluator::compute_token(const Place& place) {
  const hlo::Instruction& in = module_[place.instruction];
  std::vector<Term> tokens;
  bool known = true;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    std::optional<Term> token = operand_scalar(place, i);
    known = known && token;
    if (known) tokens.push_back(*token);
  }
  if (!known) return std::nullopt;
  return domain_.opaque(static_cast<uint64_t>(Opcode::kAfterAll), hlo::ElementType::kToken, tokens);
}

}  // namespace flipsat::verify
