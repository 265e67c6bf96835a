#include "frontends/proto/raw_attributes.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "frontends/proto/groups_message.h"
#include "frontends/proto/literal_message.h"
#include "frontends/proto/shape_message.h"
#include "frontends/proto/sharding_message.h"
#include "frontends/proto/window_message.h"
#include "frontends/text/literal_printer.h"
#include "frontends/text/literal_reader.h"
#include "frontends/text/raw_syntax.h"
#include "frontends/text/scanner.h"
#include "frontends/text/shape_reader.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo_proto::Instruction;

namespace {

template <typename List, typename Text>
std::string braced(const List& list, std::string_view separator, Text text) {
  std::string out = "{";
  for (const auto& element : list) {
    if (out.size() > 1) out += separator;
    out += text(element);
  }
  return out + '}';
}

std::string number(int64_t value) { return std::to_string(value); }

int64_t channel_of(const Instruction& message) {
  return message.channel_id() > 0 ? message.channel_id() : message.all_reduce_id();
}

bool has_groups(const Instruction& message) {
  static constexpr std::string_view kOpcodes[] = {
      "all-gather",     "all-gather-start", "all-reduce",        "all-reduce-start",
      "reduce-scatter", "all-to-all",       "ragged-all-to-all", "collective-broadcast"};
  return std::find(std::begin(kOpcodes), std::end(kOpcodes), message.opcode()) !=
         std::end(kOpcodes);
}

bool is_permute(const Instruction& message) {
  return message.opcode() == "collective-permute" || message.opcode() == "collective-permute-start";
}

std::string pairs_text(const Instruction& message) {
  return braced(message.source_target_pairs(), ",", [](const hlo_proto::SourceTarget& pair) {
    return '{' + number(pair.source()) + ',' + number(pair.target()) + '}';
  });
}

std::string slice_text(const Instruction& message) {
  return braced(message.slice_dimensions(), ", ", [](const hlo_proto::SliceDim& dim) {
    std::string text = '[' + number(dim.start()) + ':' + number(dim.limit());
    if (dim.stride() != 1) text += ':' + number(dim.stride());
    return text + ']';
  });
}

std::string aliases_text(const Instruction& message) {
  auto text = [](const hlo_proto::OperandAlias& alias) {
    return shape_index_text(alias.output_shape_index()) + ": (" + number(alias.operand_index()) +
           ", " + shape_index_text(alias.operand_shape_index()) + ')';
  };
  return braced(message.output_operand_aliasing(), ", ", text);
}

bool has_precision(const Instruction& message) {
  for (int level : message.precision().operand_precision()) {
    if (level != hlo_proto::Precision::default_) return true;
  }
  return false;
}

std::string precision_text(const Instruction& message) {
  return braced(message.precision().operand_precision(), ",", [](int level) {
    const auto* value = hlo_proto::Precision::Level_descriptor()->FindValueByNumber(level);
    return value ? value->name() : std::string("default");
  });
}

std::string real(double value) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string accuracy_text(const hlo_proto::Accuracy& accuracy) {
  if (!accuracy.has_tolerance()) return "{mode=highest}";
  const hlo_proto::Accuracy::Tolerance& tolerance = accuracy.tolerance();
  return "{tolerance={atol=" + real(tolerance.atol()) + ", rtol=" + real(tolerance.rtol()) +
         ", ulps=" + number(tolerance.ulps()) + "}}";
}

bool has_accuracy(const Instruction& message) {
  return message.result_accuracy().has_tolerance() ||
         message.result_accuracy().mode() == hlo_proto::Accuracy::highest;
}

std::string literal_text(const hlo_proto::Literal& message) {
  const hlo::LiteralRef literal = literal_from(message);
  std::string text = to_string(literal->shape) + ' ';
  append_literal(*literal, text);
  return text;
}

void append(AttributeKey key, const std::string& text, std::string& out) {
  out += ", ";
  out += to_string(key);
  out += '=' + text;
}

void set_aliases(const std::string& text, Instruction* message) {
  Scanner in(text, "aliases");
  in.expect('{');
  if (in.take('}')) return;
  do {
    hlo_proto::OperandAlias* alias = message->add_output_operand_aliasing();
    for (int64_t i : read_braced_integers(in)) alias->add_output_shape_index(i);
    in.expect(':');
    in.expect('(');
    alias->set_operand_index(in.integer("an operand"));
    in.expect(',');
    for (int64_t i : read_braced_integers(in)) alias->add_operand_shape_index(i);
    in.expect(')');
  } while (in.take(','));
}

void set_precision(const std::string& text, Instruction* message) {
  Scanner in(text, "operand_precision");
  in.expect('{');
  if (in.take('}')) return;
  do {
    hlo_proto::Precision::Level level = hlo_proto::Precision::default_;
    const std::string word(in.expect_word("a word"));
    hlo_proto::Precision::Level_Parse(word, &level);
    message->mutable_precision()->add_operand_precision(level);
  } while (in.take(','));
}

void set_slice_sizes(const std::string& text, Instruction* message) {
  Scanner in(text, "slice_sizes");
  in.expect('{');
  if (in.peek() != '{') {
    in.seek(0);
    for (int64_t size : read_braced_integers(in)) message->add_gather_slice_sizes(size);
    return;
  }
  do {
    for (int64_t size : read_braced_integers(in)) message->add_dynamic_slice_sizes(size);
  } while (in.take(','));
}

void set_operand_layouts(const std::string& text, Instruction* message) {
  Scanner in(text, "operand_layout_constraints");
  ShapeReader shapes(in);
  message->set_constrain_layout(true);
  in.expect('{');
  if (in.take('}')) return;
  do set_shape(shapes.read(), message->add_operand_shapes_with_layout());
  while (in.take(','));
}

void set_accuracy(const std::string& text, hlo_proto::Accuracy* accuracy) {
  Scanner in(text, "result_accuracy");
  in.expect('{');
  if (in.attribute_name() == "mode") {
    if (in.word() == "highest") accuracy->set_mode(hlo_proto::Accuracy::highest);
    return;
  }
  in.expect('{');
  hlo_proto::Accuracy::Tolerance* tolerance = accuracy->mutable_tolerance();
  while (!in.take('}') && !in.at_end()) {
    const std::string_view name = in.attribute_name();
    const std::string_view value = in.number_text();
    double parsed = 0;
    std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (name == "atol") tolerance->set_atol(parsed);
    if (name == "rtol") tolerance->set_rtol(parsed);
    if (name == "ulps") tolerance->set_ulps(static_cast<int64_t>(parsed));
    in.take(',');
  }
}

void set_domain(const std::string& text, Instruction* message) {
  Scanner in(text, "domain");
  in.expect('{');
  in.attribute_name();
  in.quoted();
  for (auto* sharding :
       {message->mutable_domain_exit_sharding(), message->mutable_domain_entry_sharding()}) {
    in.expect(',');
    in.attribute_name();
    set_sharding(in.balanced(), sharding);
  }
}

}  // namespace

