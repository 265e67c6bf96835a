#include "frontends/proto/attribute_table.h"

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <charconv>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using hlo::AttributeKey;
using hlo::AttributeSyntax;

namespace {

enum class Shown : uint8_t { kAlways, kIfSet };

struct Row {
  AttributeKey key;
  std::string_view field;    // path of names from the instruction
  std::string_view opcodes;  // with a blank around each; empty: any
  Shown shown = Shown::kIfSet;
  // Asked first where any opcode may have the field, and hardly one does: reflection is slower.
  bool (*is_set)(const hlo_proto::Instruction&) = nullptr;
};

using Fields = hlo_proto::Instruction;

constexpr std::string_view kBatchNorms =
    " batch-norm-training batch-norm-inference batch-norm-grad ";
constexpr std::string_view kDots = " dot scaled-dot ";
constexpr Shown kAlways = Shown::kAlways;
constexpr Shown kIfSet = Shown::kIfSet;

// In the order in which they are printed.
constexpr Row kRows[] = {
    {AttributeKey::kConstrainLayout, "constrain_layout",
     " all-gather all-gather-start all-reduce all-reduce-start reduce-scatter all-to-all "},
    {AttributeKey::kIotaDimension, "dimensions", " iota ", kAlways},
    {AttributeKey::kInferredDimension, "dimensions", " reshape dynamic-reshape "},
    {AttributeKey::kDimensions, "dimensions",
     " broadcast transpose reverse concatenate reduce map sort get-dimension-size "
     "set-dimension-size all-gather all-gather-start scan ",
     kAlways},
    {AttributeKey::kUseGlobalDeviceIds, "use_global_device_ids", "", kIfSet,
     [](const Fields& f) { return f.use_global_device_ids(); }},
    {AttributeKey::kDimensions, "dimensions", " reduce-scatter ", kAlways},
    {AttributeKey::kDimensions, "dimensions", "", kIfSet,
     [](const Fields& f) { return f.dimensions_size() > 0; }},
    {AttributeKey::kSplitDimension, "dimensions", " all-to-all "},
    {AttributeKey::kHasDynamicRoot, "has_dynamic_root", "", kIfSet,
     [](const Fields& f) { return f.has_dynamic_root(); }},
    {AttributeKey::kAsyncExecutionThread, "async_execution_thread", "", kIfSet,
     [](const Fields& f) { return !f.async_execution_thread().empty(); }},
    {AttributeKey::kDynamicSliceSizes, "dynamic_slice_sizes", " dynamic-slice ", kAlways},
    {AttributeKey::kIsStable, "is_stable", "", kIfSet,
     [](const Fields& f) { return f.is_stable(); }},
    {AttributeKey::kK, "k", " topk ", kAlways},
    {AttributeKey::kLargest, "largest", " topk ", kAlways},
    {AttributeKey::kDirection, "comparison_direction", " compare ", kAlways},
    {AttributeKey::kLhsBatchDims, "dot_dims.lhs_batch", kDots},
    {AttributeKey::kLhsContractingDims, "dot_dims.lhs_contracting", kDots, kAlways},
    {AttributeKey::kRhsBatchDims, "dot_dims.rhs_batch", kDots},
    {AttributeKey::kRhsContractingDims, "dot_dims.rhs_contracting", kDots, kAlways},
    {AttributeKey::kLhsBatchDims, "ragged_dot_dims.dot.lhs_batch", " ragged-dot "},
    {AttributeKey::kLhsContractingDims, "ragged_dot_dims.dot.lhs_contracting", " ragged-dot ",
     kAlways},
    {AttributeKey::kRhsBatchDims, "ragged_dot_dims.dot.rhs_batch", " ragged-dot "},
    {AttributeKey::kRhsContractingDims, "ragged_dot_dims.dot.rhs_contracting", " ragged-dot ",
     kAlways},
    {AttributeKey::kLhsRaggedDims, "ragged_dot_dims.lhs_ragged", " ragged-dot ", kAlways},
    {AttributeKey::kRhsGroupDims, "ragged_dot_dims.rhs_group", " ragged-dot "},
    {AttributeKey::kAlgorithm, "rng_algorithm", " rng-bit-generator ", kAlways},
    {AttributeKey::kAlgorithm, "precision.algorithm", "", kIfSet,
     [](const Fields& f) { return f.precision().algorithm() != 0; }},
    {AttributeKey::kOffsetDims, "gather_dims.offset", " gather ", kAlways},
    {AttributeKey::kCollapsedSliceDims, "gather_dims.collapsed", " gather ", kAlways},
    {AttributeKey::kStartIndexMap, "gather_dims.start_index_map", " gather ", kAlways},
    {AttributeKey::kOperandBatchingDims, "gather_dims.operand_batching", " gather "},
    {AttributeKey::kStartIndicesBatchingDims, "gather_dims.start_indices_batching", " gather "},
    {AttributeKey::kIndexVectorDim, "gather_dims.index_vector", " gather ", kAlways},
    {AttributeKey::kUpdateWindowDims, "scatter_dims.update_window", " scatter ", kAlways},
    {AttributeKey::kInsertedWindowDims, "scatter_dims.inserted_window", " scatter ", kAlways},
    {AttributeKey::kScatterDimsToOperandDims, "scatter_dims.to_operand", " scatter ", kAlways},
    {AttributeKey::kInputBatchingDims, "scatter_dims.input_batching", " scatter "},
    {AttributeKey::kScatterIndicesBatchingDims, "scatter_dims.scatter_indices_batching",
     " scatter "},
    {AttributeKey::kIndexVectorDim, "scatter_dims.index_vector", " scatter ", kAlways},
    {AttributeKey::kIndicesAreSorted, "indices_are_sorted", "", kIfSet,
     [](const Fields& f) { return f.indices_are_sorted(); }},
    {AttributeKey::kUniqueIndices, "unique_indices", "", kIfSet,
     [](const Fields& f) { return f.unique_indices(); }},
    {AttributeKey::kIsComposite, "is_composite", "", kIfSet,
     [](const Fields& f) { return f.is_composite(); }},
    {AttributeKey::kKind, "fusion_kind", " fusion ", kAlways},
    {AttributeKey::kCustomCallTarget, "custom_call_target", " custom-call ", kAlways},
    {AttributeKey::kCustomCallHasSideEffect, "custom_call_has_side_effect", "", kIfSet,
     [](const Fields& f) { return f.custom_call_has_side_effect(); }},
    {AttributeKey::kPaddingType, "padding_type", "", kIfSet,
     [](const Fields& f) { return f.padding_type() != 0; }},
    {AttributeKey::kSchedule, "custom_call_schedule", "", kIfSet,
     [](const Fields& f) { return f.custom_call_schedule() != 0; }},
    {AttributeKey::kApiVersion, "custom_call_api_version", " custom-call ", kAlways},
    {AttributeKey::kIndex, "tuple_index", " get-tuple-element ", kAlways},
    {AttributeKey::kDistribution, "distribution", " rng ", kAlways},
    {AttributeKey::kDelta, "delta", " rng-get-and-update-state ", kAlways},
    {AttributeKey::kExponentBits, "exponent_bits", " reduce-precision ", kAlways},
    {AttributeKey::kMantissaBits, "mantissa_bits", " reduce-precision ", kAlways},
    {AttributeKey::kEpsilon, "epsilon", kBatchNorms, kAlways},
    {AttributeKey::kFeatureIndex, "feature_index", kBatchNorms, kAlways},
    {AttributeKey::kFftType, "fft_type", " fft ", kAlways},
    {AttributeKey::kFftLength, "fft_length", " fft ", kAlways},
    {AttributeKey::kLeftSide, "triangular_solve.left_side", " triangular-solve ", kAlways},
    {AttributeKey::kLower, "triangular_solve.lower", " triangular-solve ", kAlways},
    {AttributeKey::kUnitDiagonal, "triangular_solve.unit_diagonal", " triangular-solve ", kAlways},
    {AttributeKey::kTransposeA, "triangular_solve.transpose_a", " triangular-solve ", kAlways},
    {AttributeKey::kLower, "cholesky.lower", " cholesky "},
    {AttributeKey::kIsHostTransfer, "is_host_transfer", "", kIfSet,
     [](const Fields& f) { return f.is_host_transfer(); }},
    {AttributeKey::kInfeedConfig, "infeed_config", " infeed "},
    {AttributeKey::kOutfeedConfig, "outfeed_config", " outfeed "},
    {AttributeKey::kCrossProgramPrefetchIndex, "cross_program_prefetch_index", " copy-start "},
    {AttributeKey::kNumCarries, "num_carries", " scan ", kAlways},
    {AttributeKey::kIsReverse, "is_reverse", "", kIfSet,
     [](const Fields& f) { return f.is_reverse(); }},
};

bool applies(const Row& row, std::string_view opcode) {
  if (row.opcodes.empty()) return true;
  return row.opcodes.find(" " + std::string(opcode) + " ") != row.opcodes.npos;
}

// A row whose path is looked up: descriptors live as long as the program.
struct FoundRow {
  const Row* row;
  std::vector<const FieldDescriptor*> path;
};

FoundRow found(const Row& row) {
  FoundRow result{&row, {}};
  const google::protobuf::Descriptor* message = hlo_proto::Instruction::descriptor();
  for (std::string_view rest = row.field; !rest.empty();) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    result.path.push_back(message->FindFieldByName(std::string(rest.substr(0, dot))));
    message = result.path.back()->message_type();
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return result;
}

using RowsByOpcode = std::unordered_map<std::string_view, std::vector<FoundRow>>;

std::vector<FoundRow> rows_that_apply(std::string_view opcode) {
  std::vector<FoundRow> rows;
  for (const Row& row : kRows) {
    if (applies(row, opcode)) rows.push_back(found(row));
  }
  return rows;
}

// Of each opcode that some row names; under the empty name those of all others.
RowsByOpcode all_rows() {
  RowsByOpcode rows;
  rows.emplace("", rows_that_apply(""));
  for (const Row& row : kRows) {
    for (std::string_view rest = row.opcodes; rest.size() > 1;) {
      const size_t end = rest.find(' ', 1);
      const std::string_view opcode = rest.substr(1, end - 1);
      if (!rows.contains(opcode)) rows.emplace(opcode, rows_that_apply(opcode));
      rest.remove_prefix(end);
    }
  }
  return rows;
}

const std::vector<FoundRow>& rows_of(const std::string& opcode) {
  static const RowsByOpcode rows = all_rows();
  const auto named = rows.find(opcode);
  return named == rows.end() ? rows.at("") : named->second;
}

// The last name of a path in the message that holds it.
struct Place {
  const Message* message;
  const FieldDescriptor* field;
};

Place place_of(const FoundRow& row, const Message& instruction) {
  const Message* message = &instruction;
  for (size_t i = 0; i + 1 < row.path.size(); ++i) {
    message = &message->GetReflection()->GetMessage(*message, row.path[i]);
  }
  return {message, row.path.back()};
}

bool is_set(const Place& place) {
  const Reflection* reflection = place.message->GetReflection();
  if (place.field->is_repeated()) return reflection->FieldSize(*place.message, place.field) > 0;
  return reflection->HasField(*place.message, place.field);
}

std::string integers(const Place& place) {
  const Reflection* reflection = place.message->GetReflection();
  std::string text = "{";
  for (int i = 0; i < reflection->FieldSize(*place.message, place.field); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(reflection->GetRepeatedInt64(*place.message, place.field, i));
  }
  return text + '}';
}

std::string shortest(float value) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string word_of_enum(const Place& place) {
  const int number = place.message->GetReflection()->GetEnumValue(*place.message, place.field);
  const auto* value = place.field->enum_type()->FindValueByNumber(number);
  if (value) return value->name();
  throw std::runtime_error("expected a known value of " + place.field->name() + ", found number " +
                           std::to_string(number));
}

std::string value_text(const Place& place, AttributeKey key) {
  const Message& message = *place.message;
  const Reflection* reflection = message.GetReflection();
  if (place.field->is_repeated()) {
    if (attribute_syntax(key) == AttributeSyntax::kInts) return integers(place);
    return std::to_string(is_set(place) ? reflection->GetRepeatedInt64(message, place.field, 0)
                                        : 0);
  }
  switch (place.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(message, place.field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(reflection->GetInt32(message, place.field));
    case FieldDescriptor::CPPTYPE_INT64:
      return std::to_string(reflection->GetInt64(message, place.field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return shortest(reflection->GetFloat(message, place.field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return word_of_enum(place);
    default: {
      std::string text = reflection->GetString(message, place.field);
      if (attribute_syntax(key) != AttributeSyntax::kString) return text;
      return '"' + escape(text) + '"';
    }
  }
}

// XLA leaves out the version that it takes for granted.
bool goes_without_saying(const Row& row, const hlo_proto::Instruction& message) {
  return row.key == AttributeKey::kApiVersion &&
         message.custom_call_api_version() == hlo_proto::Instruction::API_VERSION_ORIGINAL;
}

// The message that the path's last name is in, made where it is missing.
Message* make_holder(Message* message, std::string_view& path) {
  size_t dot = path.find('.');
  if (dot == path.npos) return message;
  const FieldDescriptor* field =
      message->GetDescriptor()->FindFieldByName(std::string(path.substr(0, dot)));
  path.remove_prefix(dot + 1);
  return make_holder(message->GetReflection()->MutableMessage(message, field), path);
}

struct Setter {
  Message* message;
  const FieldDescriptor* field;
  const Reflection* reflection = message->GetReflection();

  void operator()(bool value) const { reflection->SetBool(message, field, value); }
  void operator()(int64_t value) const {
    if (field->is_repeated()) {
      reflection->ClearField(message, field);
      reflection->AddInt64(message, field, value);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
      reflection->SetInt32(message, field, static_cast<int32_t>(value));
    } else {
      reflection->SetInt64(message, field, value);
    }
  }
  void operator()(double value) const {
    reflection->SetFloat(message, field, static_cast<float>(value));
  }
  void operator()(const std::string& value) const {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_ENUM) {
      reflection->SetString(message, field, value);
      return;
    }
    const auto* found = field->enum_type()->FindValueByName(value);
    if (!found) {
      throw std::runtime_error("expected a value of " + field->name() +
                               " that HLO protos have, found '" + value + "'");
    }
    reflection->SetEnum(message, field, found);
  }
  void operator()(const hlo::IntList& values) const {
    reflection->ClearField(message, field);
    for (int64_t value : values) reflection->AddInt64(message, field, value);
  }
  template <typename Other>
  void operator()(const Other&) const {
    throw std::logic_error("attribute table: a value of another kind");
  }
};

}  // namespace

void append_table_attributes(const hlo_proto::Instruction& message, std::string& out) {
  boost::container::small_vector<const Row*, 8> shown;
  for (const FoundRow& found_row : rows_of(message.opcode())) {
    const Row& row = *found_row.row;
    if (row.is_set && !row.is_set(message)) continue;
    const Place place = place_of(found_row, message);
    if (row.shown == Shown::kIfSet && !is_set(place)) continue;
    if (goes_without_saying(row, message)) continue;
    // The first row of a key or field is the one that the opcode means.
    auto repeats = [&](const Row* other) {
      return other->key == row.key || other->field == row.field;
    };
    if (std::any_of(shown.begin(), shown.end(), repeats)) continue;
    shown.push_back(&row);
    const std::string text = value_text(place, row.key);
    (out += ", ") += to_string(row.key);
    (out += '=') += text;
  }
}

bool set_table_attribute(const hlo::Attribute& attribute, hlo_proto::Instruction* message) {
  if (std::holds_alternative<std::monostate>(attribute.value)) return false;
  for (const Row& row : kRows) {
    if (row.key != attribute.key || !applies(row, message->opcode())) continue;
    std::string_view path = row.field;
    Message* holder = make_holder(message, path);
    std::visit(Setter{holder, holder->GetDescriptor()->FindFieldByName(std::string(path))},
               attribute.value);
    return true;
  }
  return false;
}

}  // namespace flipsat::frontends
