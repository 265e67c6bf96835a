// Between devices.
#include "verify/evaluator.h"
#include "verify/rounding.h"

namespace flipsat::verify {

using hlo::Opcode;
using hlo::ReducerKind;

Evaluator::Step Evaluator::move_all_gather(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  uint32_t part = place.part - plan.lead;
  const AlongDim& whole = plan.result_dim.at(part);
  const AlongDim& local = plan.operand_dim.at(part);
  if (local.size == 0) throw Unmodelled("a scalar in a collective along a dim");
  int64_t at = whole.at(place.index);
  const auto& members = plan.groups->groups[plan.group_of[place.device]];
  place.device = static_cast<uint32_t>(members[at / local.size]);
  place.index =
      local.flat(whole.outer_of(place.index), at % local.size, whole.inner_of(place.index));
  place.instruction = module_[place.instruction].operands[part];
  place.part = 0;
  return Step::kMoved;
}

// Array form: the operand is cut into n parts along the dim, part j goes to member j, and what
// comes in is joined in the members' order. Tuple form: the parts are operands and results.
Evaluator::Step Evaluator::move_all_to_all(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  const auto& members = plan.groups->groups[plan.group_of[place.device]];
  int64_t own = plan.position_of[place.device];
  int64_t count = static_cast<int64_t>(members.size());
  if (in.dimensions().empty()) {
    if (static_cast<int64_t>(in.operands.size()) != count) {
      throw Unmodelled("an all-to-all whose parts are not its members");
    }
    place.device = static_cast<uint32_t>(members.at(place.part - plan.lead));
    place.instruction = in.operands[own];
    place.part = 0;
    return Step::kMoved;
  }
  if (plan.result_dim.empty() || plan.result_dim[0].size == 0) {
    throw Unmodelled("an all-to-all without a dim");
  }
  const AlongDim& dim = plan.result_dim[0];
  int64_t part = dim.size / count;
  int64_t at = dim.at(place.index);
  place.device = static_cast<uint32_t>(members[at / part]);
  place.index =
      dim.flat(dim.outer_of(place.index), own * part + at % part, dim.inner_of(place.index));
  place.instruction = in.operands[0];
  place.part = 0;
  return Step::kMoved;
}

// A permute takes from one device, a broadcast from the first of its group. Who receives from
// nobody holds zeros.
Evaluator::Step Evaluator::move_from_source(Place& place, Term& term) {
  const Plan& plan = this->plan(place.instruction);
  int64_t source = plan.source_of.at(place.device);
  if (source < 0) {
    term = zero_of(shape_of(place).type);
    return Step::kTerm;
  }
  place.device = static_cast<uint32_t>(source);
  place.instruction = module_[place.instruction].operands.at(place.part - plan.lead);
  place.part = 0;
  return Step::kMoved;
}

std::optional<Term> Evaluator::compute_sum_collective(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  hlo::ElementType type = shape_of(place).type;
  if (plan.reducer && !hlo::convert_preserves_values(type, plan.reducer->type)) {
    throw Unmodelled("a reducer of a type that does not hold the data");
  }
  const auto& members = plan.groups->groups[plan.group_of[place.device]];
  uint32_t part = place.part - plan.lead;
  Place from{in.operands.at(part), place.frame, 0, place.device, place.index};
  if (plan.opcode == Opcode::kReduceScatter) {
    const AlongDim& local = plan.result_dim.at(part);
    const AlongDim& whole = plan.operand_dim.at(part);
    if (whole.size == 0) throw Unmodelled("a scalar in a collective along a dim");
    int64_t at = plan.position_of[place.device] * local.size + local.at(place.index);
    from.index = whole.flat(local.outer_of(place.index), at, local.inner_of(place.index));
  }
  std::vector<Term> terms;
  terms.reserve(members.size());
  bool known = true;
  for (int64_t member : members) {
    from.device = static_cast<uint32_t>(member);
    std::optional<Term> term = want(from);
    known = known && term;
    if (known) terms.push_back(*term);
  }
  work_.spend(static_cast<int64_t>(members.size()));
  if (!known) return std::nullopt;

  if (plan.reducer && plan.reducer->type == type) {
    bool wider =
        (plan.reducer->kind == ReducerKind::kAdd || plan.reducer->kind == ReducerKind::kMultiply) &&
        (wider_everywhere_ || (wider_sites_ && wider_sites_->contains(in.name)));
    return domain_.reduce({plan.reducer->kind, type, SumOrder::kOpen, wider}, terms);
  }
  // A reducer that is no recognised kind, or of a wider type than the data: its own steps, in the
  // members' order.
  Term total = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    Term pair[] = {total, terms[i]};
    std::vector<Term> folded = apply(plan.reducer_computation, pair);
    if (folded.size() != 1) throw Unmodelled("a reducer of several values");
    total = folded[0];
  }
  return total;
}

}  // namespace flipsat::verify
