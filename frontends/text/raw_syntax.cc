#include "frontends/text/raw_syntax.h"

#include <algorithm>

#include "frontends/text/literal_reader.h"
#include "frontends/text/sharding_syntax.h"

namespace flipsat::frontends {

using hlo::AttributeKey;

namespace {

// `{key="text" key=3 key={...}}`; separated by blanks or commas.
void skip_metadata(Scanner& in) {
  in.expect('{');
  while (!in.take('}')) {
    in.attribute_name();
    switch (in.peek()) {
      case '"':
      case '\'':
        in.quoted();
        break;
      case '{':
        in.balanced();
        break;
      default:
        if (in.number_text().empty()) in.fail("expected a value");
    }
    in.take(',');
  }
}

// A list such as 2x3 or 0_1x-2_3_1: integers joined by the separators.
void skip_dims_by(Scanner& in, size_t least, size_t most) {
  size_t begin = (in.skip_space(), in.offset());
  do {
    size_t parts = 1;
    in.integer("a number");
    while (in.here() == '_') {
      in.advance();
      in.integer("a number");
      ++parts;
    }
    if (parts < least || parts > most) in.fail_at(begin, "expected a list such as 2x3 or 0_1x2_3");
    if (in.here() != 'x') return;
    in.advance();
  } while (true);
}

void skip_window(Scanner& in) {
  in.expect('{');
  while (!in.take('}')) {
    size_t begin = (in.skip_space(), in.offset());
    std::string_view name = in.attribute_name();
    if (name == "pad") {
      skip_dims_by(in, 2, 3);
    } else if (name == "size" || name == "stride" || name == "lhs_dilate" || name == "rhs_dilate" ||
               name == "rhs_reversal") {
      skip_dims_by(in, 1, 1);
    } else {
      in.fail_at(begin, "expected size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal");
    }
  }
}

// b01f_01io->b01f
void skip_dim_labels(Scanner& in) {
  size_t begin = (in.skip_space(), in.offset());
  auto run = [&](std::string_view allowed) {
    int count = 0;
    for (; is_digit(in.here()) || allowed.find(in.here()) != allowed.npos; in.advance()) ++count;
    if (count < 2) in.fail_at(begin, "expected dim labels such as b01f_01io->b01f");
  };
  auto symbol = [&](char c) {
    if (in.here() != c) in.fail_at(begin, "expected dim labels such as b01f_01io->b01f");
    in.advance();
  };
  run("bf?");
  symbol('_');
  run("io?");
  symbol('-');
  symbol('>');
  run("bf?");
}

void skip_words(Scanner& in) {
  in.expect('{');
  if (in.take('}')) return;
  do in.expect_word("a word");
  while (in.take(','));
  in.expect('}');
}

void skip_braced_shapes(Scanner& in, ShapeReader& shapes) {
  in.expect('{');
  if (in.take('}')) return;
  do shapes.read();
  while (in.take(','));
  in.expect('}');
}

// `{1,8}` of a gather, `{{1},{2}}` of a permute.
void skip_slice_sizes(Scanner& in) {
  size_t begin = (in.skip_space(), in.offset());
  in.expect('{');
  bool nested = in.peek() == '{';
  in.seek(begin);
  if (!nested) {
    read_braced_integers(in);
    return;
  }
  in.expect('{');
  do read_braced_integers(in);
  while (in.take(','));
  in.expect('}');
}

void skip_domain(Scanner& in) {
  in.expect('{');
  for (std::string_view part : {"kind", "entry", "exit"}) {
    if (part != "kind") in.expect(',');
    size_t begin = (in.skip_space(), in.offset());
    if (in.attribute_name() != part) in.fail_at(begin, "expected " + std::string(part));
    if (part == "kind") {
      in.quoted();
    } else {
      skip_sharding(in);
    }
  }
  in.expect('}');
}

void skip_statistics(Scanner& in) {
  in.expect('{');
  if (in.take('}')) return;
  do {
    in.attribute_name();
    if (in.number_text().empty()) in.fail("expected a number");
  } while (in.take(','));
  in.expect('}');
}

void expect_brace(Scanner& in) {
  if (in.peek() != '{') in.fail("expected '{'");
}

}  // namespace

std::vector<int64_t> read_braced_integers(Scanner& in) {
  std::vector<int64_t> values;
  in.expect('{');
  if (in.take('}')) return values;
  do values.push_back(in.integer("an integer"));
  while (in.take(','));
  in.expect('}');
  return values;
}

void skip_booleans(Scanner& in) {
  if (in.peek() != '{') {
    in.boolean();
    return;
  }
  in.expect('{');
  if (in.take('}')) return;
  do in.boolean();
  while (in.take(','));
  in.expect('}');
}

void skip_frontend_attributes(Scanner& in) {
  in.expect('{');
  if (in.take('}')) return;
  do {
    in.attribute_name();
    if (in.peek() == '{') {
      in.braced_json();
    } else {
      in.quoted();
    }
  } while (in.take(','));
  in.expect('}');
}

void skip_aliasing(Scanner& in, bool with_kind) {
  in.expect('{');
  if (in.take('}')) return;
  do {
    read_braced_integers(in);
    in.expect(':');
    in.expect('(');
    in.non_negative("a parameter number");
    in.expect(',');
    read_braced_integers(in);
    if (with_kind && in.take(',')) {
      size_t begin = (in.skip_space(), in.offset());
      std::string_view kind = in.word();
      if (kind != "may-alias" && kind != "must-alias") {
        in.fail_at(begin, "expected may-alias or must-alias");
      }
    }
    in.expect(')');
  } while (in.take(','));
  in.expect('}');
}

void skip_buffer_donors(Scanner& in) {
  in.expect('{');
  if (in.take('}')) return;
  do {
    in.expect('(');
    in.non_negative("a parameter number");
    in.expect(',');
    read_braced_integers(in);
    in.expect(')');
  } while (in.take(','));
  in.expect('}');
}

void skip_raw_value(Scanner& in, ShapeReader& shapes, AttributeKey key) {
  switch (key) {
    case AttributeKey::kMetadata:
      return skip_metadata(in);
    case AttributeKey::kSharding:
      return skip_sharding(in);
    case AttributeKey::kFrontendAttributes:
      return skip_frontend_attributes(in);
    case AttributeKey::kBackendConfig:
      in.peek() == '{' ? in.braced_json() : in.quoted();
      return;
    case AttributeKey::kWindow:
      return skip_window(in);
    case AttributeKey::kDimLabels:
      return skip_dim_labels(in);
    case AttributeKey::kOperandPrecision:
      return skip_words(in);
    case AttributeKey::kOperandLayoutConstraints:
      return skip_braced_shapes(in, shapes);
    case AttributeKey::kOutfeedShape:
      shapes.read();
      return;
    case AttributeKey::kLiteral:
      read_literal(in, shapes.read());
      return;
    case AttributeKey::kSliceSizes:
      return skip_slice_sizes(in);
    case AttributeKey::kOutputToOperandAliasing:
      return skip_aliasing(in, false);
    case AttributeKey::kParameterReplication:
      expect_brace(in);
      return skip_booleans(in);
    case AttributeKey::kDomain:
      return skip_domain(in);
    case AttributeKey::kStatistics:
      return skip_statistics(in);
    default:  // origin, result_accuracy, sparsity_config
      expect_brace(in);
      in.balanced();
  }
}

void skip_unknown_value(Scanner& in) {
  in.skip_space();
  size_t begin = in.offset();
  while (true) {
    switch (in.here()) {
      case '{':
      case '(':
      case '[':
        in.balanced();
        continue;
      case '"':
      case '\'':
        in.quoted();
        continue;
      case ' ':
      case '\t':
      case '\r':
      case '\n':
      case ',':
      case '}':
      case ')':
      case ']':
      case '\0':
        if (in.offset() == begin) in.fail("expected a value");
        return;
      default:
        in.advance();
    }
  }
}

}  // namespace flipsat::frontends
