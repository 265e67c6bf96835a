#include "frontends/text/sharding_syntax.h"

#include <vector>

namespace flipsat::frontends {
namespace {

int64_t product_of_list(Scanner& in, char open, char close) {
  size_t begin = (in.skip_space(), in.offset());
  int64_t product = 1;
  in.expect(open);
  do {
    if (__builtin_mul_overflow(product, in.non_negative("a size"), &product)) {
      in.fail_at(begin, "expected sizes whose product fits 64 bits");
    }
  } while (in.take(','));
  in.expect(close);
  return product;
}

// `[2,1]0,1` or `[2,1]<=[2]`, after `devices=`.
void skip_tile_assignment(Scanner& in) {
  size_t begin = (in.skip_space(), in.offset());
  int64_t tiles = product_of_list(in, '[', ']');
  int64_t devices = 0;
  if (in.take("<=")) {
    devices = product_of_list(in, '[', ']');
    if (in.take('T')) product_of_list(in, '(', ')');
  } else {
    do {
      in.non_negative("a device id");
      ++devices;
    } while (in.take(','));
  }
  if (devices != tiles) {
    in.fail_at(begin,
               "expected " + std::to_string(tiles) + " devices, found " + std::to_string(devices));
  }
}

void skip_word_list(Scanner& in) {
  in.expect('{');
  if (in.take('}')) return;
  do in.expect_word("a word");
  while (in.take(','));
  in.expect('}');
}

void skip_named_value(Scanner& in, std::string_view name, size_t begin) {
  if (name == "devices") return skip_tile_assignment(in);
  if (name == "device") {
    in.non_negative("a device id");
  } else if (name == "last_tile_dims") {
    skip_word_list(in);
  } else if (name == "metadata") {
    if (in.peek() != '{') in.fail("expected '{'");
    in.balanced();
  } else {
    in.fail_at(begin, "expected a sharding");
  }
}

// One or more of: a word, a word and a number, `name=value`; up to the closing brace.
void skip_parts(Scanner& in) {
  do {
    size_t begin = (in.skip_space(), in.offset());
    std::string_view word = in.expect_word("a sharding");
    if (in.here() == '=') {
      in.advance();
      skip_named_value(in, word, begin);
    } else if (word == "shard_as" || word == "shard_like") {
      in.non_negative("a group number");
    } else if (word == "maximal") {
      size_t device = (in.skip_space(), in.offset());
      if (in.attribute_name() != "device") in.fail_at(device, "expected device=");
      in.non_negative("a device id");
    } else if (word != "replicated" && word != "manual" && word != "unknown" &&
               word != "unreduced" && word != "last_tile_dim_replicate") {
      in.fail_at(begin, "expected a sharding");
    }
    in.take(',');
  } while (in.peek() != '}');
}

}  // namespace

void skip_sharding(Scanner& in) {
  size_t begin = (in.skip_space(), in.offset());
  in.expect('{');
  if (in.take('}')) return;
  if (in.peek() == '{') {
    do {
      // Tuples of shardings do not nest.
      size_t element = (in.skip_space(), in.offset());
      in.expect('{');
      if (in.peek() == '{') in.fail("expected a sharding that is not a tuple");
      in.seek(element);
      skip_sharding(in);
    } while (in.take(','));
    in.expect('}');
    return;
  }
  size_t word_begin = in.offset();
  std::string_view word = in.expect_word("a sharding");
  bool named = (word == "mesh" || word == "maximal_mesh") && in.here() == '[';
  in.seek(named ? begin : word_begin);
  if (named) {
    in.balanced();
    return;
  }
  skip_parts(in);
  in.expect('}');
}

}  // namespace flipsat::frontends
