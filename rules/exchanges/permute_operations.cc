// permute-<operation>
//
//   f(CP(x1), .., u, ..) = CP(f(x1, .., u, ..)), f any operation on one device      exact
//
// A target computes from what its source sent; the source can compute it first. An operand that is
// not sent must be the same on each source and its target, start indices once they are clamped. A
// device that is no target receives zeros: f must then make +0 of zeros, unless all are targets.
#include "rules/exchanges/exchange.h"
#include "rules/exchanges/permutes.h"

namespace flipsat::rules {
namespace {

const hlo::DevicePairs& pairs_of(const HloGraph& h, const Crossing& crossing) {
  return *h.collective(crossing.exchange).pairs;
}

bool stays(const HloGraph& h, const Crossing& crossing, size_t operand) {
  return is_equal(h, crossing, operand, [&](const hlo::DevicePartition& equality) {
    return is_equal_on_pairs(equality, pairs_of(h, crossing));
  });
}

// Is every element of the value +0 (all bits zero), as a constant of the program says?
bool is_zero(const HloGraph& h, ClassId cls) {
  for (NodeId node : h.graph().nodes(cls)) {
    const Operator& op = h.op(node);
    if (op.kind != Kind::kConstant || !op.literal || op.literal->elided) continue;
    const auto& bytes = op.literal->bytes;
    return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
  }
  return false;
}

// f(0, .., 0) = +0 where all operands are exchanged; of types that have a zero.
bool keeps_zeros(const Operator& f, hlo::ElementType operand) {
  switch (f.opcode) {
    case hlo::Opcode::kAbs:
    case hlo::Opcode::kAdd:
    case hlo::Opcode::kAnd:
    case hlo::Opcode::kBitcastConvert:
    case hlo::Opcode::kClamp:
    case hlo::Opcode::kMaximum:
    case hlo::Opcode::kMinimum:
    case hlo::Opcode::kMultiply:
    case hlo::Opcode::kOr:
    case hlo::Opcode::kReducePrecision:
    case hlo::Opcode::kSelect:
    case hlo::Opcode::kSign:
    case hlo::Opcode::kSubtract:
    case hlo::Opcode::kXor:
      return true;
    case hlo::Opcode::kNegate:  // -0
      return !hlo::is_float(operand) && !hlo::is_complex(operand);
    case hlo::Opcode::kCompare:
      return f.steering.find("direction=LT") != std::string::npos ||
             f.steering.find("direction=GT") != std::string::npos ||
             f.steering.find("direction=NE") != std::string::npos;
    default:
      return false;
  }
}

// The same with some operands anything: a product with zero, of numbers that have no other zero.
bool keeps_zeros_beside_others(const HloGraph& h, const Crossing& crossing) {
  const Operator& f = h.op(crossing.operation);
  if (f.opcode == hlo::Opcode::kSelect) return crossing.is_exchanged(1) && crossing.is_exchanged(2);
  const bool is_product = f.opcode == hlo::Opcode::kMultiply || f.opcode == hlo::Opcode::kAnd;
  return is_product && !hlo::is_float(f.shape.type) && !hlo::is_complex(f.shape.type);
}

bool has_zero(hlo::ElementType type) { return type != hlo::ElementType::kF8E8M0FNU; }

bool makes_zeros_of_zeros(const HloGraph& h, const Crossing& crossing) {
  const Operator& f = h.op(crossing.operation);
  const bool all = crossing.exchanged + 1 == 1u << crossing.operands.size();
  if (!has_zero(f.shape.type)) return false;
  // What is sliced, or padded, must be zeros, not where.
  if (f.kind != Kind::kElementwise && !crossing.is_exchanged(0)) return false;
  for (ClassId operand : crossing.operands) {
    if (!has_zero(h.type(operand))) return false;
  }
  switch (f.kind) {
    case Kind::kPad:
      return is_zero(h, crossing.operands[1]);
    case Kind::kReduce:
      return f.reducer->kind == hlo::ReducerKind::kAdd && is_zero(h, crossing.operands[1]);
    case Kind::kDot:
    case Kind::kConcatenate:
      return all;
    case Kind::kDynamicUpdateSlice:
      return crossing.is_exchanged(0) && crossing.is_exchanged(1);
    case Kind::kElementwise:
      if (!all) return keeps_zeros_beside_others(h, crossing);
      return keeps_zeros(f, h.type(crossing.operands[0]));
    default:
      return true;
  }
}

Verdict passes(const HloGraph& h, const Crossing& crossing) {
  for (size_t i = 0; i < crossing.operands.size(); ++i) {
    if (!crossing.is_exchanged(i) && !stays(h, crossing, i)) {
      return refuse("an operand differs between a source and its target");
    }
  }
  const bool all_are_targets =
      static_cast<int64_t>(pairs_of(h, crossing).size()) == h.counts().devices();
  if (all_are_targets || makes_zeros_of_zeros(h, crossing)) return accept();
  return refuse("a device that is no target would not get zeros");
}

ClassId apply(HloGraph& h, ClassId x, int /*dim*/, const std::vector<NodeId>& sources) {
  return h.collective_permute(x, h.op(sources[0]).collective, sources);
}

}  // namespace

bool is_equal_on_pairs(const hlo::DevicePartition& equality, const hlo::DevicePairs& pairs) {
  return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return equality.same_block(pair.first, pair.second);
  });
}

std::vector<Family> permute_operations() {
  const std::string none = "none";
  const std::string indices = "each index is the same on a source and its target";
  const std::string others =
      "an operand that is not permuted is the same on a source and its target; zeros give +0, or "
      "every device is a target";
  return exchange_families(
      {.kind = Kind::kCollectivePermute,
       .name = "permute",
       .family = kExchangeFamily,
       .stays = stays,
       .passes = passes,
       .dim_after = [](const HloGraph&, const Crossing&) { return std::optional(0); },
       .apply = apply,
       .looks_elsewhere = [](Kind f,
                             const std::string&) { return f == Kind::kPad || f == Kind::kReduce; }},
      {{Kind::kConvert, none},
       {Kind::kReshape, none},
       {Kind::kTranspose, none},
       {Kind::kBroadcast, none},
       {Kind::kSlice, none},
       {Kind::kReverse, none},
       {Kind::kPad, others},
       {Kind::kConcatenate, others},
       {Kind::kDynamicSlice, indices},
       {Kind::kDynamicUpdateSlice, others},
       {Kind::kReduce, others},
       {Kind::kElementwise, others},
       {Kind::kDot, others}});
}

}  // namespace flipsat::rules
