// What the reader fills in: entry forms, names, spans, implicit and nested instructions.
#include <algorithm>

#include "frontends/text/same_structure.h"
#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

TEST_CASE("header attributes are kept as read") {
  Module m = read(
      "HloModule jit_step, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) },\n"
      "  buffer_donor={ (1, {0}) }, alias_passthrough_params=true,\n"
      "  entry_computation_layout={(f32[2]{0}, (s32[], token[]))->f32[2]{0}},\n"
      "  allow_spmd_sharding_propagation_to_output={true,false}, replica_count=2,\n"
      "  num_partitions=4, frontend_attributes={a.b=\"x\",c={\"d\":[1,\"}\"]}},\n"
      "  origin_recovery_table={ {\"a\" {0}}: {\"b\" {}} }, debug_attributes={}\n"
      "e { a = f32[2] parameter(0)\n b = (s32[], token[]) parameter(1) ROOT c = negate(a) }\n");
  CHECK(m.name == "jit_step");
  CHECK(m.is_scheduled);
  CHECK(m.replica_count == 2);
  CHECK(m.num_partitions == 4);
  REQUIRE(m.header.size() == 11);
  CHECK(m.header[1].name == "input_output_alias");
  CHECK(m.header[1].text == "{ {}: (0, {}, may-alias) }");
  CHECK(m.header[8].text == "{a.b=\"x\",c={\"d\":[1,\"}\"]}}");
}

TEST_CASE("stack-frame tables are stepped over") {
  Module m = read(
      "HloModule m\n\nFileNames\n1 \"a b.py\"\n2 \"c.py\"\n\nFunctionNames\n1 \"<lambda>\"\n\n"
      "FileLocations\n1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 "
      "end_column=9}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n\n"
      "ENTRY e { ROOT a = f32[] parameter(0), metadata={stack_frame_id=1} }\n");
  CHECK(m.header.empty());
  CHECK(m.entry_computation().name == "e");
  CHECK(read("HloModule m\nFileNames\nFunctionNames\nFileLocations\nStackFrames\n"
             "e { a = f32[] parameter(0) }")
            .computations.size() == 1);
}

TEST_CASE("computations stand without a header") {
  for (const char* text : {"e { ROOT a = f32[] parameter(0) }", "%e {a = f32[] parameter(0)}",
                           "ENTRY e (a: f32[]) -> f32[] {\n a = f32[] parameter(0)\n}\n",
                           "// c\n%e (a: f32[]) -> f32[] { a = f32[] parameter(0) }"}) {
    INFO(text);
    Module m = read(text);
    CHECK_FALSE(m.has_header);
    CHECK(m.name == "module_e");
    CHECK(m.computations[m.entry].is_entry);
  }
}

TEST_CASE("without ENTRY the last computation is the entry, without ROOT the last instruction") {
  Module m =
      read("HloModule m\nf { a = f32[] parameter(0) b = negate(a) }\ng { c = f32[] parameter(0) }");
  CHECK(m.entry_computation().name == "g");
  CHECK(m[m.computations[0].root].name == "b");
  Module n = read(
      "HloModule m\nENTRY f { ROOT a = f32[] parameter(0) b = negate(a) }\ng { c = f32[] "
      "parameter(0) }");
  CHECK(n.entry_computation().name == "f");
  CHECK(n[n.computations[0].root].name == "a");
}

