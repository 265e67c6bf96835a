// Operations on elements of one device.
#include <boost/container/small_vector.hpp>
#include <unordered_map>

#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

constexpr int kMostNestedCalls = 64;
constexpr size_t kShortestRow = 32;  // elements; shorter ones are as fast one by one
constexpr int kMostMoves = 64;

}  // namespace

std::optional<Term> Evaluator::compute_elementwise(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  // Scalar predicates of select and bounds of clamp go with every element.
  auto at = [&](size_t operand) {
    const hlo::Shape& shape = module_[in.operands[operand]].shape;
    Place from =
        at_operand(place, operand, shape.is_array() && shape.dims.empty() ? 0 : place.index);
    if (shape.is_tuple()) from.part = place.part;  // of a select between tuples
    return want(from);
  };
  if (in.opcode == Opcode::kSelect) {
    std::optional<Term> predicate = at(0);
    if (!predicate) return std::nullopt;
    if (predicate->is_known()) return at(predicate->bits ? 1 : 2);
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
  if (may_take_rows_ && count >= kShortestRow && plan.left_step && plan.right_step) {
    const int64_t length = static_cast<int64_t>(count);
    const auto left = row_of(at_operand(place, 0, left_base), *plan.left_step, length);
    const auto right = row_of(at_operand(place, 1, right_base), *plan.right_step, length);
    if (left && right) {
      if (auto term = domain_.contract_rows(plan.contraction, *left, *right, length)) {
        took_rows_ = true;
        return term;
      }
    }
  }
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

// `count` elements from a place on, as a row of the leaf that they come from.
std::optional<LeafRow> Evaluator::row_of(Place place, int64_t step, int64_t count) {
  if (place.frame != 0) return std::nullopt;
  for (int moves = 0; moves < kMostMoves; ++moves) {
    if (const Leaf* leaf = leaves_.leaf(place.instruction, place.part)) {
      if (leaf->on_devices) return std::nullopt;
      return LeafRow{leaf, shape_of(place).type, place.part, place.device, place.index, step};
    }
    const hlo::Instruction& in = module_[place.instruction];
    switch (in.opcode) {
      case Opcode::kCopy:
      case Opcode::kOptBarrier:
      case Opcode::kReshape:
        place.instruction = in.operands[0];
        continue;
      case Opcode::kGetTupleElement:
        move_tuple_element(place);
        continue;
      case Opcode::kTuple:
        move_tuple(place);
        continue;
      case Opcode::kBroadcast:
      case Opcode::kReverse:
      case Opcode::kSlice:
      case Opcode::kTranspose:
        break;
      default:
        return std::nullopt;
    }
    // All of the row has to lie along one dim.
    const Plan& plan = this->plan(place.instruction);
    int64_t rest = place.index;
    std::optional<int64_t> moved = step == 0 ? std::optional<int64_t>(0) : std::nullopt;
    for (size_t i = 0; i < plan.strides.size() && !moved; ++i) {
      const int64_t coordinate = rest / plan.strides[i];
      rest -= coordinate * plan.strides[i];
      if (step % plan.strides[i] != 0) continue;
      const int64_t by = step / plan.strides[i], last = coordinate + (count - 1) * by;
      if (last >= 0 && last < in.shape.dims[i]) moved = by * plan.multipliers[i];
    }
    if (!moved) return std::nullopt;
    step = *moved;
    move_affine(place);
  }
  return std::nullopt;
}

std::optional<Term> Evaluator::compute_reduce(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  int64_t base = 0;
  int64_t rest = place.index;
  // All results have the same dims.
  hlo::Dims strides = hlo::row_major_strides(shape_of(place).dims);
  for (size_t i = 0; i < strides.size(); ++i) {
    int64_t coordinate = rest / strides[i];
    rest -= coordinate * strides[i];
    base += coordinate * plan.multipliers[i];
  }
  work_.require(static_cast<int64_t>(plan.inner_left.size()));
  std::vector<int64_t> indices;
  indices.reserve(plan.inner_left.size());
  for (int64_t offset : plan.inner_left) indices.push_back(base + offset);
  return reduced(place, indices);
}

std::optional<Term> Evaluator::reduced(const Place& place, const std::vector<int64_t>& indices) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  hlo::ElementType type = shape_of(place).type;
  if (plan.reducer && !hlo::convert_preserves_values(type, plan.reducer->type)) {
    throw Unmodelled("a reducer of a type that does not hold the data");
  }
  size_t values = in.operands.size() / 2;
  work_.spend(static_cast<int64_t>(indices.size() * values));
  std::vector<std::vector<Term>> terms(values);
  bool known = true;
  for (size_t v = 0; v < values; ++v) {
    terms[v].reserve(indices.size() + 1);
    auto take = [&](const std::optional<Term>& term) {
      known = known && term;
      if (known) terms[v].push_back(*term);
    };
    take(operand_scalar(place, values + v));
    for (int64_t index : indices) take(want(at_operand(place, v, index)));
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

// The same bits as another type; where widths differ, the last dim of the wider side's opposite
// holds its pieces, the lowest bits first.
std::optional<Term> Evaluator::compute_bitcast(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Shape& from = module_[module_[place.instruction].operands[0]].shape;
  hlo::ElementType to = plan.scalar.result;
  int from_width = hlo::bit_width(from.type);
  int to_width = hlo::bit_width(to);
  if (from_width == to_width) return compute_elementwise(place);
  bool splits = from_width > to_width;
  int64_t ratio = splits ? from_width / to_width : to_width / from_width;
  std::vector<Term> pieces;
  bool known = true;
  for (int64_t k = 0; k < (splits ? 1 : ratio); ++k) {
    int64_t index = splits ? place.index / ratio : place.index * ratio + k;
    std::optional<Term> piece = want(at_operand(place, 0, index));
    known = known && piece;
    if (known) pieces.push_back(*piece);
  }
  if (!known) return std::nullopt;
  bool fold = !hlo::is_complex(from.type) && !hlo::is_complex(to);
  for (const Term& piece : pieces) fold = fold && piece.is_known();
  if (!fold) {
    if (splits) pieces.push_back(Term::integer(place.index % ratio));
    return opaque(place, plan.scalar.tag, to, pieces);
  }
  uint64_t bits = 0;
  for (size_t k = 0; k < pieces.size(); ++k) {
    bits |= bits_of_number(pieces[k], from.type) << (static_cast<int>(k) * from_width);
  }
  if (splits) bits >>= place.index % ratio * to_width;
  return number_of_bits(to_width == 64 ? bits : bits & ((uint64_t{1} << to_width) - 1), to);
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
      size_t number = static_cast<size_t>(in.parameter_number);
      if (number >= arguments.size() || in.shape.is_tuple()) {
        throw Unmodelled("a reducer of other parameters");
      }
      values[id] = {arguments[number]};
    } else if (in.opcode == Opcode::kConstant && in.shape.is_array()) {
      values[id] = {domain_.constant(*in.literal, 0)};
    } else if (in.opcode == Opcode::kTuple || in.opcode == Opcode::kCopy ||
               in.opcode == Opcode::kBitcast || in.opcode == Opcode::kReshape) {
      values[id] = inputs;
    } else if (in.opcode == Opcode::kCall || in.opcode == Opcode::kFusion) {
      if (++nested_calls_ > kMostNestedCalls) throw Unmodelled("calls nested too deep");
      values[id] = apply(in.called_computations().at(0), inputs);
      --nested_calls_;
    } else if (in.opcode == Opcode::kGetTupleElement) {
      values[id] = {inputs.at(in.tuple_index())};
    } else if (hlo::elementwise_arity(in.opcode) > 0 && in.shape.dims.empty()) {
      values[id] = {domain_.scalar(ScalarOp::of(module_, in), inputs)};
    } else {
      throw Unmodelled("a reducer with " + std::string(hlo::to_string(in.opcode)));
    }
  }
  return values.at(body.root);
}

}  // namespace flipsat::verify
