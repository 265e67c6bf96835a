// Data movement inside a device: where an element of the result lies in the operands.
#include "verify/evaluator.h"
#include "verify/rounding.h"

namespace flipsat::verify {

using hlo::Opcode;

Evaluator::Step Evaluator::move(Place& place, Term& term) {
  const hlo::Instruction& in = module_[place.instruction];
  switch (in.opcode) {
    case Opcode::kTranspose:
    case Opcode::kBroadcast:
    case Opcode::kReverse:
    case Opcode::kSlice:
      return move_affine(place);
    case Opcode::kReshape:
      place.instruction = in.operands[0];
      return Step::kMoved;
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      // Of tuples as well: the part stays the same.
      place.instruction = in.operands[0];
      return Step::kMoved;
    case Opcode::kBitcast:
      return move_bitcast(place);
    case Opcode::kConcatenate:
      return move_concatenate(place);
    case Opcode::kPad:
      return move_pad(place);
    case Opcode::kTuple:
      return move_tuple(place);
    case Opcode::kGetTupleElement:
      return move_tuple_element(place);
    case Opcode::kConstant:
      return read_constant(place, term);
    case Opcode::kIota:
      return read_iota(place, term);
    case Opcode::kGetDimensionSize: {
      const hlo::Shape& shape = module_[in.operands[0]].shape;
      if (!shape.is_static() || in.dimensions().size() != 1 || in.dimensions()[0] >= shape.rank()) {
        throw Unmodelled("a dynamic shape");
      }
      term = Term::integer(shape.dims[in.dimensions()[0]]);
      return Step::kTerm;
    }
    case Opcode::kPartitionId:
      term = Term::integer(place.device % counts_.partitions);
      break;
    case Opcode::kReplicaId:
      term = Term::integer(place.device / counts_.partitions);
      break;
    default:
      throw Unmodelled(std::string(hlo::to_string(in.opcode)) + " is not modelled");
  }
  if (!counts_.known) throw Unmodelled("the number of devices is not known");
  return Step::kTerm;
}

Evaluator::Step Evaluator::move_affine(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  int64_t index = plan.offset;
  int64_t rest = place.index;
  for (size_t i = 0; i < plan.strides.size(); ++i) {
    int64_t coordinate = rest / plan.strides[i];
    rest -= coordinate * plan.strides[i];
    index += coordinate * plan.multipliers[i];
  }
  place.instruction = in.operands[0];
  place.index = index;
  return Step::kMoved;
}

Evaluator::Step Evaluator::move_bitcast(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Dims& dims = module_[place.instruction].shape.dims;
  int64_t in_memory = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    in_memory += place.index / plan.strides[i] % dims[i] * plan.multipliers[i];
  }
  hlo::Dims strides = hlo::row_major_strides(plan.operand_dims);
  int64_t index = 0;
  for (size_t i = 0; i < plan.operand_dims.size(); ++i) {
    index += in_memory / plan.operand_strides[i] % plan.operand_dims[i] * strides[i];
  }
  place.instruction = module_[place.instruction].operands[0];
  place.index = index;
  return Step::kMoved;
}

Evaluator::Step Evaluator::move_concatenate(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const AlongDim& whole = plan.result_dim[0];
  int64_t at = whole.at(place.index);
  for (size_t i = 0; i < plan.pieces.size(); ++i) {
    const AlongDim& piece = plan.pieces[i];
    if (at < piece.size) {
      place.index = piece.flat(whole.outer_of(place.index), at, whole.inner_of(place.index));
      place.instruction = module_[place.instruction].operands[i];
      return Step::kMoved;
    }
    at -= piece.size;
  }
  throw Unmodelled("a concatenate whose pieces do not fill it");
}

Evaluator::Step Evaluator::move_pad(Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const hlo::Instruction& in = module_[place.instruction];
  const hlo::Attribute* attribute = in.find(hlo::AttributeKey::kPadding);
  const auto* padding = attribute ? std::get_if<hlo::PaddingDims>(&attribute->value) : nullptr;
  if (!padding || padding->size() != plan.operand_dims.size())
    throw Unmodelled("a pad without sizes");
  int64_t index = 0;
  int64_t rest = place.index;
  bool inside = true;
  for (size_t i = 0; i < plan.strides.size(); ++i) {
    int64_t coordinate = rest / plan.strides[i];
    rest -= coordinate * plan.strides[i];
    int64_t from_low = coordinate - (*padding)[i].low;
    int64_t step = (*padding)[i].interior + 1;
    if (from_low < 0 || from_low % step != 0 || from_low / step >= plan.operand_dims[i]) {
      inside = false;
      break;
    }
    index += from_low / step * plan.operand_strides[i];
  }
  place.instruction = in.operands[inside ? 0 : 1];
  place.index = inside ? index : 0;
  return Step::kMoved;
}

Evaluator::Step Evaluator::move_tuple(Place& place) {
  for (hlo::InstructionId operand : module_[place.instruction].operands) {
    uint32_t count = part_count(module_[operand].shape);
    if (place.part < count) {
      place.instruction = operand;
      return Step::kMoved;
    }
    place.part -= count;
  }
  throw std::logic_error("a tuple without that part");
}

Evaluator::Step Evaluator::move_tuple_element(Place& place) {
  const hlo::Instruction& in = module_[place.instruction];
  const hlo::Shape& tuple = module_[in.operands[0]].shape;
  int64_t element = in.tuple_index();
  if (!tuple.is_tuple() || element < 0 || element >= static_cast<int64_t>(tuple.parts->size())) {
    throw Unmodelled("a tuple element that does not exist");
  }
  uint32_t& first = first_part_[place.instruction];
  if (first == kUnknown) {
    first = static_cast<uint32_t>(hlo::leaf_offset(tuple, static_cast<size_t>(element)));
  }
  place.part += first;
  place.instruction = in.operands[0];
  return Step::kMoved;
}

Evaluator::Step Evaluator::read_constant(Place& place, Term& term) {
  const hlo::Literal* literal = module_[place.instruction].literal.get();
  if (!literal) throw Unmodelled("a constant without a value");
  uint32_t part = place.part;
  while (!literal->parts.empty()) {
    size_t i = 0;
    while (part >= part_count(literal->parts.at(i)->shape))
      part -= part_count(literal->parts[i++]->shape);
    literal = literal->parts[i].get();
  }
  term = domain_.constant(*literal, place.index);
  return Step::kTerm;
}

Evaluator::Step Evaluator::read_iota(const Place& place, Term& term) {
  const Plan& plan = this->plan(place.instruction);
  int64_t at = plan.result_dim[0].at(place.index);
  hlo::ElementType type = module_[place.instruction].shape.type;
  term = convert_number(Term::integer(at), hlo::ElementType::kS64, type);
  return Step::kTerm;
}

}  // namespace flipsat::verify
