#include "frontends/proto/wire.h"

#include <cstdint>

namespace flipsat::frontends {
namespace {

// Walks the fields of one message.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  // False at the end, and at what is no field.
  bool next() {
    uint64_t tag = 0;
    if (rest_.empty() || !read_varint(tag)) return false;
    number_ = tag >> 3;
    value_ = {};
    switch (tag & 7) {
      case 0: {
        uint64_t ignored = 0;
        return read_varint(ignored);
      }
      case 1:
        return skip(8);
      case 2: {
        uint64_t length = 0;
        if (!read_varint(length)) return false;
        value_ = rest_.substr(0, length);  // what is cut off is still looked into
        rest_.remove_prefix(value_.size());
        return true;
      }
      case 5:
        return skip(4);
      default:
        return false;
    }
  }
  uint64_t number() const { return number_; }
  std::string_view value() const { return value_; }  // empty where it has no length

 private:
  bool skip(size_t count) {
    if (rest_.size() < count) return false;
    rest_.remove_prefix(count);
    return true;
  }
  bool read_varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return false;
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  std::string_view rest_;
  uint64_t number_ = 0;
  std::string_view value_;
};

std::string_view first_field(std::string_view bytes, uint64_t number) {
  for (Fields fields(bytes); fields.next();) {
    if (fields.number() == number && !fields.value().empty()) return fields.value();
  }
  return {};
}

// A computation (3), its instruction (2), the opcode's word (2).
bool is_module(std::string_view bytes) {
  const std::string_view opcode = first_field(first_field(first_field(bytes, 3), 2), 2);
  if (opcode.empty()) return false;
  for (char c : opcode) {
    if (!(c >= 'a' && c <= 'z') && c != '-') return false;
  }
  return true;
}

bool begins_as_proto(std::string_view bytes, int depth) {
  constexpr int kWrappings = 3;
  if (bytes.empty() || depth > kWrappings) return false;
  const auto first = static_cast<uint8_t>(bytes[0]);
  // No text begins with the tags of fields 2 and 3; that of field 1 is a newline.
  if (first == 0x12 || first == 0x1a) return true;
  if (first != 0x0a) return false;
  size_t at = 1;
  uint64_t length = 0;
  for (int shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    length |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  const std::string_view inner = bytes.substr(at, length);
  if (at + inner.size() < bytes.size()) {
    const char next = bytes[at + inner.size()];
    if (next == 0x12 || next == 0x1a) return true;
  }
  return begins_as_proto(inner, depth + 1);
}

}  // namespace

std::optional<ProtoKind> kind_of_proto(std::string_view bytes) {
  const std::string_view inner = first_field(bytes, 1);
  if (is_module(inner)) {
    return first_field(bytes, 2).empty() ? ProtoKind::kProto : ProtoKind::kModuleWithConfig;
  }
  if (is_module(first_field(inner, 1))) return ProtoKind::kSnapshot;
  if (is_module(bytes)) return ProtoKind::kModule;
  return std::nullopt;
}

bool begins_as_proto(std::string_view bytes) { return begins_as_proto(bytes, 0); }

}  // namespace flipsat::frontends
