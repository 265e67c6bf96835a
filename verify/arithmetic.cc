// Operations on elements of one device.
#include <boost/container/small_vector.hpp>
#include <unordered_map>

#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::InstructionId;
using hlo::Opcode;

std::optional<Term> Evaluator::compute_elementwise(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  // Scalar predicates of select and bounds of clamp go with every element.
  auto at = [&](size_t operand) {
    bool is_scalar = module_[in.operands[operand]].shape.dims.empty();
    return want(at_operand(place, operand, is_scalar ? 0 : place.index));
  };
  if (in.opcode == Opcode::kSelect) {
    std::optional<Term> predicate = at(0);
    if (!predicate) return std::nullopt;
    if (predicate->is_known()) return at(predicate->bits ? 1 : 2);
  }
  if (in.opcode == Opcode::kBitcastConvert &&
      hlo::bit_width(plan.scalar.operand) != hlo::bit_width(plan.scalar.result)) {
    throw Unmodelled("a bitcast-convert between widths");
  }
  boost::container::small_vector<Term, 3> arguments;
  bool known = true;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    std::optional<Term> term = at(i);
    known = known && term;
    if (known) arguments.push_back(*term);
  }
  if (!known) return std::nullopt;
  return domain_.scalar(plan.scalar, {arguments.data(), arguments.size()});
}

std::optional<Term> Evaluator::compute_dot(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  int64_t left_base = 0, right_base = 0;
  int64_t rest = place.index;
  for (size_t i = 0; i < plan.strides.size(); ++i) {
    int64_t coordinate = rest / plan.strides[i];
    rest -= coordinate * plan.strides[i];
    left_base += coordinate * plan.multipliers[i];
    right_base += coordinate * plan.right_multipliers[i];
  }
  size_t count = plan.inner_left.size();
  work_.spend(static_cast<int64_t>(count));
  std::vector<Term> left, right;
  left.reserve(count);
  right.reserve(count);
  bool known = true;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Term> a = want(at_operand(place, 0, left_base + plan.inner_left[i]));
    std::optional<Term> b = want(at_operand(place, 1, right_base + plan.inner_right[i]));
    known = known && a && b;
    if (!known) continue;
    left.push_back(*a);
    right.push_back(*b);
  }
  if (!known) return std::nullopt;
  return domain_.contract(plan.contraction, left, right);
}

std::optional<Term> Evaluator::compute_reduce(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  hlo::ElementType type = shape_of(place).type;
  if (plan.reducer && !hlo::convert_preserves_values(type, plan.reducer->type)) {
    throw Unmodelled("a reducer of a type that does not hold the data");
  }
  size_t values = in.operands.size() / 2;
  int64_t base = 0;
  int64_t rest = place.index;
  // All results have the same dims.
  hlo::Dims strides =
      in.shape.is_tuple() ? hlo::row_major_strides(shape_of(place).dims) : plan.strides;
  for (size_t i = 0; i < strides.size(); ++i) {
    int64_t coordinate = rest / strides[i];
    rest -= coordinate * strides[i];
    base += coordinate * plan.multipliers[i];
  }
  work_.spend(static_cast<int64_t>(plan.inner_left.size() * values));
  std::vector<std::vector<Term>> terms(values);
  bool known = true;
  for (size_t v = 0; v < values; ++v) {
    terms[v].reserve(plan.inner_left.size() + 1);
    auto take = [&](const std::optional<Term>& term) {
      known = known && term;
      if (known) terms[v].push_back(*term);
    };
    take(operand_scalar(place, values + v));
    for (int64_t offset : plan.inner_left) take(want(at_operand(place, v, base + offset)));
  }
  if (!known) return std::nullopt;
  if (values == 1 && plan.reducer && plan.reducer->type == type) {
    return domain_.reduce({plan.reducer->kind, type, SumOrder::kFixed, false}, terms[0]);
  }
  // The reducer's own steps, in order. Its arguments are all running values, then all new ones.
  std::vector<Term> running(values);
  for (size_t v = 0; v < values; ++v) running[v] = terms[v][0];
  for (size_t i = 1; i < terms[0].size(); ++i) {
    std::vector<Term> arguments = running;
    for (size_t v = 0; v < values; ++v) arguments.push_back(terms[v][i]);
    running = apply(plan.reducer_computation, arguments);
    if (running.size() != values) throw Unmodelled("a reducer of another number of values");
  }
  return running[place.part];
}