TEST_CASE("a lone instruction makes its operands parameters") {
  Module m = read(
      "%r = f32[2,4]{1,0} dot(f32[2,3]{1,0} %x, f32[3,4]{1,0} %y), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const hlo::Computation& e = m.entry_computation();
  REQUIRE(e.instructions.size() == 3);
  CHECK(e.parameters.size() == 2);
  CHECK(m[e.parameters[1]].name == "y");
  CHECK(m[e.parameters[1]].parameter_number == 1);
  CHECK(m[e.root].name == "r");
  CHECK(m[e.root].operands == std::vector<InstructionId>{e.parameters[0], e.parameters[1]});
  Module n = read("f32[2] add(f32[2] x, f32[2] x)");
  CHECK(n.entry_computation().parameters.size() == 1);
  CHECK(n[n.entry_computation().root].name == "add.1");
}

TEST_CASE("names may have a percent sign or not, mixed") {
  Module m = read(in_entry("  %r = f32[] negate(%s)\n  ROOT q-1.x_ = f32[] negate(r)"));
  CHECK(m[find(m, "q-1.x_")].operands[0] == find(m, "r"));
}

TEST_CASE("words that XLA refuses are read as names where nothing else fits") {
  Module m =
      read(in_entry("  %s1 = f32[] negate(s)\n  true = f32[] negate(%s1)\n  r = negate(true)"));
  CHECK(m[find(m, "r")].operands[0] == find(m, "true"));
}

TEST_CASE("spans and lines are those of the text") {
  std::string text =
      in_entry("  // comment\n  ROOT %r = f32[] add( s , /*index=1*/ s ), metadata={} // c\n");
  Module m = read(text);
  const Instruction& r = m[find(m, "r")];
  CHECK(m.source_text(r.text) == "ROOT %r = f32[] add( s , /*index=1*/ s ), metadata={}");
  CHECK(m.source_text(r.operands_text) == " s , /*index=1*/ s ");
  CHECK(r.line == 12);
  CHECK_FALSE(r.touched);
  CHECK(r.attributes[0].text == "{}");
  const hlo::Computation& add = m.computations[0];
  CHECK(m.source_text(add.text).starts_with("add {"));
  CHECK(m.source_text(add.text).ends_with("}"));
  CHECK(m.source_text(add.body).ends_with("add(a, b)\n"));
}

TEST_CASE("compact tuple elements become one implicit instruction each") {
  Module m =
      read(in_entry("  u = ((f32[2,3], f32[]), f32[]) tuple(t, s)\n"
                    "  x = f32[] negate(%u#0#1)\n  y = f32[] add(u#1, %u#0#1)\n"
                    "  u_1 = f32[] negate(%u#1)"));
  InstructionId u = find(m, "u");
  const Instruction& x = m[find(m, "x")];
  const Instruction& inner = m[x.operands[0]];
  CHECK(inner.implicit);
  CHECK(inner.opcode == Opcode::kGetTupleElement);
  CHECK(inner.tuple_index() == 1);
  CHECK(inner.name == "u_0_1");
  CHECK(m[inner.operands[0]].name == "u_0");
  CHECK(m[inner.operands[0]].operands[0] == u);
  CHECK(m[find(m, "y")].operands[1] == x.operands[0]);
  // The name u_1 is taken by an instruction of the text.
  CHECK(m[m[find(m, "y")].operands[0]].name == "u_1.1");
  const auto& list = m.entry_computation().instructions;
  auto at = std::find(list.begin(), list.end(), u);
  REQUIRE(list.end() - at > 4);
  for (int i = 1; i <= 3; ++i) CHECK(m[at[i]].implicit);
  CHECK(at[4] == find(m, "x"));
}

TEST_CASE("nested operands are instructions of their own") {
  Module m =
      read(in_entry("  ROOT r = f32[] add(f32[] multiply(s, f32[] constant(2)), negate(s))"));
  const Instruction& r = m[find(m, "r")];
  const Instruction& product = m[r.operands[0]];
  CHECK(product.is_inlined);
  CHECK(product.opcode == Opcode::kMultiply);
  CHECK(product.name == "multiply");
  CHECK(m[product.operands[1]].literal->float_at(0) == 2.0);
  CHECK(m[r.operands[1]].shape == hlo::Shape::array(hlo::ElementType::kF32, {}));
  CHECK(m.source_text(product.text) == "f32[] multiply(s, f32[] constant(2))");
}

TEST_CASE("computations may be written where they are called") {
  Module m =
      read(in_entry("  r = f32[] all-reduce(s), to_apply={ x = f32[] parameter(0)\n"
                    " y = f32[] parameter(1) ROOT z = f32[] maximum(x, y) }, channel_id=3\n"
                    "  q = f32[] call(s), to_apply={ w = f32[] parameter(0) }"));
  hlo::ComputationList called = m[find(m, "r")].called_computations();
  REQUIRE(called.size() == 1);
  const hlo::Computation& inner = m.computations[called[0]];
  CHECK(inner.is_inlined);
  CHECK(m[inner.root].opcode == Opcode::kMaximum);
  CHECK(m[find(m, "r")].channel_id() == 3);
  CHECK(inner.name != m.computations[m[find(m, "q")].called_computations()[0]].name);
  // Callees come first.
  CHECK(m.order.back() == m.entry);
}

TEST_CASE("computation lists may hold names and bodies") {
  Module m = read(
      "HloModule m\nf { a = f32[] parameter(0) }\nENTRY e { i = s32[] parameter(0) s = f32[] "
      "parameter(1)\n"
      "  c = f32[] conditional(i, s, s), branch_computations={%f, { b = f32[] parameter(0) }}\n"
      "  d = f32[] custom-call(s), custom_call_target=\"t\", called_computations={f}\n"
      "  g = f32[] custom-call(s), custom_call_target=\"t\", called_computations={}\n"
      "  ROOT h = f32[] fusion(s), kind=kLoop, calls={ k = f32[] parameter(0) } }");
  CHECK(m[find(m, "c")].called_computations().size() == 2);
  CHECK(m[find(m, "d")].called_computations() == hlo::ComputationList{0});
  CHECK(m[find(m, "g")].called_computations().empty());
  CHECK(m.computations[m[find(m, "h")].called_computations()[0]].is_inlined);
}

TEST_CASE("asynchronous instructions: native, wrapped and sugared") {
  Module m = read(
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }\n"
      "wrapped { x = f32[8] parameter(0) ROOT y = f32[8] negate(x) }, execution_thread=\"side\"\n"
      "ENTRY e { p = f32[8] parameter(0)\n"
      "  g = (f32[8], f32[16]) all-gather-start(p), dimensions={0}\n"
      "  h = f32[16] all-gather-done(g)\n"
      "  i = ((f32[8]), f32[8], u32[]) async-start(p), async_execution_thread=\"side\", "
      "calls=wrapped\n"
      "  j = ((f32[8]), f32[8], u32[]) async-update(i)\n  k = f32[8] async-done(j)\n"
      "  l = ((f32[8]), f32[4]) reduce-scatter-start(p), replica_groups={{0,1}}, dimensions={0}, "
      "to_apply=add\n"
      "  ROOT o = f32[4] reduce-scatter-done(l) }");
  CHECK(m[find(m, "g")].opcode == Opcode::kAllGatherStart);
  CHECK_FALSE(m[find(m, "g")].wrapped);
  CHECK(m[find(m, "i")].opcode == Opcode::kAsyncStart);
  CHECK(m[find(m, "i")].word(AttributeKey::kAsyncExecutionThread) == "side");
  CHECK(m[find(m, "l")].opcode == Opcode::kAsyncStart);
  CHECK(m[find(m, "l")].wrapped == Opcode::kReduceScatter);
  CHECK(m[find(m, "o")].opcode == Opcode::kAsyncDone);
  CHECK(m[find(m, "o")].wrapped == Opcode::kReduceScatter);
  CHECK(m.computations[1].execution_thread == "side");
}

