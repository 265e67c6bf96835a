// Shapes, literals, replica groups and attribute values.
#include <cmath>
#include <cstring>

#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Literal;
using hlo::Module;
using hlo::Shape;

namespace {

Shape shape_of(const std::string& spelling) {
  Module m = read("e { a = " + spelling + " parameter(0) }");
  return m[m.entry_computation().root].shape;
}

hlo::LiteralRef literal_of(const std::string& shape, const std::string& text) {
  Module m = read("e { a = " + shape + " constant(" + text + ") }");
  return m[m.entry_computation().root].literal;
}

uint64_t bits_of(const std::string& type, const std::string& text) {
  return *literal_of(type + "[]", text)->bits_at(0);
}

hlo::ReplicaGroups groups_of(const std::string& text) {
  Module m = read(in_entry("  r = f32[] all-reduce(s), replica_groups=" + text + ", to_apply=add"));
  return *std::get<hlo::ReplicaGroupsRef>(
      m[find(m, "r")].find(AttributeKey::kReplicaGroups)->value);
}

// Reads one instruction `r` with these attributes on a custom call, which takes them all.
Module with(const std::string& attributes) {
  return read(in_entry("  r = f32[] custom-call(s), custom_call_target=\"t\", " + attributes));
}

template <typename Value>
Value value_of(const std::string& attribute) {
  Module m = with(attribute);
  const Instruction& r = m[find(m, "r")];
  REQUIRE(r.attributes.size() == 2);
  return std::get<Value>(r.attributes[1].value);
}

}  // namespace

TEST_CASE("shapes") {
  Shape a = shape_of("bf16[2,<=3,?]{2,0,1:T(8,128)(2,1)E(4)S(5)}");
  CHECK(a.type == ElementType::kBF16);
  CHECK(a.dims == hlo::Dims{2, 3, hlo::kUnboundedDim});
  CHECK(a.dynamic == 6);
  REQUIRE(a.layout);
  CHECK(a.layout->minor_to_major == std::vector<int64_t>{2, 0, 1});
  CHECK(a.layout->extras == "T(8,128)(2,1)E(4)S(5)");
  CHECK(a.layout->element_bits == 4);
  CHECK(a.layout->memory_space == 5);
  CHECK(shape_of("s32[]{:T(128)}").layout->extras == "T(128)");
  CHECK(shape_of("f32[ 2 , /* c */ 3 ]").dims == hlo::Dims{2, 3});
  CHECK_FALSE(shape_of("f32[2,3]").layout);
  CHECK(shape_of("()").parts->empty());
  CHECK(shape_of("(f32[], /*index=1*/(token[], opaque[]))").parts->size() == 2);
  CHECK(shape_of("b(f32[4])").type == ElementType::kBuffer);
  CHECK(shape_of("f32[2]{0:D(D)T(*,8)L(2)#(u32)*(u8)SC(0:1,2)M(16)}").layout->extras ==
        "D(D)T(*,8)L(2)#(u32)*(u8)SC(0:1,2)M(16)");
  for (const char* type : {"pred",
                           "s1",
                           "s2",
                           "s4",
                           "u1",
                           "u2",
                           "u4",
                           "f8e5m2",
                           "f8e4m3",
                           "f8e4m3fn",
                           "f8e4m3b11fnuz",
                           "f8e3m4",
                           "f8e5m2fnuz",
                           "f8e4m3fnuz",
                           "f8e8m0fnu",
                           "f4e2m1fn",
                           "f6e3m2fn",
                           "f6e2m3fn",
                           "c64",
                           "c128"}) {
    INFO(type);
    CHECK(to_string(shape_of(std::string(type) + "[7]").type) == type);
  }
}

TEST_CASE("layouts that are spelled alike are shared") {
  Module m = read("e { a = f32[2,3]{0,1} parameter(0) b = f32[3,2]{0,1} parameter(1) }");
  CHECK(m.instructions[0].shape.layout == m.instructions[1].shape.layout);
  CHECK(error_of("e { a = f32[2,3]{0,1} parameter(0) b = f32[3]{0,1} parameter(1) }") ==
        "1:46: expected a layout of 1 dims, found 2");
}

