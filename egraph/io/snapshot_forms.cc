// The only file that sees cereal.
#include "egraph/io/snapshot_forms.h"

// Not on the stack: a file may nest as deep as it likes.
#define RAPIDJSON_PARSE_DEFAULT_FLAGS kParseIterativeFlag
#include <cereal/archives/json.hpp>
#include <cereal/archives/portable_binary.hpp>

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <stdexcept>

#include "egraph/io/snapshot_checksum.h"

namespace flipsat::egraph::snapshot {
namespace {

constexpr uint32_t kVersion = 1;
// Not text, and broken by whatever changes line ends.
constexpr std::string_view kMagic =
    "\x89"
    "EGR\r\n\x1a\n";
constexpr const char* kJsonMagic = "flipsat_egraph_snapshot";

// An array of structs of equal words (32 bits each, or 64): in the binary form a block of them
// behind their number, in JSON a list of numbers.
template <class Array>
struct Words {
  using Element = std::remove_cvref_t<decltype(*std::declval<Array&>().data())>;
  using Word = std::conditional_t<std::is_same_v<Element, uint64_t>, uint64_t, uint32_t>;
  static constexpr size_t kOfElement = sizeof(Element) / sizeof(Word);
  static_assert(std::is_trivially_copyable_v<Element> && sizeof(Element) % sizeof(Word) == 0);

  Array& array;

  const Word* begin() const { return reinterpret_cast<const Word*>(array.data()); }
  size_t size() const { return array.size() * kOfElement; }
  // The first word of `count` more elements.
  Word* grow(size_t count) const {
    const size_t before = array.size();
    if constexpr (requires { array.extend(count); }) {
      array.extend(count);
    } else {
      array.resize(before + count);
    }
    return reinterpret_cast<Word*>(array.data() + before);
  }
  static size_t elements(uint64_t words) {
    constexpr uint64_t kMost = uint64_t{1} << 33;
    if (words % kOfElement != 0 || words > kMost) throw cereal::Exception("not so many words");
    return words / kOfElement;
  }
};

template <class Array>
void save(cereal::PortableBinaryOutputArchive& archive, const Words<Array>& words) {
  archive(uint64_t{words.size()});
  archive(cereal::binary_data(words.begin(), words.size() * sizeof(*words.begin())));
}

template <class Array>
void load(cereal::PortableBinaryInputArchive& archive, Words<Array>& words) {
  // In pieces: memory is taken only as the file goes on.
  constexpr size_t kPiece = size_t{1} << 18;
  uint64_t count = 0;
  archive(count);
  for (size_t left = words.elements(count); left > 0;) {
    const size_t piece = std::min(left, kPiece);
    archive(cereal::binary_data(words.grow(piece), piece * sizeof(typename Words<Array>::Element)));
    left -= piece;
  }
}

template <class Array>
void save(cereal::JSONOutputArchive& archive, const Words<Array>& words) {
  archive(cereal::make_size_tag(cereal::size_type{words.size()}));
  for (size_t i = 0; i < words.size(); ++i) archive(words.begin()[i]);
}

template <class Array>
void load(cereal::JSONInputArchive& archive, Words<Array>& words) {
  cereal::size_type count = 0;
  archive(cereal::make_size_tag(count));
  const size_t elements = words.elements(count);
  auto* word = words.grow(elements);
  for (uint64_t i = 0; i < count; ++i) archive(word[i]);
}

// Bytes that mean something to the client.
template <class Text>
struct Bytes {
  Text& text;
};

template <class Text>
void save(cereal::PortableBinaryOutputArchive& archive, const Bytes<Text>& bytes) {
  archive(uint64_t{bytes.text.size()});
  archive(cereal::binary_data(bytes.text.data(), bytes.text.size()));
}

template <class Text>
void load(cereal::PortableBinaryInputArchive& archive, Bytes<Text>& bytes) {
  constexpr size_t kPiece = size_t{1} << 20;
  uint64_t left = 0;
  archive(left);
  while (left > 0) {
    const size_t piece = std::min<uint64_t>(left, kPiece);
    const size_t before = bytes.text.size();
    bytes.text.resize(before + piece);
    archive(cereal::binary_data(bytes.text.data() + before, piece));
    left -= piece;
  }
}

template <class Text>
std::string save_minimal(const cereal::JSONOutputArchive&, const Bytes<Text>& bytes) {
  return cereal::base64::encode(reinterpret_cast<const unsigned char*>(bytes.text.data()),
                                bytes.text.size());
}

template <class Text>
void load_minimal(const cereal::JSONInputArchive&, Bytes<Text>& bytes, const std::string& base64) {
  bytes.text = cereal::base64::decode(base64);
}

// Both ways: on writing, arrays and the rest are const. `section` says where it is.
template <class Archive, class State, class Other>
void transfer(Archive& archive, State& arrays, Other& extra, const char*& section) {
  const auto number = [&](const char* name, auto& value) {
    section = name;
    archive(cereal::make_nvp(name, value));
  };
  const auto words = [&](const char* name, auto& array) {
    section = name;
    archive(cereal::make_nvp(name, Words<std::remove_reference_t<decltype(array)>>{array}));
  };
  number("live_nodes", arrays.live_nodes_);
  number("classes", arrays.live_classes_);
  number("untidy_nodes", arrays.untidy_nodes_);
  number("changes", arrays.changes_);
  number("epoch", arrays.epoch_);
  number("origin", arrays.origin_);
  words("operators", extra.operators);
  words("unordered", extra.unordered);
  words("nodes", arrays.records_);
  words("names", extra.words);
  words("class_links", arrays.class_links_);
  words("parent_links", arrays.parent_links_);
  words("wide_children", arrays.wide_children_);
  words("wide_links", arrays.wide_links_);
  words("wide_owners", arrays.wide_owners_);
  words("block_epochs", arrays.block_epochs_);
  words("untidy", arrays.untidy_);
  words("edges", extra.edges);
  words("to_modify", arrays.to_modify_);
  number("has_history", extra.has_history);
  words("origins", arrays.history_.origins);
  words("written_children", arrays.history_.children);
  words("first_written_child", arrays.history_.first_child);
  words("unions", arrays.history_.unions);
  words("matches", arrays.history_.matches);
  number("has_given_data", extra.has_given_data);
  number("data_form", extra.data_form);
  words("data_sizes", extra.data_sizes);
  section = "data";
  archive(
      cereal::make_nvp("data", Bytes<std::remove_reference_t<decltype((extra.data))>>{extra.data}));
}

// A number's bytes, the lowest first.
template <class Number>
std::array<char, sizeof(Number)> to_bytes(Number number) {
  std::array<char, sizeof(Number)> bytes;
  for (char& byte : bytes) {
    byte = static_cast<char>(number & 0xff);
    number = static_cast<Number>(number >> 8);
  }
  return bytes;
}

template <class Number>
Number get(std::streambuf& in) {
  std::array<char, sizeof(Number)> bytes;
  if (in.sgetn(bytes.data(), bytes.size()) != static_cast<std::streamsize>(bytes.size())) {
    throw cereal::Exception("the end");
  }
  Number number = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    number = static_cast<Number>(number << 8 | static_cast<unsigned char>(bytes[i]));
  }
  return number;
}

void put(std::streambuf& out, std::string_view bytes) {
  if (out.sputn(bytes.data(), static_cast<std::streamsize>(bytes.size())) !=
      static_cast<std::streamsize>(bytes.size())) {
    throw cereal::Exception("no room");
  }
}
template <class Number>
void put_number(std::streambuf& out, Number number) {
  const auto bytes = to_bytes(number);
  put(out, {bytes.data(), bytes.size()});
}

void require_version(uint32_t version) {
  if (version == kVersion) return;
  throw std::runtime_error("the format's version is " + std::to_string(version) +
                           ", and only version " + std::to_string(kVersion) + " is known here");
}

// What cereal says is of its own code, or of numbers of bytes.
[[noreturn]] void fail_at(const char* section) {
  throw std::runtime_error(std::string("the snapshot is damaged or cut off at its \"") + section +
                           '"');
}

}  // namespace

