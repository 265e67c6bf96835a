#include "hlo/affine_trace.h"

namespace flipsat::hlo {
namespace {

// Real chains are a few steps long; this bounds the recursion on made-up ones.
constexpr int kMaxDepth = 200;

bool is_scalar_integer(const Shape& shape) {
  return shape.is_array() && shape.element_count() == 1 &&
         (is_integer(shape.type) || shape.type == ElementType::kPred);
}

std::optional<ComputationId> only_computation(const Instruction& instruction, AttributeKey key) {
  const Attribute* attribute = instruction.find(key);
  const auto* list = attribute ? std::get_if<ComputationList>(&attribute->value) : nullptr;
  if (!list || list->size() != 1) return std::nullopt;
  return list->front();
}

std::optional<ComputationId> callee_of(const Instruction& call) {
  AttributeKey key = call.opcode == Opcode::kCall ? AttributeKey::kToApply : AttributeKey::kCalls;
  return only_computation(call, key);
}

// The one instruction that calls `callee`; kNoId where there are several or none.
InstructionId only_caller(const Module& module, ComputationId callee) {
  InstructionId found = kNoId;
  for (ComputationId computation : module.order) {
    for (InstructionId id : module.computations[computation].instructions) {
      for (ComputationId called : module[id].called_computations()) {
        if (called != callee) continue;
        if (found != kNoId) return kNoId;
        found = id;
      }
    }
  }
  return found;
}

}  // namespace

std::pair<Wide, Wide> integer_range(ElementType type) {
  int bits = bit_width(type);
  if (!is_signed_integer(type)) return {0, (Wide{1} << bits) - 1};
  return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
}

const AffineTrace::Frame* AffineTrace::enter(const Value& value) {
  frames_.push_back(std::make_unique<Frame>(Frame{value.frame, value.id}));
  return frames_.back().get();
}

std::optional<AffineTrace::Value> AffineTrace::step_out(const Value& value, int depth) {
  const Instruction& parameter = module_[value.id];
  auto operand = [&](InstructionId call, const Frame* frame) -> std::optional<Value> {
    size_t number = static_cast<size_t>(parameter.parameter_number);
    if (number >= module_[call].operands.size()) return std::nullopt;
    return Value{module_[call].operands[number], value.path, frame};
  };
  if (value.frame) return operand(value.frame->call, value.frame->outer);
  *steps_left_ -= 100;  // the next line looks at the whole module
  InstructionId caller = only_caller(module_, parameter.computation);
  if (caller == kNoId) return std::nullopt;
  switch (module_[caller].opcode) {
    case Opcode::kCall:
    case Opcode::kFusion:
      return operand(caller, nullptr);
    case Opcode::kWhile:
      if (!loop_passes_on(caller, value.path, depth + 1)) return std::nullopt;
      return operand(caller, nullptr);
    default:
      return std::nullopt;
  }
}

// Is this element of the loop's state the same in every iteration?
bool AffineTrace::loop_passes_on(InstructionId loop, const TuplePath& path, int depth) {
  std::optional<ComputationId> body = only_computation(module_[loop], AttributeKey::kBody);
  if (!body || depth > kMaxDepth) return false;
  AffineTrace inside(module_, *body, steps_left_);
  std::optional<Affine> next =
      inside.trace({module_.computations[*body].root, path, nullptr}, depth);
  return next && next->of_state && next->path == path && next->offset == 0 &&
         next->passages.empty();
}

std::optional<AffineTrace::Value> AffineTrace::step(const Value& value, int depth) {
  if (--*steps_left_ <= 0) return std::nullopt;
  const Instruction& instruction = module_[value.id];
  switch (instruction.opcode) {
    case Opcode::kTuple: {
      if (value.path.empty()) return std::nullopt;
      size_t index = static_cast<size_t>(value.path.front());
      if (index >= instruction.operands.size()) return std::nullopt;
      return Value{instruction.operands[index], TuplePath(value.path.begin() + 1, value.path.end()),
                   value.frame};
    }
    case Opcode::kGetTupleElement: {
      TuplePath path{instruction.tuple_index()};
      path.insert(path.end(), value.path.begin(), value.path.end());
      return Value{instruction.operands[0], std::move(path), value.frame};
    }
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
      return Value{instruction.operands[0], value.path, value.frame};
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kBitcast:
    case Opcode::kTranspose: {
      const Shape& operand = module_[instruction.operands[0]].shape;
      if (!is_scalar_integer(operand) || operand.type != instruction.shape.type)
        return std::nullopt;
      return Value{instruction.operands[0], value.path, value.frame};
    }
    case Opcode::kCall:
    case Opcode::kFusion: {
      std::optional<ComputationId> callee = callee_of(instruction);
      if (!callee) return std::nullopt;
      return Value{module_.computations[*callee].root, value.path, enter(value)};
    }
    case Opcode::kWhile:
      if (!loop_passes_on(value.id, value.path, depth + 1)) return std::nullopt;
      return Value{instruction.operands[0], value.path, value.frame};
    case Opcode::kParameter:
      return step_out(value, depth);
    default:
      return std::nullopt;
  }
}

std::optional<Affine> AffineTrace::trace_constant(const Value& value) {
  const Literal* literal = module_[value.id].literal.get();
  for (int64_t index : value.path) {
    if (!literal || static_cast<size_t>(index) >= literal->parts.size()) return std::nullopt;
    literal = literal->parts[index].get();
  }
  if (!literal || !is_scalar_integer(literal->shape)) return std::nullopt;
  std::optional<int64_t> number = literal->integer_at(0);
  if (!number) return std::nullopt;
  Affine result;
  bool is_u64 = literal->shape.type == ElementType::kU64;
  result.offset = is_u64 ? Wide{static_cast<uint64_t>(*number)} : Wide{*number};
  return result;
}

std::optional<Affine> AffineTrace::trace_sum(const Value& value, int depth) {
  const Instruction& sum = module_[value.id];
  std::optional<Affine> left = trace({sum.operands[0], {}, value.frame}, depth + 1);
  std::optional<Affine> right = trace({sum.operands[1], {}, value.frame}, depth + 1);
  if (!left || !right) return std::nullopt;
  bool subtracts = sum.opcode == Opcode::kSubtract;
  if (right->of_state && (left->of_state || subtracts)) return std::nullopt;
  if (right->of_state) std::swap(left, right);
  left->offset += subtracts ? -right->offset : right->offset;
  return left;
}

std::optional<Affine> AffineTrace::trace(Value value, int depth) {
  std::optional<Affine> result;
  for (; depth < kMaxDepth; ++depth) {
    const Instruction& instruction = module_[value.id];
    if (instruction.opcode == Opcode::kParameter && !value.frame &&
        instruction.computation == state_) {
      return Affine{true, value.path, 0, {}};
    }
    std::optional<Value> next = step(value, depth);
    if (!next) break;
    value = std::move(*next);
  }
  if (depth >= kMaxDepth || *steps_left_ <= 0) return std::nullopt;

  const Instruction& instruction = module_[value.id];
  if (instruction.opcode == Opcode::kConstant) return trace_constant(value);
  if (!value.path.empty() || !is_scalar_integer(instruction.shape)) return std::nullopt;
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
      result = trace_sum(value, depth);
      break;
    case Opcode::kConvert:
      if (!is_scalar_integer(module_[instruction.operands[0]].shape)) return std::nullopt;
      if (instruction.shape.type == ElementType::kPred) return std::nullopt;
      result = trace({instruction.operands[0], {}, value.frame}, depth + 1);
      break;
    default:
      return std::nullopt;
  }
  if (!result || instruction.shape.type == ElementType::kPred) return std::nullopt;
  if (result->of_state) {
    result->passages.push_back({instruction.shape.type, result->offset});
    return result;
  }
  auto [low, high] = integer_range(instruction.shape.type);
  if (result->offset < low || result->offset > high) return std::nullopt;  // it would wrap
  return result;
}