TEST_CASE("literals hold typed bytes") {
  CHECK(literal_of("s32[2,2]", "{ {-2147483648, 2147483647}, /*i0=1*/ {0, 7} }")->integer_at(0) ==
        INT32_MIN);
  CHECK(literal_of("s4[2]", "{-8, 7}")->bytes == std::vector<uint8_t>{0xf8, 7});
  CHECK(literal_of("pred[4]", "{1, 0, true, false}")->bytes == std::vector<uint8_t>{1, 0, 1, 0});
  CHECK(literal_of("u64[]", "18446744073709551615")->bits_at(0) == UINT64_MAX);
  CHECK(literal_of("f64[]", "-1.25e-2")->float_at(0) == -0.0125);
  CHECK(literal_of("c64[1]", "{(1, -2)}")->bytes.size() == 8);
  CHECK(literal_of("f32[0]", "{}")->bytes.empty());
  CHECK(literal_of("f32[2,0]", "{ {}, {} }")->bytes.empty());
  CHECK(literal_of("f32[3]", "{1 2, 3}")->bytes.size() == 12);
  hlo::LiteralRef tuple = literal_of("(f32[2], (s32[]))", "( {1, 2}, (3) )");
  CHECK(tuple->parts[1]->parts[0]->integer_at(0) == 3);
  CHECK(literal_of("f32[1000000000000,1000]", "{...}")->elided);
  CHECK(literal_of("f32[1000000000000,1000]", "{...}")->bytes.empty());
}

TEST_CASE("floats are rounded to the nearest, ties to even") {
  CHECK(bits_of("f32", "3.40282347e+38") == 0x7f7fffff);
  CHECK(bits_of("f32", "1e-46") == 0);
  CHECK(bits_of("f32", "-0") == 0x80000000);
  CHECK(bits_of("f32", "1e-45") == 1);
  CHECK(bits_of("f64", "1e-400") == 0);
  CHECK(bits_of("f16", "65519") == 0x7bff);
  CHECK(bits_of("f16", "5.9604645e-8") == 1);
  CHECK(bits_of("f16", "2049") == 0x6800);
  CHECK(bits_of("f16", "2051") == 0x6802);
  CHECK(bits_of("bf16", "1.00390625") == 0x3f80);
  CHECK(bits_of("bf16", "-inf") == 0xff80);
  CHECK(bits_of("f8e4m3fn", "448") == 0x7e);
  CHECK(bits_of("f8e4m3fn", "nan") == 0x7f);
  CHECK(bits_of("f8e5m2", "57344") == 0x7b);
  CHECK(bits_of("f8e5m2", "inf") == 0x7c);
  CHECK(bits_of("f8e4m3fnuz", "nan") == 0x80);
  CHECK(bits_of("f8e4m3fnuz", "-0") == 0);
  CHECK(bits_of("f8e4m3fnuz", "240") == 0x7f);
  CHECK(bits_of("f4e2m1fn", "6") == 7);
  CHECK(bits_of("f4e2m1fn", "-0.5") == 9);
  CHECK(bits_of("f8e8m0fnu", "1") == 127);
  CHECK(bits_of("f8e8m0fnu", "4") == 129);
}

TEST_CASE("NaNs keep sign and payload") {
  CHECK(bits_of("f32", "nan") == 0x7fc00000);
  CHECK(bits_of("f32", "-nan") == 0xffc00000);
  CHECK(bits_of("f32", "nan(0x7)") == 0x7f800007);
  CHECK(bits_of("f64", "-nan(0x1)") == 0xfff0000000000001);
}

