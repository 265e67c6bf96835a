// Which bytes are protos, of which kind, and how bad ones are refused.
#include "tests/catch.h"
#include "tests/frontends/proto/samples.h"

namespace flipsat::frontends {

namespace {

std::string sample_bytes() { return write_proto(read(sample("ROOT r = f32[2,3]{1,0} copy(p)"))); }

hlo_proto::Module sample_message() {
  hlo_proto::Module message;
  message.ParseFromString(sample_bytes());
  return message;
}

}  // namespace

TEST_CASE("the wrapping of a module is told by its content and kept") {
  const std::string bare = sample_bytes();
  hlo_proto::Proto proto;
  proto.mutable_module()->ParseFromString(bare);
  proto.GetReflection()->MutableUnknownFields(&proto)->AddLengthDelimited(3, "buffers");
  hlo_proto::ModuleWithConfig both;
  both.mutable_module()->ParseFromString(bare);
  both.mutable_module()->clear_device_assignment();
  both.mutable_config()->set_replica_count(3);
  both.mutable_config()->set_num_partitions(5);
  hlo_proto::Snapshot snapshot;
  *snapshot.mutable_proto() = proto;
  snapshot.GetReflection()->MutableUnknownFields(&snapshot)->AddLengthDelimited(4, "platform");
  for (const std::string& bytes :
       {bare, proto.SerializeAsString(), both.SerializeAsString(), snapshot.SerializeAsString()}) {
    CHECK(looks_like_proto(bytes));
    CHECK(holds_module(bytes));
    hlo::Module module = read_proto(bytes, "t.pb");
    CHECK(write_proto(module) == bytes);
    for (hlo::Instruction& instruction : module.instructions) instruction.touched = true;
    CHECK(write_proto(module) == bytes);
  }
  const hlo::Module configured = read_proto(both.SerializeAsString(), "t.pb");
  CHECK(configured.replica_count == 3);
  CHECK(configured.num_partitions == 5);
}

TEST_CASE("text is never taken for a proto") {
  for (const std::string& text :
       {std::string("HloModule m\n"), std::string("\nHloModule m\n"), std::string("\n\n%a {"),
        std::string("\n\"x\" = "), std::string("// c\n"), std::string(), std::string("\n"),
        "\nH" + std::string(72, 'x'), "\n\n" + std::string(10, 'x')}) {
    INFO(text);
    CHECK_FALSE(looks_like_proto(text));
    CHECK_FALSE(holds_module(text));
  }
}

TEST_CASE("a device assignment says how many devices there are") {
  const hlo::Module module = read_proto(sample_bytes(), "t.pb");
  CHECK(module.replica_count == 2);
  CHECK(module.num_partitions == 4);
  CHECK(sample_message().device_assignment().computation_devices(1).replica_device_ids(1) == 5);
}

TEST_CASE("bad protos are refused with a place or a name") {
  const std::string bytes = sample_bytes();
  const std::string cut = proto_error(bytes.substr(0, bytes.size() / 2));
  CHECK(cut.find("t.pb:1:") == 0);
  CHECK(cut.find("expected a whole HLO proto, it is damaged or cut off") != std::string::npos);
  CHECK(proto_error("\x12\x03"
                    "abc") ==
        "t.pb:1:1: error: expected an HLO module, found a proto that is cut off or holds none");

  const auto refusal = [](auto change) {
    hlo_proto::Module message = sample_message();
    change(message);
    return proto_error(message.SerializeAsString());
  };
  CHECK(refusal([](auto& m) { find(m, "r")->set_operand_ids(0, 1 << 20); }) ==
        "t.pb:1:1: error: %r: expected an instruction of the same computation, found id 1048576");
  CHECK(refusal([](auto& m) { find(m, "r")->mutable_shape()->set_element_type(99); }) ==
        "t.pb:1:1: error: expected an element type, found number 99");
  CHECK(refusal([](auto& m) { find(m, "r")->set_opcode("frobnicate"); }).find("%r: expected an") !=
        std::string::npos);
  CHECK(refusal([](auto& m) {
          m.set_entry_computation_id(99), m.clear_entry_computation_name();
        }) == "t.pb:1:1: error: expected an entry computation");
  CHECK(refusal([](auto& m) { find(m, "n")->mutable_literal()->add_s32s(2); }) ==
        "t.pb:1:1: error: %n: expected 1 elements in the literal");
  CHECK(refusal([](auto& m) { find(m, "r")->set_id(find(m, "p")->id()); }) ==
        "t.pb:1:1: error: %r: expected an id of its own");
}

TEST_CASE("messages that would be far longer as text are refused") {
  hlo_proto::Module message = sample_message();
  find(message, "p")->set_name(std::string(1 << 20, 'p'));
  hlo_proto::Instruction* r = find(message, "r");
  for (int i = 0; i < 1 << 20; ++i) r->add_operand_ids(r->operand_ids(0));
  CHECK(proto_error(message.SerializeAsString()).find("many times longer as text") !=
        std::string::npos);
}

TEST_CASE("deep messages are refused") {
  hlo_proto::Module message = sample_message();
  hlo_proto::Shape* shape = find(message, "r")->mutable_shape();
  for (int i = 0; i < 10000; ++i) {
    shape->Clear();
    shape->set_element_type(static_cast<int>(hlo::ElementType::kTuple));
    shape = shape->add_tuple_shapes();
  }
  shape->set_element_type(11);
  CHECK(proto_error(message.SerializeAsString()).find("damaged") != std::string::npos);
}

TEST_CASE("names that text cannot spell, or has twice, are made so that it can") {
  hlo_proto::Module message = sample_message();
  find(message, "r")->set_name("a b/c");
  find(message, "n")->set_name("s");
  const std::string bytes = message.SerializeAsString();
  const hlo::Module module = read_proto(bytes, "t.pb");
  CHECK(find(module, "a_b_c") != hlo::kNoId);
  CHECK(find(module, "s.1") != hlo::kNoId);
  CHECK(write_proto(module) == bytes);
}

}  // namespace flipsat::frontends
