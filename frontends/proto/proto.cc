#include "frontends/proto/proto.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>

#include "frontends/proto/carried_proto.h"
#include "frontends/proto/module_message.h"
#include "frontends/proto/module_text.h"
#include "frontends/proto/wire.h"
#include "frontends/text/text.h"
#include "hlo/input_error.h"

namespace flipsat::frontends {

using google::protobuf::Message;

namespace {

constexpr std::string_view kExpectedModule =
    "expected an HLO module, found a proto that is cut off or holds none";

template <typename Wrapping>
ProtoFile file_of(hlo_proto::Module* (*find)(Wrapping*)) {
  ProtoFile file;
  auto* message = google::protobuf::Arena::CreateMessage<Wrapping>(file.arena.get());
  file.module = find(message);
  file.message = message;
  return file;
}

ProtoFile empty_file(ProtoKind kind) {
  switch (kind) {
    case ProtoKind::kModule:
      return file_of<hlo_proto::Module>([](auto* m) { return m; });
    case ProtoKind::kProto:
      return file_of<hlo_proto::Proto>([](auto* m) { return m->mutable_module(); });
    case ProtoKind::kSnapshot:
      return file_of<hlo_proto::Snapshot>(
          [](auto* m) { return m->mutable_proto()->mutable_module(); });
    default:
      return file_of<hlo_proto::ModuleWithConfig>([](auto* m) { return m->mutable_module(); });
  }
}

// After parsing, a message's parts stand elsewhere.
void find_parts(ProtoFile& file) {
  if (auto* module = dynamic_cast<hlo_proto::Module*>(file.message)) {
    file.module = module;
  } else if (auto* proto = dynamic_cast<hlo_proto::Proto*>(file.message)) {
    file.module = proto->mutable_module();
  } else if (auto* snapshot = dynamic_cast<hlo_proto::Snapshot*>(file.message)) {
    file.module = snapshot->mutable_proto()->mutable_module();
  } else if (auto* both = dynamic_cast<hlo_proto::ModuleWithConfig*>(file.message)) {
    file.module = both->mutable_module();
    file.config = both->has_config() ? &both->config() : nullptr;
  }
}

ProtoFile parse(const std::string& bytes, const std::string& name) {
  const std::optional<ProtoKind> kind = kind_of_proto(bytes);
  if (!kind || bytes.size() > std::numeric_limits<int>::max()) {
    throw hlo::InputError({name, 1, 1}, kind ? "expected less than 2 GiB of an HLO module"
                                             : std::string(kExpectedModule));
  }
  ProtoFile file = empty_file(*kind);
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  if (!file.message->ParseFromCodedStream(&in) || !in.ConsumedEntireMessage()) {
    throw hlo::InputError({name, 1, in.CurrentPosition() + 1},
                          "expected a whole HLO proto, it is damaged or cut off");
  }
  find_parts(file);
  return file;
}

// The fault's instruction by name: the line is one of a text that the user has not seen.
std::string named(const std::string& text, const hlo::InputError& error) {
  size_t begin = 0;
  for (int line = 1; line < error.place().line && begin != text.npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != text.npos) ++begin;
  }
  if (begin == text.npos) return error.message();
  const size_t name = text.find_first_not_of(" ", begin);
  if (name == text.npos) return error.message();
  size_t from = text.compare(name, 5, "ROOT ") == 0 ? name + 5 : name;
  if (text[from] != '%') return error.message();
  return text.substr(from, text.find(' ', from) - from) + ": " + error.message();
}

ModuleText text_of(const CarriedProto& carried) {
  // Constants and escapes grow a few times; names that are used often may more.
  constexpr size_t kLeast = size_t{64} << 20, kTimes = 64;
  return module_text(*carried.file.module, carried.file.config,
                     kLeast + kTimes * carried.bytes.size());
}

void index(const hlo::Module& module, const ModuleText& text, CarriedProto& carried) {
  carried.instructions.reserve(module.instructions.size());
  for (size_t i = 0; i < module.order.size() && i < text.order.size(); ++i) {
    const hlo::Computation& computation = module.computations[module.order[i]];
    carried.computations[computation.text.begin] = static_cast<int>(i);
    for (size_t k = 0; k < computation.instructions.size() && k < text.order[i].size(); ++k) {
      carried.instructions[module[computation.instructions[k]].text.begin] = {static_cast<int>(i),
                                                                              text.order[i][k]};
    }
  }
}

}  // namespace

bool looks_like_proto(std::string_view bytes) { return begins_as_proto(bytes); }

bool holds_module(std::string_view bytes) { return kind_of_proto(bytes).has_value(); }

hlo::Module read_proto(std::string bytes, const std::string& name) {
  auto carried = std::make_shared<CarriedProto>();
  carried->file = parse(bytes, name);
  carried->bytes = std::move(bytes);
  ModuleText text;
  try {
    text = text_of(*carried);
  } catch (const std::runtime_error& error) {
    throw hlo::InputError({name, 1, 1}, error.what());
  }
  hlo::Module module;
  try {
    module = read_text(std::move(text.text), name);
  } catch (const hlo::InputError& error) {
    const ModuleText again = text_of(*carried);
    throw hlo::InputError({name, 1, 1}, named(again.text, error));
  }
  carried->source = module.source;
  index(module, text, *carried);
  module.carried = std::move(carried);
  return module;
}

const CarriedProto* carried_proto(const hlo::Module& module) {
  const auto* carried = static_cast<const CarriedProto*>(module.carried.get());
  return carried && carried->source == module.source ? carried : nullptr;
}

ProtoFile wrapping_of(const ProtoFile& file) {
  ProtoFile copy;
  copy.message = file.message->New(copy.arena.get());
  copy.message->CopyFrom(*file.message);
  find_parts(copy);
  copy.module->Clear();
  return copy;
}

std::string write_proto(const hlo::Module& module) {
  const CarriedProto* carried = carried_proto(module);
  ProtoFile file = carried ? wrapping_of(carried->file) : empty_file(ProtoKind::kModule);
  if (!set_module(module, carried, file.module)) return carried->bytes;
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);  // maps in one order
  if (file.message->ByteSizeLong() > std::numeric_limits<int>::max() ||
      !file.message->SerializeToCodedStream(&out)) {
    throw hlo::InputError({module.file, 0, 0}, "expected a module of less than 2 GiB as a proto");
  }
  out.Trim();
  return bytes;
}

const std::string& original_bytes(const hlo::Module& module) {
  return carried_proto(module)->bytes;
}

bool was_read_from_proto(const hlo::Module& module) { return carried_proto(module) != nullptr; }

}  // namespace flipsat::frontends
