#include "frontends/text/shape_inference.h"

#include <algorithm>

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::Dims;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;
using hlo::Shape;

namespace {

using Result = std::optional<Shape>;

bool valid_dims(const hlo::IntList& dims, const Shape& shape) {
  std::vector<bool> seen(shape.dims.size(), false);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= shape.rank() || seen[static_cast<size_t>(dim)]) return false;
    seen[static_cast<size_t>(dim)] = true;
  }
  return true;
}

Shape with_type_only(const Shape& shape, ElementType type) {
  Shape result = Shape::array(type, shape.dims);
  result.dynamic = shape.dynamic;
  return result;
}

Result infer_elementwise(const Instruction& i, const std::vector<const Shape*>& in) {
  const Shape& model = i.opcode == Opcode::kClamp || i.opcode == Opcode::kSelect ? *in[1] : *in[0];
  for (const Shape* shape : in) {
    bool scalar = shape->rank() == 0 && (i.opcode == Opcode::kClamp || i.opcode == Opcode::kSelect);
    if (!shape->is_array() || (!shape->same_dims(model) && !scalar)) return std::nullopt;
  }
  switch (i.opcode) {
    case Opcode::kConvert:
    case Opcode::kBitcastConvert:
    case Opcode::kStochasticConvert:
      return std::nullopt;
    case Opcode::kCompare:
    case Opcode::kIsFinite:
      return with_type_only(model, ElementType::kPred);
    case Opcode::kAbs:
    case Opcode::kReal:
    case Opcode::kImag:
      if (model.type == ElementType::kC64) return with_type_only(model, ElementType::kF32);
      if (model.type == ElementType::kC128) return with_type_only(model, ElementType::kF64);
      return with_type_only(model, model.type);
    case Opcode::kComplex:
      if (in[0]->type != in[1]->type) return std::nullopt;
      if (model.type == ElementType::kF32) return with_type_only(model, ElementType::kC64);
      if (model.type == ElementType::kF64) return with_type_only(model, ElementType::kC128);
      return std::nullopt;
    default:
      break;
  }
  for (size_t operand = i.opcode == Opcode::kSelect ? 1 : 0; operand < in.size(); ++operand) {
    if (in[operand]->type != model.type) return std::nullopt;
  }
  return with_type_only(model, model.type);
}