std::optional<Affine> AffineTrace::trace(InstructionId id, const TuplePath& path) {
  return trace(Value{id, path, nullptr}, 0);
}

bool AffineTrace::collect(Value value, bool negated, int depth, std::vector<AffineCompare>& found) {
  for (; depth < kMaxDepth; ++depth) {
    std::optional<Value> next = step(value, depth);
    if (!next) break;
    value = std::move(*next);
  }
  if (depth >= kMaxDepth || *steps_left_ <= 0 || !value.path.empty()) return false;
  const Instruction& instruction = module_[value.id];
  switch (instruction.opcode) {
    case Opcode::kNot:
      return collect({instruction.operands[0], {}, value.frame}, !negated, depth + 1, found);
    case Opcode::kAnd:
      if (negated || instruction.shape.type != ElementType::kPred) return false;
      return collect({instruction.operands[0], {}, value.frame}, false, depth + 1, found) &&
             collect({instruction.operands[1], {}, value.frame}, false, depth + 1, found);
    case Opcode::kCompare: {
      std::optional<Affine> left = trace({instruction.operands[0], {}, value.frame}, depth + 1);
      std::optional<Affine> right = trace({instruction.operands[1], {}, value.frame}, depth + 1);
      if (!left || !right) return false;
      found.push_back({std::move(*left), std::move(*right),
                       instruction.word(AttributeKey::kDirection), negated});
      return true;
    }
    case Opcode::kConstant: {
      std::optional<Affine> constant = trace_constant(value);
      if (!constant) return false;
      Affine zero;
      found.push_back({std::move(*constant), zero, "NE", negated});
      return true;
    }
    default:
      return false;
  }
}

std::optional<std::vector<AffineCompare>> AffineTrace::conjunction(InstructionId id) {
  std::vector<AffineCompare> found;
  if (!collect(Value{id, {}, nullptr}, false, 0, found)) return std::nullopt;
  return found;
}

}  // namespace flipsat::hlo
