// Printing: what nobody touched is copied, what changed is printed in the file's own style.
#include <algorithm>

#include "frontends/text/same_structure.h"
#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::ComputationId;
using hlo::ElementType;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;
using hlo::Shape;

namespace {

// A module with percent signs, layouts, comments and odd spacing.
const char* const kText = R"(// top
HloModule m,  entry_computation_layout={(f32[2,4]{1,0})->f32[8,4]{1,0}}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

/* the entry */
ENTRY %main (p: f32[2,4]) -> f32[8,4] {
  %p = f32[2,4]{1,0} parameter(0)   // the input

  // negated twice
  %n = f32[2,4]{1,0} negate(%p), metadata={op_name="n"} // first
  %k = f32[2,4]{1,0} negate( %n )
  ROOT %g = f32[8,4]{1,0} all-gather(%k), channel_id=1,  replica_groups=[1,4]<=[4], dimensions={0}, metadata={op_name="g"}
} // end

// bottom
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// What is written reads back as the same module.
std::string written(const Module& module) {
  std::string text = write_text(module);
  INFO(text);
  std::string difference;
  try {
    difference = first_difference(module, read(text));
  } catch (const hlo::InputError& error) {
    difference = error.what();
  }
  CHECK(difference == "");
  return text;
}

InstructionId add_before(Module& m, InstructionId before, Instruction instruction) {
  auto id = static_cast<InstructionId>(m.instructions.size());
  instruction.computation = m[before].computation;
  instruction.touched = true;
  auto& list = m.computations[instruction.computation].instructions;
  list.insert(std::find(list.begin(), list.end(), before), id);
  m.instructions.push_back(std::move(instruction));
  return id;
}

void remove(Module& m, InstructionId id) {
  std::erase(m.computations[m[id].computation].instructions, id);
}

Instruction unary(const std::string& name, Opcode opcode, InstructionId operand, Shape shape) {
  Instruction instruction;
  instruction.name = name;
  instruction.opcode = opcode;
  instruction.operands = {operand};
  instruction.shape = std::move(shape);
  return instruction;
}

}  // namespace

TEST_CASE("a module that nobody touched is its source") {
  for (std::string text : {std::string(kText), in_entry("  r = add(negate(s), t#1)"),
                           std::string("e{a=f32[] parameter(0)b=f32[] negate(a)}"),
                           std::string("f32[2] add(f32[2] x, f32[2] x) // c"),
                           std::string("HloModule m\r\ne {\r\n  a = f32[] parameter(0)\r\n}\r\n")}) {
    Module m = read(text);
    CHECK(write_text(m) == text);
    for (Instruction& instruction : m.instructions) instruction.touched = true;
    CHECK(write_text(m) == text);
  }
}

TEST_CASE("a changed operand is printed anew, the rest of its line as read") {
  Module m = read(kText);
  InstructionId g = find(m, "g");
  m[g].operands[0] = find(m, "n");
  m[g].touched = true;
  CHECK(written(m) == replaced(kText, "all-gather(%k)", "all-gather(%n)"));
}

TEST_CASE("the style of operands is the line's own") {
  std::string text =
      "HloModule m\n\nENTRY e {\n  p = f32[2]{0} parameter(0)\n  q = f32[2]{0} negate(f32[2]{0} p)\n"
      "  ROOT t = (f32[2]{0}, f32[2]{0}) tuple(f32[2]{0} %p,\n      f32[2]{0} %q)\n}\n";
  Module m = read(text);
  InstructionId t = find(m, "t");
  m[t].operands[0] = find(m, "q");
  m[t].touched = true;
  CHECK(written(m) == replaced(text, "tuple(f32[2]{0} %p,", "tuple(f32[2]{0} %q,"));
}

TEST_CASE("a longer operand list gets index comments") {
  Module m = read(in_entry("  r = after-all(s)"));
  m[find(m, "r")].operands.assign(7, find(m, "s"));
  m[find(m, "r")].touched = true;
  CHECK(written(m) == in_entry("  r = after-all(s, s, s, s, s, /*index=5*/s, s)"));
}

