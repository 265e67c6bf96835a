#include "frontends/proto/metadata_message.h"

#include <array>
#include <charconv>
#include <map>

#include "frontends/text/scanner.h"

namespace flipsat::frontends {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

// The words of HLO text are the names of the fields.
const FieldDescriptor* metadata_field(std::string_view name) {
  return hlo_proto::Metadata::descriptor()->FindFieldByName(std::string(name));
}

constexpr std::string_view kProfiles[] = {"INVALID", "WINDOW", "FLAG", "INTEGER"};

std::string number_text(double value) {
  std::array<char, 64> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

double number_from(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A key that text cannot spell is written as a word that it can.
bool is_attribute_name(std::string_view name) {
  if (name.empty() || !is_word_start(name[0])) return false;
  for (char c : name) {
    if (!is_word_char(c)) return false;
  }
  return true;
}

}  // namespace

bool is_braced_json(const std::string& text) {
  if (!text.starts_with('{')) return false;
  try {
    Scanner in(text, "");
    in.braced_json();
    return in.offset() == text.size();
  } catch (const hlo::InputError&) {
    return false;
  }
}

std::string metadata_text(const hlo_proto::Metadata& message) {
  std::string text;
  const auto add_name = [&](std::string_view name) {
    if (!text.empty()) text += ' ';
    (text += name) += '=';
  };
  const auto add_text = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    add_name(name);
    ((text += '"') += escape(value)) += '"';
  };
  const auto add_number = [&](std::string_view name, int32_t value) {
    if (value == 0) return;
    add_name(name);
    text += std::to_string(value);
  };
  add_text("op_type", message.op_type());
  add_text("op_name", message.op_name());
  add_text("source_file", message.source_file());
  add_number("source_line", message.source_line());
  add_number("source_end_line", message.source_end_line());
  add_number("source_column", message.source_column());
  add_number("source_end_column", message.source_end_column());
  add_text("deduplicated_name", message.deduplicated_name());
  add_text("scheduling_name", message.scheduling_name());
  add_number("stack_frame_id", message.stack_frame_id());
  if (message.profile_type_size() > 0) {
    if (!text.empty()) text += ' ';
    text += "profile_type={";
    for (int i = 0; i < message.profile_type_size(); ++i) {
      if (i > 0) text += ',';
      text += std::to_string(message.profile_type(i));
    }
    text += '}';
  }
  return '{' + text + '}';
}

void set_metadata(std::string_view text, hlo_proto::Metadata* message) {
  const std::string source(text);
  const Reflection* reflection = message->GetReflection();
  Scanner in(source, "metadata");
  in.expect('{');
  while (!in.take('}')) {
    const std::string_view name = in.attribute_name();
    const FieldDescriptor* field = metadata_field(name);
    const char next = in.peek();
    if (next == '{') {
      const std::string list(in.balanced());
      if (name != "profile_type") continue;
      Scanner numbers(list, "metadata");
      numbers.expect('{');
      while (numbers.peek() != '}' && !numbers.at_end()) {
        if (numbers.starts_integer()) {
          message->add_profile_type(static_cast<int32_t>(numbers.integer("a number")));
        } else {
          const std::string_view word = numbers.word();
          if (word.empty()) numbers.advance();
          for (size_t i = 0; i < std::size(kProfiles); ++i) {
            if (word == kProfiles[i]) message->add_profile_type(static_cast<int32_t>(i));
          }
        }
        numbers.take(',');
      }
    } else if (next == '"' || next == '\'') {
      const std::string value = unescape(in.quoted());
      if (field && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        reflection->SetString(message, field, value);
      }
    } else {
      const double value = number_from(in.number_text());
      if (field && !field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_INT32 &&
          value >= INT32_MIN && value <= INT32_MAX) {
        reflection->SetInt32(message, field, static_cast<int32_t>(value));
      }
    }
    in.take(',');
  }
}

std::string frontend_attributes_text(const hlo_proto::FrontendAttributes& message) {
  std::string text = "{";
  std::map<std::string, std::string> sorted;  // as in a map, the last of a key counts
  for (const auto& entry : message.map()) sorted[entry.key()] = entry.value();
  for (const auto& [key, value] : sorted) {
    if (!is_attribute_name(key)) continue;
    if (text.size() > 1) text += ',';
    text += key + '=';
    text += is_braced_json(value) ? value : '"' + escape(value) + '"';
  }
  return text + '}';
}

void set_frontend_attributes(std::string_view text, hlo_proto::FrontendAttributes* message) {
  const std::string source(text);
  message->Clear();
  Scanner in(source, "frontend_attributes");
  in.expect('{');
  if (in.take('}')) return;
  do {
    const std::string key(in.attribute_name());
    auto* entry = message->add_map();
    entry->set_key(key);
    entry->set_value(in.peek() == '{' ? std::string(in.braced_json()) : unescape(in.quoted()));
  } while (in.take(','));
}

std::string statistics_text(const hlo_proto::Statistics& message) {
  std::string text = "{visualizing_index=" + std::to_string(message.index());
  for (const auto& value : message.statistics()) {
    if (is_attribute_name(value.name())) {
      text += ',' + value.name() + '=' + number_text(value.val());
    }
  }
  return text + '}';
}

void set_statistics(std::string_view text, hlo_proto::Statistics* message) {
  const std::string source(text);
  message->Clear();
  Scanner in(source, "statistics");
  in.expect('{');
  if (in.take('}')) return;
  do {
    const std::string name(in.attribute_name());
    const double number = number_from(in.number_text());
    if (name == "visualizing_index") {
      message->set_index(static_cast<int64_t>(number));
      continue;
    }
    auto* value = message->add_statistics();
    value->set_name(name);
    value->set_val(number);
  } while (in.take(','));
}

}  // namespace flipsat::frontends
