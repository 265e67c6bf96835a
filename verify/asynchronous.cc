// Asynchronous pairs mean what their operation means: a start passes its operands along and holds
// the results, the other halves hand the results out.
#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::Opcode;

Evaluator::Step Evaluator::move_start(Place& place, Term& term) {
  const hlo::Instruction& in = module_[place.instruction];
  if (in.opcode == Opcode::kCopyStart) {
    // Copy, original, context.
    if (place.part > 1) throw Unmodelled("the context of an asynchronous operation");
    place.instruction = in.operands[0];
    place.part = 0;
    return Step::kMoved;
  }
  const Plan& plan = this->plan(place.instruction);
  if (place.part < plan.lead) return move_tuple(place);
  hlo::ComputationList called = in.called_computations();
  if (in.opcode == Opcode::kAsyncStart && !in.wrapped) {
    if (called.size() != 1) throw Unmodelled("an asynchronous call of no computation");
    hlo::InstructionId root = module_.computations[called[0]].root;
    place.part -= plan.lead;
    if (place.part >= part_count(module_[root].shape)) {
      throw Unmodelled("the context of an asynchronous operation");
    }
    place.frame = frame(place.frame, place.instruction, Role::kCall, 0, called[0]);
    place.instruction = root;
    return Step::kMoved;
  }
  if (place.part - plan.lead >= in.operands.size()) {
    throw Unmodelled("the context of an asynchronous operation");
  }
  switch (plan.opcode) {
    case Opcode::kAllGather:
      return move_all_gather(place);
    case Opcode::kAllToAll:
      return move_all_to_all(place);
    case Opcode::kCollectivePermute:
    case Opcode::kCollectiveBroadcast:
      return move_from_source(place, term);
    case Opcode::kReduceScatter:
      return Step::kOperation;
    default:
      throw Unmodelled(std::string(hlo::to_string(plan.opcode)) + " is not modelled as a start");
  }
}

Evaluator::Step Evaluator::move_done(Place& place) {
  const hlo::Instruction& in = module_[place.instruction];
  const hlo::Shape& start = module_[in.operands[0]].shape;
  bool holds_operands = in.opcode != Opcode::kAsyncUpdate && in.opcode != Opcode::kAllReduceDone &&
                        in.opcode != Opcode::kCopyDone;
  if (holds_operands) {
    if (!start.is_tuple() || start.parts->size() < 2) {
      throw Unmodelled("the end of an operation that holds no results");
    }
    place.part += part_count((*start.parts)[0]);
  }
  if (place.part >= part_count(start)) throw Unmodelled("a result that does not exist");
  place.instruction = in.operands[0];
  return Step::kMoved;
}

}  // namespace flipsat::verify