TEST_CASE("replica groups in three spellings") {
  using Groups = hlo::ReplicaGroups;
  CHECK(groups_of("{}").empty());
  CHECK(groups_of("{{0,1},{2,3}}") == Groups{{0, 1}, {2, 3}});
  CHECK(groups_of("[2,2]<=[4]") == Groups{{0, 1}, {2, 3}});
  CHECK(groups_of("[2,2]<=[2,2]T(1,0)") == Groups{{0, 2}, {1, 3}});
  CHECK(groups_of("[4,2]<=[2,2,2]T(1,2,0)") == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(groups_of("mesh['x'=2,'y'=2] {'y'}") == Groups{{0, 1}, {2, 3}});
  CHECK(groups_of("mesh['x'=2,'y'=2] {'x'}") == Groups{{0, 2}, {1, 3}});
  CHECK(groups_of("mesh['x'=2,'y'=2] {'y','x'}") == Groups{{0, 2, 1, 3}});
  CHECK(groups_of("mesh['x'=2,'y'=2] {}") == Groups{{0}, {1}, {2}, {3}});
  CHECK(groups_of("mesh['x'=2,'y'=2], device_ids=(3,2,1,0) {'y'}") == Groups{{3, 2}, {1, 0}});
  CHECK(groups_of("mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'y'}") == Groups{{0, 2}, {1, 3}});
  CHECK(groups_of("mesh['x'=4], device_ids=([4]) {'x'}") == Groups{{0, 1, 2, 3}});
  CHECK(groups_of("mesh['x'=4] {'x':(1)2}") == Groups{{0, 2}, {1, 3}});
  CHECK(groups_of("mesh['x'=4] {'x':(2)2}") == Groups{{0, 1}, {2, 3}});
  CHECK(groups_of("mesh['x'=8] {'x':(4)2,'x':(1)2}") == Groups{{0, 4, 1, 5}, {2, 6, 3, 7}});
}

TEST_CASE("groups that are spelled alike are shared") {
  Module m =
      read(in_entry("  r = f32[] all-reduce(s), replica_groups=[2,2]<=[4], to_apply=add\n"
                    "  q = f32[] all-reduce(s), to_apply=add, replica_groups=[2,2]<=[4]"));
  auto groups = [&](const char* name) {
    return std::get<hlo::ReplicaGroupsRef>(
        m[find(m, name)].find(AttributeKey::kReplicaGroups)->value);
  };
  CHECK(groups("r") == groups("q"));
}

TEST_CASE("attribute values") {
  CHECK(value_of<hlo::IntList>("dimensions={1,0}") == hlo::IntList{1, 0});
  CHECK(value_of<int64_t>("channel_id=-7") == -7);
  CHECK(value_of<bool>("is_stable=true"));
  CHECK(value_of<double>("epsilon=1e-05") == 1e-05);
  CHECK(value_of<std::string>("direction=LE") == "LE");
  CHECK(value_of<std::string>("infeed_config=\"a\\n\\\"b\\\\\\101\"") == "a\n\"b\\A");
  CHECK(value_of<hlo::IntLists>("source_target_pairs={{0,1},{1,0}}") ==
        hlo::IntLists{{0, 1}, {1, 0}});
  CHECK(value_of<hlo::SliceDims>("slice={[0:4], [1:9:2]}") == hlo::SliceDims{{0, 4, 1}, {1, 9, 2}});
  CHECK(value_of<hlo::PaddingDims>("padding=0_1x-2_3_1") ==
        hlo::PaddingDims{{0, 1, 0}, {-2, 3, 1}});
  CHECK(value_of<std::string>("api_version=API_VERSION_UNSPECIFIED") == "API_VERSION_UNSPECIFIED");
}

TEST_CASE("attributes that are kept as spelling") {
  for (const char* attribute :
       {"sharding={replicated}",
        "sharding={maximal device=3}",
        "sharding={manual}",
        "sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
        "sharding={devices=[2,1,2]0,1,2,3 last_tile_dims={manual, replicated} "
        "metadata={op_name=\"}\"}}",
        "sharding={{devices=[2]0,1}, {replicated}, /*index=2*/{manual}}",
        "sharding={mesh['x'=2,'y'=4], [{'x'}, {'y', ?}], unreduced=[sum]{'x'}}",
        "sharding={maximal_mesh[device_id=3]}",
        "sharding={unknown shard_as 7}",
        "metadata={op_type=\"a\" op_name=\"{\\\"\" source_line=3 profile_type={1} "
        "stack_frame_id=2}",
        "backend_config={\"a\":{\"b\":\"}\"},\"c\":[1]}",
        "backend_config=\"x{\"",
        "backend_config={n = 1 : i64, x = \"}\"}",
        "frontend_attributes={a=\"b\",c={\"d\":{}}}",
        "window={size=2x2 stride=1x2 pad=0_0x-1_1 lhs_dilate=1x1 rhs_dilate=2x2 rhs_reversal=0x1}",
        "dim_labels=b01f_01io->b01f",
        "operand_precision={default,highest}",
        "operand_layout_constraints={f32[2]{0}, (s32[])}",
        "outfeed_shape=(f32[2], token[])",
        "literal=s32[2]{0} {1, 2}",
        "slice_sizes={1,8}",
        "slice_sizes={{1},{2}}",
        "output_to_operand_aliasing={{}: (0, {}), {1}: (2, {0})}",
        "parameter_replication={true,false}",
        "statistics={visualizing_index=1,a=0.5}",
        "origin={{\"a\" {0}}}",
        "result_accuracy={tolerance={ulps=1,rtol=0.1,atol=0}}",
        "domain={kind=\"sharding\", entry={replicated}, exit={{manual}}}",
        "unheard_of={a(b)[c]\"}\"}",
        "unheard_of=[2,2]<=[4]",
        "unheard_of=word.1"}) {
    INFO(attribute);
    Module m = with(std::string(attribute) + " // c");
    const Instruction& r = m[find(m, "r")];
    REQUIRE(r.attributes.size() == 2);
    CHECK(std::string(r.attributes[1].spelled_name()) + "=" + std::string(r.attributes[1].text) ==
          attribute);
    CHECK(std::holds_alternative<std::monostate>(r.attributes[1].value));
  }
  Module m = with("unheard_of=1");
  CHECK(m[find(m, "r")].attributes[1].name == "unheard_of");
}

TEST_CASE("shapes that may be left out are worked out") {
  Module m = read(in_entry(
      "  q = f32[3,4] parameter(2)\n  x = add(p, p)\n  y = dot(p, q), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n  z = reduce(p, s), dimensions={0}, to_apply=add\n"
      "  c = compare(p, p), direction=LT\n  d = complex(s, s)\n  u = tuple(x, y)\n"
      "  g = get-tuple-element(u), index=1\n  v = transpose(p), dimensions={1,0}\n"
      "  w = concatenate(p, p), dimensions={1}\n  k = after-all()\n  n = partition-id()\n"
      "  o = select(c, p, x)\n  i = pad(p, s), padding=1_0x0_2_1\n  j = call(s), to_apply=add"));
  auto text = [&](const char* name) { return to_string(m[find(m, name)].shape); };
  CHECK(text("x") == "f32[2,3]");
  CHECK(text("y") == "f32[2,4]");
  CHECK(text("z") == "f32[3]");
  CHECK(text("c") == "pred[2,3]");
  CHECK(text("d") == "c64[]");
  CHECK(text("u") == "(f32[2,3], f32[2,4])");
  CHECK(text("g") == "f32[2,4]");
  CHECK(text("v") == "f32[3,2]");
  CHECK(text("w") == "f32[2,6]");
  CHECK(text("k") == "token[]");
  CHECK(text("n") == "u32[]");
  CHECK(text("o") == "f32[2,3]");
  CHECK(text("i") == "f32[3,7]");
  CHECK(text("j") == "f32[]");
}

}  // namespace flipsat::frontends
