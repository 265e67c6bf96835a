#include "frontends/proto/sharding_message.h"

#include "frontends/proto/joined.h"
#include "frontends/proto/metadata_message.h"
#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using hlo_proto::Sharding;

namespace {

std::string type_word(int type) {
  const auto* value = Sharding::Type_descriptor()->FindValueByNumber(type);
  return value ? value->name() : "unknown";
}

std::string tiles_text(const Sharding& message) {
  std::string text = "devices=[" + joined(message.tile_assignment_dimensions()) + ']';
  if (message.iota_reshape_dims_size() > 0) {
    text += "<=[" + joined(message.iota_reshape_dims()) + ']';
    if (message.iota_reshape_dims_size() > 1) {
      text += "T(" + joined(message.iota_transpose_perm()) + ')';
    }
  } else {
    text += joined(message.tile_assignment_devices());
  }
  if (message.replicate_on_last_tile_dim()) text += " last_tile_dim_replicate";
  if (message.last_tile_dims_size() > 0) {
    text += " last_tile_dims={";
    for (int i = 0; i < message.last_tile_dims_size(); ++i) {
      if (i > 0) text += ", ";
      text += type_word(message.last_tile_dims(i));
    }
    text += '}';
  }
  return text;
}

std::string metadata_list_text(const Sharding& message) {
  if (message.metadata_size() == 0) return {};
  std::string text;
  for (const hlo_proto::Metadata& metadata : message.metadata()) {
    if (!text.empty()) text += ", ";
    text += metadata_text(metadata);
  }
  return " metadata=" + (message.metadata_size() > 1 ? '{' + text + '}' : text);
}

std::optional<std::string> text_without_braces(const Sharding& message) {
  if (!message.named_sharding().empty()) return std::nullopt;
  std::string text;
  switch (message.type()) {
    case Sharding::maximal:
      if (message.tile_assignment_devices_size() != 1) return std::nullopt;
      text = "maximal device=" + std::to_string(message.tile_assignment_devices(0));
      break;
    case Sharding::other:
      if (message.tile_assignment_dimensions_size() == 0) return std::nullopt;
      text = tiles_text(message);
      break;
    case Sharding::replicated:
    case Sharding::manual:
    case Sharding::unknown:
    case Sharding::unreduced:
      text = type_word(message.type());
      break;
    default:
      return std::nullopt;
  }
  if (message.is_shard_group()) {
    text += message.shard_group_type() == 0 ? " shard_as " : " shard_like ";
    text += std::to_string(message.shard_group_id());
  }
  return text + metadata_list_text(message);
}

class ShardingText {
 public:
  explicit ShardingText(const std::string& text) : in_(text, "sharding") {}

  bool set(Sharding* message) {
    in_.expect('{');
    if (in_.take('}')) {
      message->set_type(Sharding::tuple);
      return true;
    }
    if (in_.peek() == '{') {
      message->set_type(Sharding::tuple);
      do {
        if (!set(message->add_tuple_shardings())) return false;
      } while (in_.take(','));
      in_.expect('}');
      return true;
    }
    do {
      if (!set_part(message)) return false;
      in_.take(',');
    } while (in_.peek() != '}');
    in_.expect('}');
    return true;
  }

 private:
  template <typename Add>
  void read_list(char open, char close, Add add) {
    in_.expect(open);
    do add(in_.integer("a number"));
    while (in_.take(','));
    in_.expect(close);
  }

  bool set_part(Sharding* message) {
    const std::string_view word = in_.expect_word("a sharding");
    if (word == "mesh" || word == "maximal_mesh") return false;
    if (word == "devices") {
      in_.advance();
      set_tiles(message);
    } else if (word == "maximal" || word == "device") {
      if (word == "maximal") in_.attribute_name();
      if (word == "device") in_.advance();
      message->set_type(Sharding::maximal);
      message->add_tile_assignment_dimensions(1);
      message->add_tile_assignment_devices(in_.integer("a device"));
    } else if (word == "last_tile_dim_replicate") {
      message->set_replicate_on_last_tile_dim(true);
    } else if (word == "last_tile_dims") {
      in_.advance();
      return set_last_tile_dims(message);
    } else if (word == "shard_as" || word == "shard_like") {
      message->set_is_shard_group(true);
      message->set_shard_group_id(in_.integer("a group"));
      message->set_shard_group_type(word == "shard_as" ? 0 : 1);
    } else if (word == "metadata") {
      in_.advance();
      set_metadata_list(message);
    } else {
      Sharding::Type type = Sharding::unknown;
      if (!Sharding::Type_Parse(std::string(word), &type)) return false;
      message->set_type(type);
    }
    return true;
  }

  void set_tiles(Sharding* message) {
    message->set_type(Sharding::other);
    read_list('[', ']', [&](int64_t size) { message->add_tile_assignment_dimensions(size); });
    if (!in_.take("<=")) {
      do message->add_tile_assignment_devices(in_.integer("a device"));
      while (in_.take(','));
      return;
    }
    read_list('[', ']', [&](int64_t size) { message->add_iota_reshape_dims(size); });
    if (in_.take('T')) {
      read_list('(', ')',
                [&](int64_t dim) { message->add_iota_transpose_perm(static_cast<int32_t>(dim)); });
    } else {
      for (int i = 0; i < message->iota_reshape_dims_size(); ++i) {
        message->add_iota_transpose_perm(i);
      }
    }
  }

  bool set_last_tile_dims(Sharding* message) {
    in_.expect('{');
    if (in_.take('}')) return true;
    do {
      Sharding::Type type = Sharding::unknown;
      if (!Sharding::Type_Parse(std::string(in_.expect_word("a word")), &type)) return false;
      message->add_last_tile_dims(type);
    } while (in_.take(','));
    in_.expect('}');
    return true;
  }

  void set_metadata_list(Sharding* message) {
    const size_t begin = (in_.skip_space(), in_.offset());
    in_.expect('{');
    const bool several = in_.peek() == '{';
    if (!several) {
      in_.seek(begin);
      set_metadata(in_.balanced(), message->add_metadata());
      return;
    }
    do set_metadata(in_.balanced(), message->add_metadata());
    while (in_.take(','));
    in_.expect('}');
  }

  Scanner in_;
};

}  // namespace

std::optional<std::string> sharding_text(const Sharding& message) {
  if (message.type() != Sharding::tuple) {
    std::optional<std::string> text = text_without_braces(message);
    if (text) text = '{' + *text + '}';
    return text;
  }
  std::string text = "{";
  constexpr int kBetweenIndexComments = 5;
  for (int i = 0; i < message.tuple_shardings_size(); ++i) {
    std::optional<std::string> inner = text_without_braces(message.tuple_shardings(i));
    if (!inner) return std::nullopt;
    if (i > 0) text += ", ";
    if (i > 0 && i % kBetweenIndexComments == 0) text += "/*index=" + std::to_string(i) + "*/";
    text += '{' + *inner + '}';
  }
  return text + '}';
}

bool set_sharding(std::string_view text, Sharding* message) {
  const std::string source(text);
  message->Clear();
  if (ShardingText(source).set(message)) return true;
  message->Clear();
  return false;
}

}  // namespace flipsat::frontends