std::string shape_index_text(const google::protobuf::RepeatedField<int64_t>& index) {
  return braced(index, ",", number);
}

void append_raw_attributes(const Instruction& message, bool leading, std::string& out) {
  if (leading) {
    if (channel_of(message) > 0) append(AttributeKey::kChannelId, number(channel_of(message)), out);
    if (has_groups(message)) append(AttributeKey::kReplicaGroups, groups_text(message), out);
    if (is_permute(message)) append(AttributeKey::kSourceTargetPairs, pairs_text(message), out);
    if (is_permute(message) && message.dynamic_slice_sizes_size() > 0) {
      append(AttributeKey::kSliceSizes, '{' + shape_index_text(message.dynamic_slice_sizes()) + '}',
             out);
    }
    if (message.opcode() == "slice") append(AttributeKey::kSlice, slice_text(message), out);
    if (message.opcode() == "pad") append(AttributeKey::kPadding, padding_text(message), out);
    if (message.window().dimensions_size() > 0) {
      append(AttributeKey::kWindow, window_text(message.window()), out);
    }
    if (message.opcode() == "convolution" || message.has_convolution_dims()) {
      append(AttributeKey::kDimLabels, dim_labels_text(message.convolution_dims()), out);
    }
    for (auto [key, count] :
         {std::pair(AttributeKey::kFeatureGroupCount, message.feature_group_count()),
          std::pair(AttributeKey::kBatchGroupCount, message.batch_group_count())}) {
      if (count > 1) append(key, number(count), out);
    }
    return;
  }
  if (message.opcode() == "gather") {
    append(AttributeKey::kSliceSizes, shape_index_text(message.gather_slice_sizes()), out);
  }
  if (has_precision(message)) {
    append(AttributeKey::kOperandPrecision, precision_text(message), out);
  }
  if (message.opcode() == "custom-call" && message.constrain_layout()) {
    auto text = [](const hlo_proto::Shape& shape) { return to_string(shape_from(shape)); };
    append(AttributeKey::kOperandLayoutConstraints,
           braced(message.operand_shapes_with_layout(), ", ", text), out);
  }
  if (message.opcode() == "custom-call" && message.has_literal()) {
    append(AttributeKey::kLiteral, literal_text(message.literal()), out);
  }
  if (message.output_operand_aliasing_size() > 0) {
    append(AttributeKey::kOutputToOperandAliasing, aliases_text(message), out);
  }
  if (message.opcode() == "outfeed" && message.has_outfeed_shape()) {
    append(AttributeKey::kOutfeedShape, to_string(shape_from(message.outfeed_shape())), out);
  }
  if (message.is_associative() > 0) {
    append(AttributeKey::kIsAssociative, message.is_associative() == 2 ? "true" : "false", out);
  }
  if (message.opcode() == "domain") {
    // Text and messages call each side of a domain by the other's word.
    const auto entry = sharding_text(message.domain_exit_sharding());
    const auto exit = sharding_text(message.domain_entry_sharding());
    append(AttributeKey::kDomain,
           "{kind=\"sharding\", entry=" + entry.value_or("{unknown}") +
               ", exit=" + exit.value_or("{unknown}") + '}',
           out);
  }
  if (has_accuracy(message)) {
    append(AttributeKey::kResultAccuracy, accuracy_text(message.result_accuracy()), out);
  }
}