// Where an element lands depends on its whole row, so the result is a function of the row, of the
// position and of the comparator.
std::optional<Term> Evaluator::compute_sort(const Place& place) {
  const hlo::Instruction& in = module_[place.instruction];
  const hlo::Shape& shape = shape_of(place);
  hlo::ComputationList called = in.called_computations();
  if (in.dimensions().size() != 1 || called.size() != 1) throw Unmodelled("a sort of no dim");
  AlongDim dim = along(shape.dims, in.dimensions()[0]);
  int64_t outer = dim.outer_of(place.index), inner = dim.inner_of(place.index);
  work_.spend(dim.size * static_cast<int64_t>(in.operands.size()));
  std::vector<Term> terms = {Term::integer(dim.at(place.index)), Term::integer(place.part)};
  bool known = true;
  for (size_t v = 0; v < in.operands.size(); ++v) {
    for (int64_t i = 0; i < dim.size; ++i) {
      std::optional<Term> term = want(at_operand(place, v, dim.flat(outer, i, inner)));
      known = known && term;
      if (known) terms.push_back(*term);
    }
  }
  if (!known) return std::nullopt;
  // The comparator as a function: what it makes of arguments that are like no others.
  std::vector<Term> arguments;
  for (InstructionId parameter : module_.computations[called[0]].parameters) {
    uint64_t number = static_cast<uint64_t>(module_[parameter].parameter_number);
    arguments.push_back(Term::symbol(mix(0xc0de + number), module_[parameter].shape.type));
  }
  std::vector<Term> order = apply(called[0], arguments);
  uint64_t tag = in.bool_attribute(hlo::AttributeKey::kIsStable, false);
  for (const Term& term : order) tag = combine(tag, hash(term));
  return domain_.opaque(tag, shape.type, terms);
}

// A computation of scalars (a reducer), on terms: the parts of its root.
std::vector<Term> Evaluator::apply(hlo::ComputationId computation,
                                   std::span<const Term> arguments) {
  const hlo::Computation& body = module_.computations[computation];
  std::unordered_map<InstructionId, std::vector<Term>> values;
  for (InstructionId id : body.instructions) {
    const hlo::Instruction& in = module_[id];
    std::vector<Term> inputs;
    for (InstructionId operand : in.operands) {
      const std::vector<Term>& parts = values.at(operand);
      inputs.insert(inputs.end(), parts.begin(), parts.end());
    }
    work_.spend(1);
    if (in.opcode == Opcode::kParameter) {
      values[id] = {arguments[in.parameter_number]};
    } else if (in.opcode == Opcode::kConstant && in.shape.is_array()) {
      values[id] = {domain_.constant(*in.literal, 0)};
    } else if (in.opcode == Opcode::kTuple || in.opcode == Opcode::kCopy ||
               in.opcode == Opcode::kBitcast || in.opcode == Opcode::kReshape) {
      values[id] = inputs;
    } else if (in.opcode == Opcode::kGetTupleElement) {
      values[id] = {inputs.at(in.tuple_index())};
    } else if (hlo::elementwise_arity(in.opcode) > 0) {
      values[id] = {domain_.scalar(ScalarOp::of(module_, in), inputs)};
    } else {
      throw Unmodelled("a reducer with " + std::string(hlo::to_string(in.opcode)));
    }
  }
  return values.at(body.root);
}

}  // namespace flipsat::verify