Result infer_dot(const Instruction& i, const Shape& lhs, const Shape& rhs) {
  const auto& lhs_batch = i.ints(AttributeKey::kLhsBatchDims);
  const auto& rhs_batch = i.ints(AttributeKey::kRhsBatchDims);
  const auto& lhs_contracting = i.ints(AttributeKey::kLhsContractingDims);
  const auto& rhs_contracting = i.ints(AttributeKey::kRhsContractingDims);
  if (!lhs.is_array() || !rhs.is_array() || lhs.type != rhs.type) return std::nullopt;
  if (lhs_batch.size() != rhs_batch.size() || lhs_contracting.size() != rhs_contracting.size()) {
    return std::nullopt;
  }
  auto joined = [](hlo::IntList a, const hlo::IntList& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  hlo::IntList lhs_gone = joined(lhs_batch, lhs_contracting);
  hlo::IntList rhs_gone = joined(rhs_batch, rhs_contracting);
  if (!valid_dims(lhs_gone, lhs) || !valid_dims(rhs_gone, rhs)) return std::nullopt;
  for (size_t k = 0; k < lhs_gone.size(); ++k) {
    if (lhs.dims[lhs_gone[k]] != rhs.dims[rhs_gone[k]]) return std::nullopt;
  }
  Dims dims;
  for (int64_t dim : lhs_batch) dims.push_back(lhs.dims[dim]);
  auto append_kept = [&](const Shape& shape, const hlo::IntList& gone) {
    for (int dim = 0; dim < shape.rank(); ++dim) {
      if (std::find(gone.begin(), gone.end(), dim) == gone.end()) dims.push_back(shape.dims[dim]);
    }
  };
  append_kept(lhs, lhs_gone);
  append_kept(rhs, rhs_gone);
  return Shape::array(lhs.type, std::move(dims));
}

Result infer_reduce(const Instruction& i, const std::vector<const Shape*>& in) {
  if (in.size() % 2 != 0) return std::nullopt;
  std::vector<Shape> parts;
  for (size_t k = 0; k < in.size() / 2; ++k) {
    const Shape& shape = *in[k];
    if (!shape.is_array() || !valid_dims(i.dimensions(), shape)) return std::nullopt;
    Dims dims;
    for (int dim = 0; dim < shape.rank(); ++dim) {
      const auto& gone = i.dimensions();
      if (std::find(gone.begin(), gone.end(), dim) == gone.end()) dims.push_back(shape.dims[dim]);
    }
    parts.push_back(Shape::array(shape.type, std::move(dims)));
  }
  return parts.size() == 1 ? parts[0] : Shape::tuple(std::move(parts));
}

Result infer_transpose(const Instruction& i, const Shape& shape) {
  const auto& order = i.dimensions();
  if (!shape.is_array() || order.size() != shape.dims.size() || !valid_dims(order, shape)) {
    return std::nullopt;
  }
  Dims dims;
  for (int64_t dim : order) dims.push_back(shape.dims[dim]);
  return Shape::array(shape.type, std::move(dims));
}

Result infer_concatenate(const Instruction& i, const std::vector<const Shape*>& in) {
  if (i.dimensions().size() != 1 || !valid_dims(i.dimensions(), *in[0])) return std::nullopt;
  int64_t along = i.dimensions()[0];
  Dims dims = in[0]->dims;
  for (size_t k = 1; k < in.size(); ++k) {
    const Shape& shape = *in[k];
    if (shape.type != in[0]->type || shape.rank() != in[0]->rank()) return std::nullopt;
    if (__builtin_add_overflow(dims[along], shape.dims[along], &dims[along])) return std::nullopt;
  }
  return Shape::array(in[0]->type, std::move(dims));
}

Result infer_pad(const Instruction& i, const Shape& shape) {
  const hlo::Attribute* attribute = i.find(AttributeKey::kPadding);
  const auto* padding = attribute ? std::get_if<hlo::PaddingDims>(&attribute->value) : nullptr;
  if (!padding || padding->size() != shape.dims.size()) return std::nullopt;
  Dims dims = shape.dims;
  for (size_t k = 0; k < dims.size(); ++k) {
    const hlo::PaddingDim& dim = (*padding)[k];
    int64_t gaps = 0;
    if (__builtin_mul_overflow(std::max<int64_t>(dims[k] - 1, 0), dim.interior, &gaps) ||
        __builtin_add_overflow(dims[k], gaps, &dims[k]) ||
        __builtin_add_overflow(dims[k], dim.low, &dims[k]) ||
        __builtin_add_overflow(dims[k], dim.high, &dims[k]) || dims[k] < 0) {
      return std::nullopt;
    }
  }
  return Shape::array(shape.type, std::move(dims));
}

Result root_shape(const Module& module, const Instruction& i, AttributeKey key) {
  const hlo::Attribute* attribute = i.find(key);
  const auto* called = attribute ? std::get_if<hlo::ComputationList>(&attribute->value) : nullptr;
  if (!called || called->empty()) return std::nullopt;
  return module[module.computations[called->front()].root].shape;
}

Result infer_element(const Instruction& i, const Shape& tuple) {
  int64_t index = i.tuple_index();
  if (!tuple.is_tuple() || index < 0 || index >= static_cast<int64_t>(tuple.parts->size())) {
    return std::nullopt;
  }
  return (*tuple.parts)[static_cast<size_t>(index)];
}

Result infer_map(const Module& module, const Instruction& i, const Shape& shape) {
  Result element = root_shape(module, i, AttributeKey::kToApply);
  if (!element || !shape.is_array()) return std::nullopt;
  return Shape::array(element->type, shape.dims);
}

Shape tuple_of(const std::vector<const Shape*>& in) {
  std::vector<Shape> parts;
  for (const Shape* shape : in) parts.push_back(*shape);
  return Shape::tuple(std::move(parts));
}

}  // namespace

std::optional<Shape> infer_shape(const Module& module, const Instruction& i) {
  std::vector<const Shape*> in;
  for (hlo::InstructionId operand : i.operands) in.push_back(&module[operand].shape);
  if (hlo::elementwise_arity(i.opcode) > 0) return infer_elementwise(i, in);
  switch (i.opcode) {
    case Opcode::kDot:
      return infer_dot(i, *in[0], *in[1]);
    case Opcode::kReduce:
      return infer_reduce(i, in);
    case Opcode::kTuple:
      return tuple_of(in);
    case Opcode::kGetTupleElement:
      return infer_element(i, *in[0]);
    case Opcode::kTranspose:
      return infer_transpose(i, *in[0]);
    case Opcode::kConcatenate:
      return infer_concatenate(i, in);
    case Opcode::kPad:
      return infer_pad(i, *in[0]);
    case Opcode::kReverse:
    case Opcode::kAddDependency:
    case Opcode::kOptBarrier:
    case Opcode::kWhile:
    case Opcode::kCholesky:
    case Opcode::kSelectAndScatter:
      return *in[0];
    case Opcode::kTriangularSolve:
      return *in[1];
    case Opcode::kSort:
    case Opcode::kScatter: {
      size_t count = i.opcode == Opcode::kSort ? in.size() : in.size() / 2;
      return count == 1 ? *in[0] : tuple_of({in.begin(), in.begin() + static_cast<int64_t>(count)});
    }
    case Opcode::kMap:
      return in.empty() ? std::nullopt : infer_map(module, i, *in[0]);
    case Opcode::kCall:
      return root_shape(module, i, AttributeKey::kToApply);
    case Opcode::kConditional:
      return root_shape(module, i,
                        i.has(AttributeKey::kTrueComputation) ? AttributeKey::kTrueComputation
                                                              : AttributeKey::kBranchComputations);
    case Opcode::kAfterAll: {
      Shape token;
      token.type = ElementType::kToken;
      return token;
    }
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return Shape::array(ElementType::kU32, {});
    case Opcode::kGetDimensionSize:
      return Shape::array(ElementType::kS32, {});
    default:
      return std::nullopt;
  }
}

}  // namespace flipsat::frontends