void write_binary(const Arrays& arrays, const Extra& extra, std::ostream& out) {
  const char* section = "start";
  try {
    put(*out.rdbuf(), kMagic);
    SummingBuffer buffer(*out.rdbuf());
    put_number(buffer, kVersion);
    std::ostream summed(&buffer);
    cereal::PortableBinaryOutputArchive archive(
        summed, cereal::PortableBinaryOutputArchive::Options::LittleEndian());
    transfer(archive, arrays, extra, section);
    put_number(*out.rdbuf(), buffer.sum());
  } catch (const cereal::Exception&) {
    out.setstate(std::ios::badbit);
  }
}

void write_json(const Arrays& arrays, const Extra& extra, std::ostream& out) {
  const char* section = "start";
  cereal::JSONOutputArchive archive(out, cereal::JSONOutputArchive::Options::NoIndent());
  archive(cereal::make_nvp(kJsonMagic, kVersion));
  transfer(archive, arrays, extra, section);
}

void read_binary(std::istream& in, Arrays& arrays, Extra& extra) {
  std::array<char, kMagic.size()> magic = {};
  in.rdbuf()->sgetn(magic.data(), magic.size());
  if (std::string_view(magic.data(), magic.size()) != kMagic) {
    throw std::runtime_error("this is no snapshot");
  }
  const char* section = "start";
  try {
    SummingBuffer buffer(*in.rdbuf());
    require_version(get<uint32_t>(buffer));
    std::istream summed(&buffer);
    cereal::PortableBinaryInputArchive archive(summed);
    transfer(archive, arrays, extra, section);
    section = "checksum";
    if (get<uint64_t>(*in.rdbuf()) != buffer.sum()) {
      throw std::runtime_error("the checksum is wrong");
    }
  } catch (const cereal::Exception&) {
    fail_at(section);
  }
}

void read_json(std::istream& in, Arrays& arrays, Extra& extra) {
  const char* section = "start";
  try {
    cereal::JSONInputArchive archive(in);
    uint32_t version = 0;
    section = kJsonMagic;
    archive(cereal::make_nvp(kJsonMagic, version));
    require_version(version);
    transfer(archive, arrays, extra, section);
  } catch (const cereal::Exception&) {
    fail_at(section);
  }
}

}  // namespace flipsat::egraph::snapshot