TEST_CASE("a renamed instruction is renamed in its users") {
  Module m = read(kText);
  InstructionId n = find(m, "n");
  m[n].name = "fresh.1";
  m[n].touched = true;
  std::string expected = replaced(kText, "%n = ", "%fresh.1 = ");
  CHECK(written(m) == replaced(expected, "negate( %n )", "negate( %fresh.1)"));
}

TEST_CASE("attributes change in place, are appended, and go") {
  Module m = read(kText);
  Instruction& g = m[find(m, "g")];
  g.set(AttributeKey::kChannelId, int64_t{7});
  CHECK(written(m) == replaced(kText, "channel_id=1,", "channel_id=7,"));
  g.set(AttributeKey::kUseGlobalDeviceIds, true);
  g.erase(AttributeKey::kMetadata);
  std::string expected = replaced(kText, "channel_id=1,", "channel_id=7,");
  CHECK(written(m) == replaced(expected, "dimensions={0}, metadata={op_name=\"g\"}",
                               "dimensions={0}, use_global_device_ids=true"));
}

TEST_CASE("metadata set as raw text is kept") {
  Module m = read(kText);
  const hlo::Attribute metadata = *m[find(m, "g")].find(AttributeKey::kMetadata);
  Instruction& k = m[find(m, "k")];
  k.attributes.push_back(metadata);
  k.touched = true;
  CHECK(written(m) == replaced(kText, "negate( %n )", "negate( %n ), metadata={op_name=\"g\"}"));
}

TEST_CASE("a changed shape or opcode is printed, with a layout where the line had one") {
  Module m = read(kText);
  Instruction& k = m[find(m, "k")];
  k.opcode = Opcode::kConvert;
  k.shape = Shape::array(ElementType::kBF16, {2, 4});
  k.touched = true;
  Instruction& g = m[find(m, "g")];
  g.shape = g.shape.with_type(ElementType::kBF16);
  g.touched = true;
  std::string expected = replaced(kText, "%k = f32[2,4]{1,0} negate( %n )",
                                  "%k = bf16[2,4]{1,0} convert( %n )");
  expected = replaced(expected, "ROOT %g = f32[8,4]{1,0}", "ROOT %g = bf16[8,4]{1,0}");
  CHECK(written(m) == replaced(expected, "-> f32[8,4] {", "-> bf16[8,4] {"));
}

TEST_CASE("a new instruction stands on its own line in the file's style") {
  Module m = read(kText);
  InstructionId k = find(m, "k");
  Shape shape = Shape::array(ElementType::kBF16, {2, 4});
  InstructionId x = add_before(m, k, unary("x.1", Opcode::kConvert, find(m, "n"), shape));
  m[x].attributes.push_back(*m[find(m, "n")].find(AttributeKey::kMetadata));
  m[x].shape = shape;
  m[k].operands[0] = x;
  m[k].touched = true;
  m[k].opcode = Opcode::kConvert;
  std::string expected =
      replaced(kText, "// first\n",
               "// first\n  %x.1 = bf16[2,4]{1,0} convert(%n), metadata={op_name=\"n\"}\n");
  CHECK(written(m) == replaced(expected, "negate( %n )", "convert( %x.1)"));
}

TEST_CASE("a new collective has its attributes in XLA's order") {
  Module m = read(kText);
  InstructionId g = find(m, "g");
  Instruction made = unary("r", Opcode::kReduceScatter, find(m, "k"),
                           Shape::array(ElementType::kF32, {1, 4}));
  made.set(AttributeKey::kToApply, hlo::ComputationList{0});
  made.set(AttributeKey::kDimensions, hlo::IntList{0});
  made.set(AttributeKey::kUseGlobalDeviceIds, true);
  made.set(AttributeKey::kReplicaGroups,
           std::make_shared<const hlo::ReplicaGroups>(hlo::ReplicaGroups{{0, 1}, {2, 3}}));
  made.set(AttributeKey::kChannelId, int64_t{2});
  add_before(m, g, made);
  CHECK(written(m) ==
        replaced(kText, "negate( %n )\n",
                 "negate( %n )\n  %r = f32[1,4]{1,0} reduce-scatter(%k), channel_id=2, "
                 "replica_groups={{0,1},{2,3}}, use_global_device_ids=true, dimensions={0}, "
                 "to_apply=%add\n"));
}