TEST_CASE("control predecessors are instructions") {
  Module m = read(in_entry("  r = negate(s)\n  q = negate(s), control-predecessors={r, %t}"));
  CHECK(m[find(m, "q")].control_predecessors() ==
        std::vector<InstructionId>{find(m, "r"), find(m, "t")});
}

TEST_CASE("very long lines and many attributes are read") {
  std::string operands = "s";
  for (int i = 1; i < 50000; ++i) operands += ", s";
  std::string attributes;
  for (int i = 0; i < 5000; ++i) attributes += ", a" + std::to_string(i) + "=1";
  Module m = read(in_entry("  r = after-all(" + operands + ")" + attributes));
  CHECK(m[find(m, "r")].operands.size() == 50000);
  CHECK(m[find(m, "r")].attributes.size() == 5000);
}

TEST_CASE("forbidden names are known") {
  for (const char* name : {"s1", "s2", "s4", "s8", "u1", "bf16", "c64", "f8e4m3", "f4e2m1fn",
                           "token", "pred", "opaque", "inf", "nan", "true", "ROOT", "ENTRY"}) {
    INFO(name);
    CHECK(is_forbidden_name(name));
  }
  for (const char* name : {"s3", "f32x", "tuple", "add", "dim", "x", "parameter", "replica"}) {
    INFO(name);
    CHECK_FALSE(is_forbidden_name(name));
  }
  CHECK(sanitized_name("a#1") == "a_1");
  CHECK(sanitized_name("1a") == "_1a");
  CHECK(sanitized_name("s8") == "s8_");
}

}  // namespace flipsat::frontends
