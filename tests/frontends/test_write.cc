// Printing: what nobody touched is copied, what changed is printed in the file's own style.
#include "tests/frontends/writing.h"

namespace flipsat::frontends {

TEST_CASE("a module that nobody touched is its source") {
  for (std::string text :
       {std::string(kText), in_entry("  r = add(negate(s), t#1)"),
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
      "HloModule m\n\nENTRY e {\n  p = f32[2]{0} parameter(0)\n  q = f32[2]{0} negate(f32[2]{0} "
      "p)\n"
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
  std::string expected =
      replaced(kText, "%k = f32[2,4]{1,0} negate( %n )", "%k = bf16[2,4]{1,0} convert( %n )");
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
  Instruction made =
      unary("r", Opcode::kReduceScatter, find(m, "k"), Shape::array(ElementType::kF32, {1, 4}));
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
  std::string text =
      "e {\n\tp = f32[2,3] parameter(0)\n\tROOT q = f32[2,3] negate(f32[2,3] p)\n}\n";
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
  expected = replaced(expected,
                      "  %n = f32[2,4]{1,0} negate(%p), metadata={op_name=\"n\"} // first\n", "");
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
  CHECK(written(m) ==
        replaced(expected, "// the input\n",
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
  Module m = read(
      "e {\n  a = f32[] parameter(0) // a\n  // of b\n  b = negate(a) // b\n  c = abs(a)\n"
      "  ROOT d = add(b, c)\n}\n");
  auto& list = m.computations[0].instructions;
  std::swap(list[1], list[2]);
  CHECK(written(m) ==
        "e {\n  a = f32[] parameter(0) // a\n  c = abs(a)\n  // of b\n"
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
  InstructionId x =
      add_before(m, find(m, "q"), unary("x", Opcode::kAbs, element, m[element].shape));
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

}  // namespace flipsat::frontends
