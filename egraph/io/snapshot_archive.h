// What stands in a snapshot, in the words of cereal's archives. For snapshot.cc alone: cereal stays
// out of what clients include.
#pragma once

// Not on the stack: a file may nest as deep as it likes.
#define RAPIDJSON_PARSE_DEFAULT_FLAGS kParseIterativeFlag
#include <cereal/archives/json.hpp>
#include <cereal/archives/portable_binary.hpp>
#include <string>
#include <vector>

#include "egraph/arrays.h"

namespace flipsat::egraph::snapshot {

enum DataForm : uint32_t {
  kNoData,       // the graph has no analysis
  kDataByMake,   // left out
  kDataWritten,  // by the client
};

// What is no array of an e-graph as it stands there.
struct Extra {
  std::vector<uint32_t> operators;  // kind and payload of each
  std::vector<uint32_t> unordered;  // kinds
  GrowArray<uint32_t> words;        // those of the graph, names made canonical
  std::vector<Edge> edges;
  uint32_t has_history = 0;
  uint32_t has_given_data = 0;
  uint32_t data_form = kNoData;
  std::vector<uint32_t> data_sizes;  // by class in increasing order: of its piece of `data`
  std::string data;

  const char* section = "start";  // that is being read or written, for messages
};

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
    archive(cereal::binary_data(words.grow(piece),
                                piece * sizeof(typename Words<Array>::Element)));
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

// Both ways: `State` is Arrays or const Arrays, `Words` and numbers follow.
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
  archive(cereal::make_nvp("data", Bytes<std::remove_reference_t<decltype(extra.data)>>{extra.data}));
}

}  // namespace flipsat::egraph::snapshot
