#include "frontends/proto/literal_message.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "frontends/proto/shape_message.h"

namespace flipsat::frontends {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;
using hlo::ElementType;
using hlo::Literal;

namespace {

// Each type has a field of its own, named as the type is.
const FieldDescriptor* values_field(ElementType type) {
  return hlo_proto::Literal::descriptor()->FindFieldByName(std::string(to_string(type)) + "s");
}

template <typename Value>
void append(const google::protobuf::RepeatedField<Value>& values, std::vector<uint8_t>& bytes) {
  if (values.empty()) return;
  const size_t size = static_cast<size_t>(values.size()) * sizeof(Value);
  bytes.resize(size);
  std::memcpy(bytes.data(), values.data(), size);
}

void append_repeated(const hlo_proto::Literal& message, ElementType type,
                     std::vector<uint8_t>& bytes) {
  switch (type) {
    case ElementType::kPred:
      return append(message.preds(), bytes);
    case ElementType::kS32:
      return append(message.s32s(), bytes);
    case ElementType::kS64:
      return append(message.s64s(), bytes);
    case ElementType::kU32:
      return append(message.u32s(), bytes);
    case ElementType::kU64:
      return append(message.u64s(), bytes);
    case ElementType::kF32:
      return append(message.f32s(), bytes);
    case ElementType::kF64:
      return append(message.f64s(), bytes);
    case ElementType::kC64:
      return append(message.c64s(), bytes);
    case ElementType::kC128:
      return append(message.c128s(), bytes);
    default:
      throw std::runtime_error("expected a literal of a known type");
  }
}

// Below 8 bits: one byte an element, of which the low bits count.
void sign_extend(ElementType type, std::vector<uint8_t>& bytes) {
  const int shift = 8 - hlo::bit_width(type);
  if (!hlo::is_integer(type) || shift <= 0) return;
  for (uint8_t& byte : bytes) {
    const auto high = static_cast<uint8_t>(byte << shift);
    byte = hlo::is_signed_integer(type) ? static_cast<uint8_t>(static_cast<int8_t>(high) >> shift)
                                        : static_cast<uint8_t>(high >> shift);
  }
}

template <typename Value>
void fill(const std::vector<uint8_t>& bytes, google::protobuf::RepeatedField<Value>* values) {
  const size_t count = bytes.size() / sizeof(Value);
  values->Resize(static_cast<int>(count), Value());
  if (count > 0) std::memcpy(values->mutable_data(), bytes.data(), count * sizeof(Value));
}

void set_repeated(const Literal& literal, hlo_proto::Literal* message) {
  switch (literal.shape.type) {
    case ElementType::kPred:
      return fill(literal.bytes, message->mutable_preds());
    case ElementType::kS32:
      return fill(literal.bytes, message->mutable_s32s());
    case ElementType::kS64:
      return fill(literal.bytes, message->mutable_s64s());
    case ElementType::kU32:
      return fill(literal.bytes, message->mutable_u32s());
    case ElementType::kU64:
      return fill(literal.bytes, message->mutable_u64s());
    case ElementType::kF32:
      return fill(literal.bytes, message->mutable_f32s());
    case ElementType::kF64:
      return fill(literal.bytes, message->mutable_f64s());
    case ElementType::kC64:
      return fill(literal.bytes, message->mutable_c64s());
    case ElementType::kC128:
      return fill(literal.bytes, message->mutable_c128s());
    default:
      return;
  }
}

}  // namespace

hlo::LiteralRef literal_from(const hlo_proto::Literal& message) {
  auto literal = std::make_shared<Literal>();
  literal->shape = shape_from(message.shape());
  if (literal->shape.is_tuple()) {
    const size_t count = literal->shape.parts->size();
    if (static_cast<size_t>(message.tuple_literals_size()) != count) {
      throw std::runtime_error("expected a literal of " + std::to_string(count) + " parts");
    }
    for (const hlo_proto::Literal& part : message.tuple_literals()) {
      literal->parts.push_back(literal_from(part));
    }
    return literal;
  }
  const ElementType type = literal->shape.type;
  const FieldDescriptor* field = literal->shape.is_array() ? values_field(type) : nullptr;
  if (!field) throw std::runtime_error("expected no literal, values of this type have none");
  if (field->is_repeated()) {
    append_repeated(message, type, literal->bytes);
  } else {
    const std::string bytes = message.GetReflection()->GetString(message, field);
    literal->bytes.assign(bytes.begin(), bytes.end());
    sign_extend(type, literal->bytes);
  }
  const int64_t count = literal->shape.element_count();
  // Text spells the braces of an empty array's outer dims.
  constexpr int64_t kMostEmptyRows = 1 << 20;
  int64_t rows = 1;
  for (int dim = 0; dim < literal->shape.rank() && rows > 0 && rows <= kMostEmptyRows; ++dim) {
    const int64_t size = literal->shape.dims[static_cast<size_t>(dim)];
    if (size <= 0) break;
    rows = std::min(rows, kMostEmptyRows + 1) * std::min(size, kMostEmptyRows + 1);
  }
  if (count <= 0 && rows > kMostEmptyRows) {
    throw std::runtime_error("expected an empty literal of fewer rows");
  }
  const auto width = static_cast<size_t>(hlo::byte_width(type));
  if (literal->bytes.empty() && count > 0) {
    literal->elided = true;
  } else if (literal->bytes.size() / width != static_cast<size_t>(count) ||
             literal->bytes.size() % width != 0) {
    throw std::runtime_error("expected " + std::to_string(count) + " elements in the literal");
  }
  return literal;
}

void set_literal(const Literal& literal, hlo_proto::Literal* message) {
  set_shape(literal.shape, message->mutable_shape());
  if (literal.elided) return;
  for (const hlo::LiteralRef& part : literal.parts)
    set_literal(*part, message->add_tuple_literals());
  if (!literal.shape.is_array()) return;
  const FieldDescriptor* field = values_field(literal.shape.type);
  if (field->is_repeated()) return set_repeated(literal, message);
  message->GetReflection()->SetString(message, field,
                                      std::string(literal.bytes.begin(), literal.bytes.end()));
}

}  // namespace flipsat::frontends