TEST_CASE("files without layouts, percent signs, or with operand shapes stay so") {
  std::string text = "e {\n\tp = f32[2,3] parameter(0)\n\tROOT q = f32[2,3] negate(f32[2,3] p)\n}\n";
  Module m = read(text);
  InstructionId q = find(m, "q");
  add_before(m, q, unary("n", Opcode::kNegate, find(m, "p"), m[q].shape));
  CHECK(written(m) == replaced(text, "\tROOT", "\tn = f32[2,3] negate(f32[2,3] p)\n\tROOT"));
}

TEST_CASE("removed instructions go with their line, comment lines stay") {
  Module m = read(kText);
  InstructionId k = find(m, "k"), n = find(m, "n"), p = find(m, "p"), g = find(m, "g");
  m[g].operands[0] = p;
  m[g].touched = true;
  remove(m, k);
  remove(m, n);
  std::string expected = replaced(kText, "  %k = f32[2,4]{1,0} negate( %n )\n", "");
  expected = replaced(
      expected, "  %n = f32[2,4]{1,0} negate(%p), metadata={op_name=\"n\"} // first\n", "");
  CHECK(written(m) == replaced(expected, "all-gather(%k)", "all-gather(%p)"));
}

TEST_CASE("a replacement takes over the name and the users' lines stay") {
  Module m = read(kText);
  InstructionId n = find(m, "n"), k = find(m, "k");
  Instruction made = m[n];
  made.opcode = Opcode::kAbs;
  InstructionId id = add_before(m, n, made);
  remove(m, n);
  m[k].operands[0] = id;
  m[k].touched = true;
  std::string expected =
      replaced(kText, "  %n = f32[2,4]{1,0} negate(%p), metadata={op_name=\"n\"} // first\n", "");
  CHECK(written(m) == replaced(expected, "// the input\n",
                               "// the input\n  %n = f32[2,4]{1,0} abs(%p), metadata={op_name=\"n\"}\n"));
}

TEST_CASE("the root moves with its mark") {
  Module m = read(kText);
  remove(m, find(m, "g"));
  m.computations[m.entry].root = find(m, "k");
  std::string expected = replaced(kText, "  %k = ", "  ROOT %k = ");
  size_t g = expected.find("  ROOT %g");
  expected.erase(g, expected.find('\n', g) + 1 - g);
  CHECK(written(m) == replaced(expected, "-> f32[8,4] {", "-> f32[2,4] {"));
  // Without marks the last instruction is the root, until it is not.
  Module n = read("e {\n  a = f32[] parameter(0)\n  b = negate(a)\n}\n");
  n.computations[0].root = find(n, "a");
  CHECK(written(n) == "e {\n  ROOT a = f32[] parameter(0)\n  b = negate(a)\n}\n");
}

TEST_CASE("moved instructions take their gaps along") {
  Module m = read("e {\n  a = f32[] parameter(0) // a\n  // of b\n  b = negate(a) // b\n  c = abs(a)\n"
                  "  ROOT d = add(b, c)\n}\n");
  auto& list = m.computations[0].instructions;
  std::swap(list[1], list[2]);
  CHECK(written(m) == "e {\n  a = f32[] parameter(0) // a\n  c = abs(a)\n  // of b\n"
                      "  b = negate(a) // b\n  ROOT d = add(b, c)\n}\n");
  Module n = read("e { a = f32[] parameter(0) b = negate(a) c = abs(a) ROOT d = add(b, c) }");
  std::swap(n.computations[0].instructions[1], n.computations[0].instructions[2]);
  written(n);
}

TEST_CASE("implicit elements are spelled by their users and never printed") {
  std::string text = in_entry("  r = negate(t#1)\n  q = negate(s)");
  Module m = read(text);
  InstructionId element = m[find(m, "r")].operands[0];
  m[find(m, "q")].operands[0] = element;
  m[find(m, "q")].touched = true;
  InstructionId x = add_before(m, find(m, "q"), unary("x", Opcode::kAbs, element, m[element].shape));
  (void)x;
  CHECK(written(m) == in_entry("  r = negate(t#1)\n  x = f32[] abs(t#1)\n  q = negate(t#1)"));
  // One that becomes the root gets a line of its own.
  m.computations[m.entry].root = element;
  std::string out = written(m);
  CHECK(out.find("  ROOT t_1 = f32[] get-tuple-element(t), index=1\n") != std::string::npos);
  CHECK(out.find("q = negate(t_1)") != std::string::npos);
}

