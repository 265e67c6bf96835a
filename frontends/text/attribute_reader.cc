#include "frontends/text/attribute_reader.h"

#include <charconv>

#include "frontends/text/raw_syntax.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::AttributeSyntax;
using hlo::AttributeValue;

namespace {

// The words that an attribute may hold, with a blank around each; empty: any word.
std::string_view allowed_words(AttributeKey key) {
  switch (key) {
    case AttributeKey::kDirection:
      return " EQ NE GE GT LE LT ";
    case AttributeKey::kType:
      return " FLOAT TOTALORDER SIGNED UNSIGNED ";
    case AttributeKey::kKind:
      return " kLoop kInput kOutput kCustom ";
    case AttributeKey::kDistribution:
      return " rng_uniform rng_normal rng_invalid ";
    case AttributeKey::kFftType:
      return " FFT IFFT RFFT IRFFT ";
    case AttributeKey::kTransposeA:
      return " NO_TRANSPOSE TRANSPOSE ADJOINT TRANSPOSE_INVALID ";
    default:
      return {};
  }
}

}  // namespace

AttributeValue AttributeReader::read(AttributeKey key) {
  switch (hlo::attribute_syntax(key)) {
    case AttributeSyntax::kBool:
      return in_.boolean();
    case AttributeSyntax::kInt:
      return in_.integer("an integer");
    case AttributeSyntax::kFloat:
      return read_float();
    case AttributeSyntax::kWord:
      return read_word(key);
    case AttributeSyntax::kString:
      return unescape(in_.quoted());
    case AttributeSyntax::kInts:
      return read_braced_integers(in_);
    case AttributeSyntax::kIntLists:
      return read_pairs();
    case AttributeSyntax::kSlice:
      return read_slice();
    case AttributeSyntax::kPadding:
      return read_padding();
    case AttributeSyntax::kReplicaGroups:
      return groups_.read();
    case AttributeSyntax::kRaw:
    case AttributeSyntax::kWindow:
    default:
      if (key == AttributeKey::kOther) {
        skip_unknown_value(in_);
      } else {
        skip_raw_value(in_, shapes_, key);
      }
      return std::monostate();
  }
}

std::string AttributeReader::read_word(AttributeKey key) {
  size_t begin = (in_.skip_space(), in_.offset());
  std::string_view word = in_.expect_word("a word");
  std::string_view allowed = allowed_words(key);
  std::string padded = " " + std::string(word) + " ";
  if (!allowed.empty() && allowed.find(padded) == allowed.npos) {
    in_.fail_at(begin, "expected one of" + std::string(allowed.substr(0, allowed.size() - 1)));
  }
  return std::string(word);
}

double AttributeReader::read_float() {
  size_t begin = (in_.skip_space(), in_.offset());
  std::string_view text = in_.number_text();
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    in_.fail_at(begin, "expected a number");
  }
  return value;
}

hlo::IntLists AttributeReader::read_pairs() {
  hlo::IntLists pairs;
  in_.expect('{');
  if (in_.take('}')) return pairs;
  do {
    size_t begin = (in_.skip_space(), in_.offset());
    std::vector<int64_t> pair = read_braced_integers(in_);
    if (pair.size() != 2) in_.fail_at(begin, "expected a pair {source,target}");
    pairs.push_back(std::move(pair));
  } while (in_.take(','));
  in_.expect('}');
  return pairs;
}

hlo::SliceDims AttributeReader::read_slice() {
  hlo::SliceDims dims;
  in_.expect('{');
  if (in_.take('}')) return dims;
  do {
    hlo::SliceDim& dim = dims.emplace_back();
    in_.expect('[');
    dim.start = in_.integer("a start");
    in_.expect(':');
    dim.limit = in_.integer("a limit");
    if (in_.take(':')) dim.stride = in_.integer("a stride");
    in_.expect(']');
  } while (in_.take(','));
  in_.expect('}');
  return dims;
}

hlo::PaddingDims AttributeReader::read_padding() {
  hlo::PaddingDims dims;
  in_.skip_space();
  do {
    if (!dims.empty()) in_.advance();
    hlo::PaddingDim& dim = dims.emplace_back();
    dim.low = in_.integer("padding such as 0_1x2_3");
    if (in_.here() != '_') in_.fail("expected '_' between low and high padding");
    in_.advance();
    dim.high = in_.integer("a number");
    if (in_.here() == '_') {
      in_.advance();
      dim.interior = in_.integer("a number");
    }
  } while (in_.here() == 'x');
  return dims;
}

}  // namespace flipsat::frontends
