// Text to proto and back is the same program, attribute for attribute.
#include "frontends/text/same_structure.h"
#include "tests/catch.h"
#include "tests/frontends/proto/samples.h"

namespace flipsat::frontends {

TEST_CASE("every kind of attribute passes through a proto") {
  for (const std::string& body : bodies()) {
    INFO(body);
    const hlo::Module module = read(sample(body));
    const std::string bytes = write_proto(module);
    const hlo::Module back = read_proto(bytes, "t.pb");
    CHECK(first_difference(module, back) == "");
    // Nothing touched: the bytes again. All touched: built anew, yet the same message.
    CHECK(write_proto(back) == bytes);
    hlo::Module touched = back;
    for (hlo::Instruction& instruction : touched.instructions) instruction.touched = true;
    CHECK(write_proto(touched) == bytes);
  }
}

TEST_CASE("literals of all types pass through a proto bit by bit") {
  const char* literals[] = {
      "pred[2]{0} constant({1, 0})",
      "s1[2]{0} constant({0, -1})",
      "s2[3]{0} constant({1, -2, 0})",
      "s4[3]{0} constant({7, -8, -1})",
      "s8[2]{0} constant({127, -128})",
      "s16[2]{0} constant({32767, -32768})",
      "s32[2]{0} constant({2147483647, -2147483648})",
      "s64[2]{0} constant({9223372036854775807, -9223372036854775808})",
      "u1[2]{0} constant({0, 1})",
      "u2[2]{0} constant({0, 3})",
      "u4[2]{0} constant({0, 15})",
      "u8[2]{0} constant({0, 255})",
      "u16[2]{0} constant({0, 65535})",
      "u32[2]{0} constant({0, 4294967295})",
      "u64[1]{0} constant({18446744073709551615})",
      "f16[4]{0} constant({1.5, -inf, nan, -0})",
      "bf16[4]{0} constant({1.5, -inf, nan, -0})",
      "f32[4]{0} constant({0.1, inf, -nan(0x7), 1e-45})",
      "f64[2]{0} constant({0.1, 4.9e-324})",
      "c64[2]{0} constant({(1, -2), (0.5, inf)})",
      "c128[1]{0} constant({(1, -2)})",
      "f8e5m2[2]{0} constant({1.5, -inf})",
      "f8e4m3[2]{0} constant({1.5, -inf})",
      "f8e4m3fn[2]{0} constant({1.5, nan})",
      "f8e4m3b11fnuz[2]{0} constant({1.5, nan})",
      "f8e3m4[2]{0} constant({1.5, inf})",
      "f8e5m2fnuz[2]{0} constant({1.5, nan})",
      "f8e4m3fnuz[2]{0} constant({1.5, nan})",
      "f8e8m0fnu[2]{0} constant({2, nan})",
      "f4e2m1fn[2]{0} constant({1.5, -6})",
      "f6e3m2fn[2]{0} constant({1.5, -28})",
      "f6e2m3fn[2]{0} constant({1.5, -7.5})",
      "f32[2,0,3]{2,1,0} constant({ {}, {} })",
      "f32[2,2]{0,1} constant({ { 1, 2 }, { 3, 4 } })",
      "(s32[], (f32[2]{0})) constant((3, ({1, 2})))",
      "f32[9]{0} constant({...})",
  };
  for (const char* literal : literals) {
    INFO(literal);
    const hlo::Module module = read(in_entry(std::string("ROOT r = ") + literal));
    CHECK(first_difference(module, through_proto(module)) == "");
  }
}

TEST_CASE("old and new spellings of replica groups are read") {
  hlo_proto::Module message = message_of(read(sample(bodies()[0])));
  hlo_proto::Instruction* gather = find(message, "g");
  const auto groups = [&] {
    const hlo::Module module = read_proto(message.SerializeAsString(), "t.pb");
    const hlo::Instruction& g = module[frontends::find(module, "g")];
    return std::string(g.raw_text(hlo::AttributeKey::kReplicaGroups));
  };
  CHECK(groups() == "{{0,1},{2,3}}");
  gather->mutable_collective_device_list()->mutable_replica_groups()->Swap(
      gather->mutable_replica_groups());
  CHECK(groups() == "{{0,1},{2,3}}");
  hlo_proto::IotaGroups* iota =
      gather->mutable_collective_device_list()->mutable_iota_replica_group_list();
  iota->set_num_replica_groups(2);
  iota->set_num_devices_per_group(2);
  iota->add_iota_reshape_dims(2);
  iota->add_iota_reshape_dims(2);
  iota->add_iota_transpose_perm(1);
  iota->add_iota_transpose_perm(0);
  CHECK(groups() == "[2,2]<=[2,2]T(1,0)");
  gather->set_all_reduce_id(9);
  gather->set_channel_id(0);
  CHECK(read_proto(message.SerializeAsString(), "t.pb").source->find("channel_id=9") !=
        std::string::npos);
}

TEST_CASE("iota groups are spelled out too, for readers that do not know them") {
  hlo_proto::Module message = message_of(read(sample(bodies()[3])));
  const hlo_proto::Instruction* gather = find(message, "g");
  CHECK(gather->has_iota_collective_device_list());
  REQUIRE(gather->replica_groups_size() == 2);
  CHECK(gather->replica_groups(1).replica_ids(0) == 2);
}

}  // namespace flipsat::frontends
