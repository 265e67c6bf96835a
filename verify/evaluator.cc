#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

constexpr size_t kLargeTable = size_t{1} << 15;
constexpr size_t kMostKnown = size_t{1} << 22;  // some hundreds of megabytes

}  // namespace

size_t Evaluator::PlaceHash::operator()(const Place& place) const {
  uint64_t where = static_cast<uint64_t>(place.instruction) << 32 | place.device;
  uint64_t in = static_cast<uint64_t>(place.frame) << 32 | place.part;
  return combine(mix(where ^ in * 0x9e3779b97f4a7c15), static_cast<uint64_t>(place.index));
}

Evaluator::Evaluator(const hlo::Module& module, const hlo::DeviceCounts& counts, Domain& domain,
                     LeafSource& leaves, WorkMeter& work)
    : module_(module),
      counts_(counts),
      domain_(domain),
      leaves_(leaves),
      work_(work),
      plans_(module.instructions.size()),
      first_part_(module.instructions.size(), kUnknown) {
  frames_.push_back({});
}

void Evaluator::set_wider_sites(const std::unordered_set<std::string>* sites, bool everywhere) {
  wider_sites_ = sites;
  wider_everywhere_ = everywhere;
}

void Evaluator::forget() {
  // Clearing costs as much as the table is large, and most proofs are small.
  if (known_.bucket_count() > kLargeTable) known_ = {};
  known_.clear();
  trips_.clear();
  tables_.clear();
  stack_.clear();
  windows_.clear();
  nested_calls_ = 0;
  frames_.resize(1);
  frame_ids_.clear();
}

const Plan& Evaluator::plan(InstructionId id) {
  if (plans_[id]) return *plans_[id];
  try {
    plans_[id] = make_plan(module_, module_[id], counts_);
  } catch (const std::logic_error&) {
    // Lists that are shorter than they should be, where the module's verifier does not look.
    throw Unmodelled("it is not well-formed");
  }
  return *plans_[id];
}

const hlo::Shape& Evaluator::shape_of(const Place& place) const {
  return part_shape(module_[place.instruction].shape, place.part);
}

Place Evaluator::at_operand(const Place& place, size_t operand, int64_t index) const {
  return {module_[place.instruction].operands[operand], place.frame, 0, place.device, index};
}

std::optional<Term> Evaluator::operand_scalar(const Place& place, size_t operand) {
  return want(at_operand(place, operand, 0));
}

Term Evaluator::value(const Place& place, bool open) {
  try {
    return computed(place, open);
  } catch (const std::out_of_range&) {
    // As in `plan`.
    throw Unmodelled("it is not well-formed");
  }
}

Term Evaluator::computed(const Place& place, bool open) {
  stack_.clear();
  while (true) {
    std::optional<Term> term = want(place, open);
    if (term) return *term;
    // Every wait left at least one place on the stack.
    while (!stack_.empty()) {
      Place top = stack_.back();
      if (known_.contains(top)) {
        stack_.pop_back();
        continue;
      }
      size_t depth = stack_.size();
      std::optional<Term> result = compute(top);
      if (!result) continue;
      work_.spend(1 + domain_.take_work());
      if (known_.size() >= kMostKnown) throw OutOfWork{};
      stack_.resize(depth - 1);
      known_.emplace(top, *result);
    }
  }
}

std::optional<Term> Evaluator::want(Place place, bool open) {
  Term term;
  while (true) {
    const Leaf* leaf = nullptr;
    if (place.frame == 0 && !open) leaf = leaves_.leaf(place.instruction, place.part);
    open = false;
    if (leaf) {
      return domain_.leaf(*leaf, shape_of(place).type, place.part, place.device, place.index);
    }
    unmodelled_at_ = place.instruction;
    switch (follow(place, term)) {
      case Step::kMoved:
        continue;
      case Step::kTerm:
        return term;
      case Step::kWaiting:
        return std::nullopt;
      case Step::kOperation:
        break;
    }
    if (auto found = known_.find(place); found != known_.end()) return found->second;
    stack_.push_back(place);
    return std::nullopt;
  }
}

Place Evaluator::origin(Place place, bool open) {
  Term term;
  try {
    for (int steps = 0; steps < 1000; ++steps) {
      if (place.frame == 0 && !open && leaves_.leaf(place.instruction, place.part)) break;
      open = false;
      if (follow(place, term) != Step::kMoved) break;
    }
  } catch (const Unmodelled&) {
    // As far as it goes is what is asked for.
  }
  return place;
}

Evaluator::Step Evaluator::follow(Place& place, Term& term) {
  const hlo::Instruction& in = module_[place.instruction];
  switch (in.opcode) {
    case Opcode::kParameter:
      return move_parameter(place);
    case Opcode::kCall:
    case Opcode::kFusion:
      return move_call(place);
    case Opcode::kWhile:
      return move_while(place);
    case Opcode::kConditional:
      return move_conditional(place);
    case Opcode::kMap:
      return move_map(place);
    case Opcode::kDynamicSlice:
      return move_dynamic_slice(place);
    case Opcode::kDynamicUpdateSlice:
      return move_dynamic_update_slice(place);
    case Opcode::kGather:
      return move_gather(place);
    case Opcode::kAllGather:
      return move_all_gather(place);
    case Opcode::kAllToAll:
      return move_all_to_all(place);
    case Opcode::kCollectivePermute:
    case Opcode::kCollectiveBroadcast:
      return move_from_source(place, term);
    case Opcode::kAllGatherStart:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyStart:
    case Opcode::kAsyncStart:
      return move_start(place, term);
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopyDone:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return move_done(place);
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
    case Opcode::kScatter:
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kSort:
    case Opcode::kAfterAll:
      return Step::kOperation;
    default:
      break;
  }
  bool is_operation = hlo::elementwise_arity(in.opcode) > 0 || is_opaque_function(in.opcode);
  return is_operation ? Step::kOperation : move(place, term);
}

std::optional<Term> Evaluator::compute(const Place& place) {
  if (place.part == kDigest) return compute_digest(place);
  const hlo::Instruction& in = module_[place.instruction];
  switch (hlo::synchronous(in.wrapped.value_or(in.opcode))) {
    case Opcode::kAllReduce:
    case Opcode::kReduceScatter:
      return compute_sum_collective(place);
    case Opcode::kReduce:
      return compute_reduce(place);
    case Opcode::kReduceWindow:
      return compute_reduce_window(place);
    case Opcode::kSelectAndScatter:
      return compute_select_and_scatter(place);
    case Opcode::kScatter:
      return compute_scatter(place);
    case Opcode::kConvolution:
      return compute_convolution(place);
    case Opcode::kDot:
      return compute_dot(place);
    case Opcode::kSort:
      return compute_sort(place);
    case Opcode::kConditional:
      return compute_conditional(place);
    case Opcode::kBitcastConvert:
      return compute_bitcast(place);
    case Opcode::kAfterAll:
      return compute_token(place);
    default:
      break;
  }
  return is_opaque_function(in.opcode) ? compute_opaque(place) : compute_elementwise(place);
}

}  // namespace flipsat::verify
