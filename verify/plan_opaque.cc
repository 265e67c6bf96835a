// Operations that are functions of what they read and nothing more: which elements each reads, and
// the word that stands for the function.
#include "hlo/reducer.h"
#include "verify/plan.h"
#include "verify/same_operation.h"

namespace flipsat::verify {

using hlo::AttributeKey;
using hlo::Opcode;

namespace {

uint64_t text_tag(uint64_t tag, std::string_view text) {
  for (char c : text) tag = combine(tag, static_cast<uint64_t>(c));
  return combine(tag, text.size());
}

uint64_t value_tag(uint64_t tag, const hlo::Module& module, const hlo::AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return combine(tag, *flag);
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return combine(tag, static_cast<uint64_t>(*number));
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return combine(tag, std::bit_cast<uint64_t>(*number));
  }
  if (const auto* word = std::get_if<std::string>(&value)) return text_tag(tag, *word);
  if (const auto* list = std::get_if<hlo::IntList>(&value)) {
    for (int64_t entry : *list) tag = combine(tag, static_cast<uint64_t>(entry));
    return combine(tag, list->size());
  }
  if (const auto* called = std::get_if<hlo::ComputationList>(&value)) {
    for (hlo::ComputationId id : *called) {
      tag = text_tag(tag, hlo::computation_fingerprint(module, id));
    }
    return tag;
  }
  throw Unmodelled("an attribute of no known meaning");
}

// The sizes of the dims in which the operation does more than repeat itself.
uint64_t size_tag(const hlo::Module& module, const hlo::Instruction& in, const Plan& plan) {
  uint64_t tag = plan.readings.size();
  std::vector<bool> repeats(part_shape(in.shape, 0).dims.size(), false);
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const hlo::Shape& shape = module[in.operands[i]].shape;
    for (uint32_t part = 0; part < part_count(shape); ++part) {
      const hlo::Dims& dims = part_shape(shape, part).dims;
      for (size_t k = 0; k < dims.size(); ++k) {
        int64_t own = plan.readings.empty() ? -1 : plan.readings.at(i).result_dim.at(k);
        if (own < 0) tag = combine(tag, static_cast<uint64_t>(dims[k]));
        if (own >= 0 && own < static_cast<int64_t>(repeats.size())) repeats[own] = true;
      }
      tag = combine(tag, dims.size());
    }
  }
  for (uint32_t part = 0; part < part_count(in.shape); ++part) {
    const hlo::Dims& dims = part_shape(in.shape, part).dims;
    for (size_t k = 0; k < dims.size(); ++k) {
      bool repeated = k < repeats.size() && repeats[k];
      if (!repeated) tag = combine(tag, static_cast<uint64_t>(dims[k]));
    }
    tag = combine(tag, dims.size());
  }
  return tag;
}

// Everything else that decides what is computed of the operands' values.
uint64_t tag_of(const hlo::Module& module, const hlo::Instruction& in, Opcode opcode) {
  uint64_t tag = combine(0x09a9, static_cast<uint64_t>(opcode));
  for (hlo::InstructionId operand : in.operands) {
    const hlo::Shape& shape = module[operand].shape;
    for (uint32_t part = 0; part < part_count(shape); ++part) {
      tag = combine(tag, static_cast<uint64_t>(part_shape(shape, part).type));
    }
  }
  uint64_t attributes = 0;
  for (const hlo::Attribute& attribute : in.attributes) {
    bool is_false = false;
    if (const bool* flag = std::get_if<bool>(&attribute.value)) is_false = !*flag;
    if (is_remark(in, attribute.key) || is_false) continue;
    if (attribute.key == AttributeKey::kChannelId ||
        attribute.key == AttributeKey::kReplicaGroups) {
      continue;
    }
    uint64_t own = text_tag(static_cast<uint64_t>(attribute.key), attribute.name);
    bool spelled = std::holds_alternative<std::monostate>(attribute.value);
    own = spelled ? text_tag(own, attribute.text) : value_tag(own, module, attribute.value);
    attributes += mix(own);  // in any order
  }
  return combine(tag, attributes);
}

// Dims [0, kept) of the operand are the result's own, the others are read in full.
Reading leading(const hlo::Shape& shape, size_t kept) {
  Reading reading;
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    reading.result_dim.push_back(i < kept ? static_cast<int64_t>(i) : -1);
  }
  return reading;
}

size_t without_last(const hlo::Shape& shape, size_t dims) {
  if (shape.dims.size() < dims) throw Unmodelled("an operand of too low a rank");
  return shape.dims.size() - dims;
}

}  // namespace

bool is_opaque_function(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kCholesky:
    case Opcode::kCustomCall:
    case Opcode::kFft:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRaggedDot:
    case Opcode::kRngBitGenerator:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kTopk:
    case Opcode::kTriangularSolve:
      return true;
    default:
      return false;
  }
}

void plan_opaque(const hlo::Module& module, const hlo::Instruction& in, Plan& plan) {
  if (in.bool_attribute(AttributeKey::kCustomCallHasSideEffect, false)) {
    throw Unmodelled("a custom call with side effects");
  }
  auto shape = [&](size_t i) -> const hlo::Shape& { return module[in.operands.at(i)].shape; };
  switch (plan.opcode) {
    case Opcode::kCholesky:
      plan.readings = {leading(shape(0), without_last(shape(0), 2))};
      break;
    case Opcode::kTriangularSolve:
      plan.readings = {leading(shape(0), without_last(shape(0), 2)),
                       leading(shape(1), without_last(shape(1), 2))};
      break;
    case Opcode::kFft: {
      size_t dims = in.ints(AttributeKey::kFftLength).size();
      plan.readings = {leading(shape(0), without_last(shape(0), dims))};
      break;
    }
    case Opcode::kTopk:
      plan.readings = {leading(shape(0), without_last(shape(0), 1))};
      break;
    case Opcode::kBatchNormInference: {
      // Every element by itself, with its feature's numbers.
      int64_t feature = in.int_attribute(AttributeKey::kFeatureIndex, -1);
      plan.readings.push_back(leading(shape(0), shape(0).dims.size()));
      for (size_t i = 1; i < in.operands.size(); ++i) plan.readings.push_back({{feature}});
      break;
    }
    default:
      break;
  }
  for (const Reading& reading : plan.readings) {
    for (int64_t dim : reading.result_dim) {
      if (dim >= part_shape(in.shape, 0).rank()) throw Unmodelled("a result of too low a rank");
    }
  }
  plan.tag = combine(tag_of(module, in, plan.opcode), size_tag(module, in, plan));
}

}  // namespace flipsat::verify