bool set_raw_attribute(const hlo::Instruction& instruction, const hlo::Attribute& attribute,
                       Instruction* message) {
  const std::string text(attribute.text);
  switch (attribute.key) {
    case AttributeKey::kChannelId:
      message->set_channel_id(std::get<int64_t>(attribute.value));
      return true;
    case AttributeKey::kReplicaGroups:
      set_groups(attribute, message);
      return true;
    case AttributeKey::kSourceTargetPairs:
      for (const auto& pair : std::get<hlo::IntLists>(attribute.value)) {
        hlo_proto::SourceTarget* added = message->add_source_target_pairs();
        added->set_source(pair[0]);
        added->set_target(pair[1]);
      }
      return true;
    case AttributeKey::kSlice:
      for (const hlo::SliceDim& dim : std::get<hlo::SliceDims>(attribute.value)) {
        hlo_proto::SliceDim* added = message->add_slice_dimensions();
        added->set_start(dim.start);
        added->set_limit(dim.limit);
        added->set_stride(dim.stride);
      }
      return true;
    case AttributeKey::kPadding:
      set_padding(std::get<hlo::PaddingDims>(attribute.value), message);
      return true;
    case AttributeKey::kWindow:
      set_window(instruction, message->mutable_window());
      return true;
    case AttributeKey::kDimLabels:
      set_dim_labels(text, message->mutable_convolution_dims());
      return true;
    case AttributeKey::kFeatureGroupCount:
      message->set_feature_group_count(std::get<int64_t>(attribute.value));
      return true;
    case AttributeKey::kBatchGroupCount:
      message->set_batch_group_count(std::get<int64_t>(attribute.value));
      return true;
    case AttributeKey::kSliceSizes:
      set_slice_sizes(text, message);
      return true;
    case AttributeKey::kOperandPrecision:
      set_precision(text, message);
      return true;
    case AttributeKey::kOperandLayoutConstraints:
      set_operand_layouts(text, message);
      return true;
    case AttributeKey::kLiteral: {
      Scanner in(text, "literal");
      ShapeReader shapes(in);
      set_literal(*read_literal(in, shapes.read()), message->mutable_literal());
      return true;
    }
    case AttributeKey::kOutputToOperandAliasing:
      set_aliases(text, message);
      return true;
    case AttributeKey::kOutfeedShape: {
      Scanner in(text, "outfeed_shape");
      set_shape(ShapeReader(in).read(), message->mutable_outfeed_shape());
      return true;
    }
    case AttributeKey::kType:  // printed where the operands are known
      message->set_comparison_type(std::string(instruction.word(AttributeKey::kType)));
      return true;
    case AttributeKey::kIsAssociative:
      message->set_is_associative(instruction.word(AttributeKey::kIsAssociative) == "true" ? 2 : 1);
      return true;
    case AttributeKey::kDomain:
      set_domain(text, message);
      return true;
    case AttributeKey::kResultAccuracy:
      set_accuracy(text, message->mutable_result_accuracy());
      return true;
    default:
      return false;
  }
}

}  // namespace flipsat::frontends
