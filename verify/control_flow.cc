// Calls, loops and branches, as frames.
#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

// An iteration is a frame of its own even if little is computed in it.
constexpr int64_t kWorkOfIteration = 200;
constexpr int64_t kWorkOfFrame = 10;

ComputationId called_by(const hlo::Instruction& in, hlo::AttributeKey key) {
  const hlo::Attribute* attribute = in.find(key);
  const auto* list = attribute ? std::get_if<hlo::ComputationList>(&attribute->value) : nullptr;
  if (!list || list->size() != 1) throw Unmodelled("control flow without its computation");
  return (*list)[0];
}

hlo::ComputationList branches_of(const hlo::Instruction& in) {
  const hlo::Attribute* attribute = in.find(hlo::AttributeKey::kBranchComputations);
  if (!attribute) {
    return {called_by(in, hlo::AttributeKey::kTrueComputation),
            called_by(in, hlo::AttributeKey::kFalseComputation)};
  }
  return std::get<hlo::ComputationList>(attribute->value);
}

}  // namespace

uint32_t Evaluator::frame(uint32_t parent, InstructionId site, Role role, int64_t number,
                          ComputationId computation) {
  auto [found, is_new] =
      frame_ids_.try_emplace({parent, site, role, number}, static_cast<uint32_t>(frames_.size()));
  if (is_new) {
    frames_.push_back({parent, site, role, number, computation});
    work_.spend(kWorkOfFrame);
  }
  return found->second;
}

Evaluator::Step Evaluator::move_parameter(Place& place) {
  if (place.frame == 0) throw Unmodelled("a parameter of which nothing is given");
  const Frame in = frames_[place.frame];
  const hlo::Instruction& site = module_[in.site];
  int64_t number = module_[place.instruction].parameter_number;
  if (in.role == Role::kMap) {
    place.frame = in.parent;
    place.instruction = site.operands.at(static_cast<size_t>(number));
    place.index = in.number;
    return Step::kMoved;
  }
  if (in.number > 0 && (in.role == Role::kBody || in.role == Role::kCondition)) {
    // The state after the iteration before.
    ComputationId body = called_by(site, hlo::AttributeKey::kBody);
    place.frame = frame(in.parent, in.site, Role::kBody, in.number - 1, body);
    place.instruction = module_.computations[body].root;
    return Step::kMoved;
  }
  size_t operand = in.role == Role::kBranch ? static_cast<size_t>(in.number) + 1
                   : in.role == Role::kCall ? static_cast<size_t>(number)
                                            : 0;
  place.frame = in.parent;
  place.instruction = site.operands.at(operand);
  return Step::kMoved;
}

Evaluator::Step Evaluator::move_call(Place& place) {
  hlo::ComputationList called = module_[place.instruction].called_computations();
  if (called.size() != 1) throw Unmodelled("a call of no computation");
  place.frame = frame(place.frame, place.instruction, Role::kCall, 0, called[0]);
  place.instruction = module_.computations[called[0]].root;
  return Step::kMoved;
}

// A call for every element.
Evaluator::Step Evaluator::move_map(Place& place) {
  ComputationId called = called_by(module_[place.instruction], hlo::AttributeKey::kToApply);
  place.frame = frame(place.frame, place.instruction, Role::kMap, place.index, called);
  place.instruction = module_.computations[called].root;
  place.index = 0;
  return Step::kMoved;
}

Evaluator::Step Evaluator::move_while(Place& place) {
  const hlo::Instruction& loop = module_[place.instruction];
  ComputationId condition_id = called_by(loop, hlo::AttributeKey::kCondition);
  ComputationId body_id = called_by(loop, hlo::AttributeKey::kBody);
  uint32_t parent = place.frame;
  InstructionId site = place.instruction;
  Place key{site, parent, 0, place.device, 0};
  while (true) {
    Trip trip = trips_[key];
    if (trip.done) {
      if (trip.iterations == 0) {
        place.instruction = loop.operands[0];
      } else {
        place.frame = frame(parent, site, Role::kBody, trip.iterations - 1, body_id);
        place.instruction = module_.computations[body_id].root;
      }
      return Step::kMoved;
    }
    uint32_t inside = frame(parent, site, Role::kCondition, trip.iterations, condition_id);
    Place test{module_.computations[condition_id].root, inside, 0, place.device, 0};
    std::optional<Term> more = want(test);
    if (!more) return Step::kWaiting;
    if (!more->is_known()) {
      unmodelled_at_ = site;
      throw Unmodelled("a loop whose trip count depends on data");
    }
    work_.spend(kWorkOfIteration);
    Trip& next = trips_[key];
    if (more->bits) {
      ++next.iterations;
    } else {
      next.done = true;
    }
  }
}

// The same place in the branch's result.
Place Evaluator::in_branch(const Place& place, int64_t branch) {
  ComputationId computation =
      branches_of(module_[place.instruction]).at(static_cast<size_t>(branch));
  Place inside = place;
  inside.frame = frame(place.frame, place.instruction, Role::kBranch, branch, computation);
  inside.instruction = module_.computations[computation].root;
  return inside;
}

Evaluator::Step Evaluator::move_conditional(Place& place) {
  const hlo::Instruction& in = module_[place.instruction];
  std::optional<Term> selector = operand_scalar(place, 0);
  if (!selector) return Step::kWaiting;
  if (!selector->is_known()) return Step::kOperation;
  int64_t branch = selector->as_integer();
  int64_t last = static_cast<int64_t>(branches_of(in).size()) - 1;
  if (module_[in.operands[0]].shape.type == hlo::ElementType::kPred) {
    branch = branch ? 0 : 1;
  } else if (branch < 0 || branch > last) {
    branch = last;
  }
  place = in_branch(place, branch);
  return Step::kMoved;
}

// A branch that depends on data is a choice between all of them.
std::optional<Term> Evaluator::compute_conditional(const Place& place) {
  const hlo::Instruction& in = module_[place.instruction];
  std::optional<Term> selector = operand_scalar(place, 0);
  int64_t count = static_cast<int64_t>(branches_of(in).size());
  std::vector<Term> results;
  bool known = selector.has_value();
  for (int64_t branch = 0; branch < count; ++branch) {
    std::optional<Term> result = want(in_branch(place, branch));
    known = known && result;
    if (known) results.push_back(*result);
  }
  if (!known) return std::nullopt;
  hlo::ElementType type = shape_of(place).type;
  ScalarOp choose = ScalarOp::binary(Opcode::kSelect, type);
  if (module_[in.operands[0]].shape.type == hlo::ElementType::kPred) {
    Term arguments[] = {*selector, results.at(0), results.at(1)};
    return domain_.scalar(choose, arguments);
  }
  // Numbers out of range mean the last branch.
  ScalarOp is_it = ScalarOp::binary(Opcode::kCompare, hlo::ElementType::kPred);
  is_it.operand = hlo::ElementType::kS32;
  Term chosen = results.back();
  for (int64_t branch = count - 2; branch >= 0; --branch) {
    Term pair[] = {*selector, Term::integer(branch)};
    Term arguments[] = {domain_.scalar(is_it, pair), results[branch], chosen};
    chosen = domain_.scalar(choose, arguments);
  }
  return chosen;
}

}  // namespace flipsat::verify