TEST_CASE("the tuple of an implicit element is renamed in the element's users") {
  Module m = read(in_entry("  r = negate(t#1)"));
  Instruction& tuple = m[find(m, "t")];
  tuple.name = "pair";
  tuple.touched = true;
  std::string out = written(m);
  CHECK(out.find("r = negate(pair#1)") != std::string::npos);
}

TEST_CASE("nested operands change inside their user's line") {
  std::string text = in_entry("  ROOT r = f32[] add(multiply(s, /*two*/ negate(s)), s)");
  Module m = read(text);
  InstructionId product = m[find(m, "r")].operands[0];
  m[product].operands[0] = m[product].operands[1];  // the nested negate, now used twice
  m[product].touched = true;
  std::string out = written(m);
  CHECK(out.find("  negate = negate(s)\n") == std::string::npos);
  CHECK(out.find("negate = f32[] negate(s)\n") != std::string::npos);
  CHECK(out.find("add(multiply(negate, /*two*/ negate), s)") != std::string::npos);
  Module n = read(text);
  product = n[find(n, "r")].operands[0];
  n[n[product].operands[1]].opcode = Opcode::kAbs;
  n[n[product].operands[1]].touched = true;
  CHECK(written(n) == replaced(text, "negate(s)", "f32[] abs(s)"));
}

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
    std::string expected = replaced(
        kText, "%b)\n}\n",
        "%b)\n}\n\n%add.clone (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
        "  %b = f32[] parameter(1)\n  ROOT %c = f32[] add(%a, %b)\n}\n");
    if (!percent) std::erase(expected, '%');
    CHECK(written(m) == expected);
  }
}

TEST_CASE("computations are printed in the module's order") {
  std::string text = "HloModule m\n\na { x = f32[] parameter(0) }\n\n// of b\nb { x = f32[] parameter(0) }\n\n"
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
      "HloModule m, is_scheduled=true, num_partitions=2\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      "ROOT c = add(a, b) }\nENTRY e {\n p = f32[2,3] parameter(0) i = s32[] constant(-3)\n"
      " l = f32[2,2] constant({{1,2.5},{nan,-inf}}) y = pred[2] constant({1,0}) z = pred[] constant(true)\n"
      " w = f32[0,2] constant({}) v = f32[2,0] constant({{},{}}) u = c64[] constant((1,-0))\n"
      " t = (f32[2,3], s32[]) tuple(p, i) k = s32[] add(t#1, negate(t#1))\n"
      " h = (s32[], (f32[])) constant((1, (2)))\n"
      " o = f32[] all-reduce(f32[] constant(2)), to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) c = add(a,b) },\n"
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
  CHECK(out.starts_with("HloModule m, is_scheduled=true, num_partitions=2\n\n%add (a: f32[], b: f32[]) "
                        "-> f32[] {\n  %a = f32[] parameter(0)\n"));
  CHECK(out.find("ENTRY %e (p: f32[2,3]) -> f32[1,2] {\n  %p = f32[2,3]{1,0} parameter(0)\n") !=
        std::string::npos);
  CHECK(out.find("  %l = f32[2,2]{1,0} constant({ { 1, 2.5 }, { nan, -inf } })\n") != std::string::npos);
  CHECK(out.find("  %k = s32[] add(%t#1, s32[] negate(%t#1))\n") != std::string::npos);
  CHECK(out.find("  ROOT %r = f32[1,2]{1,0} slice(%p), slice={[0:1], [0:3:2]}, metadata={op_name=\"x\"}\n}\n") !=
        std::string::npos);
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
  CHECK(written(m) == replaced(replaced(kText, "f32[8,4]{1,0}}", "f32[8,4]{1,0}}, num_partitions=4"),
                               "m,  entry", "m, entry"));
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
