// Printing computations and modules: changed, new, in another order, or from values alone.
#include "tests/frontends/writing.h"

namespace flipsat::frontends {

TEST_CASE("a change deep inside is printed once, not once a level") {
  std::string open, close;
  for (int i = 0; i < 150; ++i) {
    open += "f32[] negate(";
    close += ")";
  }
  Module m = read(in_entry("  ROOT r = f32[] abs(" + open + "s" + close + ")"));
  InstructionId innermost = m[find(m, "r")].operands[0];
  while (m[innermost].operands[0] != find(m, "s")) innermost = m[innermost].operands[0];
  m[innermost].opcode = Opcode::kAbs;
  m[innermost].touched = true;
  CHECK(written(m).find("negate(f32[] abs(s)") != std::string::npos);

  std::string body = "x = f32[] negate(y)";
  for (int i = 0; i < 100; ++i) {
    body = "x = f32[] call(y), to_apply={ y = f32[] parameter(0) " + body + " }";
  }
  Module n = read("e { y = f32[] parameter(0) " + body + " }");
  hlo::Computation& deepest = n.computations.back();
  n[deepest.root].opcode = Opcode::kAbs;
  n[deepest.root].touched = true;
  CHECK(written(n).find("abs(y)") != std::string::npos);
}

TEST_CASE("computations written where they are called change there") {
  std::string text = in_entry(
      "  r = f32[] all-reduce(s), to_apply={ x = f32[] parameter(0) y = f32[] parameter(1)\n"
      "    ROOT z = f32[] maximum(x, y) }, channel_id=1");
  Module m = read(text);
  hlo::Computation& inner = m.computations[m[find(m, "r")].called_computations()[0]];
  m[inner.root].opcode = Opcode::kMinimum;
  m[inner.root].touched = true;
  CHECK(written(m) == replaced(text, "maximum", "minimum"));
}

TEST_CASE("a new computation is printed before its caller") {
  for (bool percent : {true, false}) {
    std::string text = kText;
    if (!percent) std::erase(text, '%');
    Module m = read(text);
    ComputationId id = static_cast<ComputationId>(m.computations.size());
    hlo::Computation copy = m.computations[0];
    copy.name = "add.clone";
    copy.text = copy.body = {};
    copy.instructions.clear();
    for (InstructionId old : m.computations[0].instructions) {
      Instruction instruction = m[old];
      instruction.computation = id;
      instruction.touched = true;
      instruction.text = instruction.operands_text = {};
      for (InstructionId& operand : instruction.operands) {
        operand = copy.instructions[operand == m.computations[0].parameters[0] ? 0 : 1];
      }
      copy.instructions.push_back(static_cast<InstructionId>(m.instructions.size()));
      m.instructions.push_back(instruction);
    }
    copy.parameters = {copy.instructions[0], copy.instructions[1]};
    copy.root = copy.instructions[2];
    m.computations.push_back(copy);
    m.order.insert(m.order.begin() + 1, id);
    std::string expected =
        replaced(kText, "%b)\n}\n",
                 "%b)\n}\n\n%add.clone (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
                 "  %b = f32[] parameter(1)\n  ROOT %c = f32[] add(%a, %b)\n}\n");
    if (!percent) std::erase(expected, '%');
    CHECK(written(m) == expected);
  }
}

TEST_CASE("computations are printed in the module's order") {
  std::string text =
      "HloModule m\n\na { x = f32[] parameter(0) }\n\n// of b\nb { x = f32[] parameter(0) }\n\n"
      "ENTRY e { x = f32[] parameter(0) }\n";
  Module m = read(text);
  std::swap(m.order[0], m.order[1]);
  std::string out = written(m);
  CHECK(out.find("b {") < out.find("a {"));
  CHECK(out.find("// of b\nb {") != std::string::npos);
  // Gone from the order, gone from the text.
  m.order.erase(m.order.begin());
  CHECK(written(m).find("b {") == std::string::npos);
}

TEST_CASE("a module without source is printed in the long form") {
  Module m = read(
      "HloModule m, is_scheduled=true, num_partitions=2\nadd { a = f32[] parameter(0)\n b = f32[] "
      "parameter(1)\n"
      "ROOT c = add(a, b) }\nENTRY e {\n p = f32[2,3] parameter(0) i = s32[] constant(-3)\n"
      " l = f32[2,2] constant({{1,2.5},{nan,-inf}}) y = pred[2] constant({1,0}) z = pred[] "
      "constant(true)\n"
      " w = f32[0,2] constant({}) v = f32[2,0] constant({{},{}}) u = c64[] constant((1,-0))\n"
      " t = (f32[2,3], s32[]) tuple(p, i) k = s32[] add(t#1, negate(t#1))\n"
      " h = (s32[], (f32[])) constant((1, (2)))\n"
      " o = f32[] all-reduce(f32[] constant(2)), to_apply={ a = f32[] parameter(0) b = f32[] "
      "parameter(1) c = add(a,b) },\n"
      "   backend_config={\"a\":1}, channel_id=1, frontend_attributes={a=\"b\"}\n"
      " ROOT r = f32[1,2] slice(p), slice={[0:1],[0:3:2]}, metadata={op_name=\"x\"} }");
  for (Instruction& instruction : m.instructions) {
    for (hlo::Attribute& attribute : instruction.attributes) {
      if (!std::holds_alternative<std::monostate>(attribute.value)) attribute.text = {};
    }
  }
  auto keep = m.source;
  m.source = nullptr;
  std::string out = written(m);
  CHECK(out.starts_with(
      "HloModule m, is_scheduled=true, num_partitions=2\n\n%add (a: f32[], b: f32[]) "
      "-> f32[] {\n  %a = f32[] parameter(0)\n"));
  CHECK(out.find("ENTRY %e (p: f32[2,3]) -> f32[1,2] {\n  %p = f32[2,3]{1,0} parameter(0)\n") !=
        std::string::npos);
  CHECK(out.find("  %l = f32[2,2]{1,0} constant({ { 1, 2.5 }, { nan, -inf } })\n") !=
        std::string::npos);
  CHECK(out.find("  %k = s32[] add(%t#1, s32[] negate(%t#1))\n") != std::string::npos);
  CHECK(out.find("  ROOT %r = f32[1,2]{1,0} slice(%p), slice={[0:1], [0:3:2]}, "
                 "metadata={op_name=\"x\"}\n}\n") != std::string::npos);
}

TEST_CASE("a touched lone instruction becomes a computation") {
  Module m = read("f32[2] add(f32[2] x, f32[2] y)");
  m[m.entry_computation().root].opcode = Opcode::kMultiply;
  m[m.entry_computation().root].touched = true;
  CHECK(written(m).find("  ROOT %add.1 = f32[2]{0} multiply(%x, %y)\n") != std::string::npos);
}

TEST_CASE("a changed header is printed anew, in place") {
  Module m = read(kText);
  m.header.push_back({"num_partitions", "4"});
  m.num_partitions = 4;
  CHECK(written(m) ==
        replaced(replaced(kText, "f32[8,4]{1,0}}", "f32[8,4]{1,0}}, num_partitions=4"), "m,  entry",
                 "m, entry"));
}

TEST_CASE("one instruction is printed as on its line") {
  Module m = read(kText);
  InstructionId k = find(m, "k"), g = find(m, "g");
  CHECK(print_instruction(m, k) == "%k = f32[2,4]{1,0} negate( %n )");
  m[k].set(AttributeKey::kMetadata, std::string("x"));
  m[k].operands[0] = find(m, "p");
  CHECK(print_instruction(m, k).starts_with("%k = f32[2,4]{1,0} negate( %p), metadata="));
  InstructionId x = add_before(m, g, unary("x", Opcode::kAbs, k, m[k].shape));
  CHECK(print_instruction(m, x) == "%x = f32[2,4]{1,0} abs(%k)");
  CHECK(print_instruction(m, g).starts_with("ROOT %g = "));
}

}  // namespace flipsat::frontends
