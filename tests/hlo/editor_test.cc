#include "hlo/editor.h"

#include "frontends/text/text.h"
#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

Module read(const std::string& text) { return frontends::read_text(text, "test.hlo"); }

InstructionId find(const Module& module, const std::string& name) {
  for (InstructionId id = 0; id < module.instructions.size(); ++id) {
    if (module[id].name == name) return id;
  }
  FAIL("no instruction is called " << name);
  return kNoId;
}

Instruction make(const Module& module, Opcode opcode, std::vector<InstructionId> operands) {
  Instruction made;
  made.opcode = opcode;
  made.shape = module[operands.front()].shape;
  made.operands = std::move(operands);
  return made;
}

const std::string kText = R"(HloModule test

ENTRY main {
  x = f32[4]{0} parameter(0)
  unused = f32[4]{0} abs(x)
  n = f32[4]{0} negate(x), metadata={op_name="first"}
  e = f32[4]{0} exponential(n)  // a comment
  ROOT m = f32[4]{0} multiply(e, n)
}
)";

TEST_CASE("editor: no edit, no change") {
  Module module = read(kText);
  ModuleEditor editor(module);
  editor.finish();
  CHECK(frontends::write_text(module) == kText);
}

TEST_CASE("editor: a replacement of the same opcode takes over name and metadata") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId x = find(module, "x");
  InstructionId n = find(module, "n");
  InstructionId wide = editor.add(module.entry, make(module, Opcode::kCopy, {x}));
  InstructionId made = editor.add(module.entry, make(module, Opcode::kNegate, {wide}));
  editor.replace_all_uses(n, made);
  editor.finish();
  CHECK(module[made].name == "n");
  CHECK_FALSE(module[find(module, "e")].touched);
  CHECK(frontends::write_text(module) == R"(HloModule test

ENTRY main {
  x = f32[4]{0} parameter(0)
  unused = f32[4]{0} abs(x)
  copy.1 = f32[4]{0} copy(x)
  n = f32[4]{0} negate(copy.1), metadata={op_name="first"}
  e = f32[4]{0} exponential(n)  // a comment
  ROOT m = f32[4]{0} multiply(e, n)
}
)");
}

TEST_CASE("editor: a replacement that comes as a stranger takes over nothing") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId n = find(module, "n");
  InstructionId made = editor.add(module.entry, make(module, Opcode::kNegate, {find(module, "x")}));
  editor.replace_all_uses(n, made, Inherit::kNothing);
  editor.finish();
  CHECK(module[made].name == "negate.1");
  CHECK_FALSE(module[made].has(AttributeKey::kMetadata));
  CHECK(frontends::write_text(module).find("multiply(e, negate.1)") != std::string::npos);
}

TEST_CASE("editor: a replacement of another opcode gets a fresh name, and users follow") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId made = editor.add(module.entry, make(module, Opcode::kAbs, {find(module, "x")}));
  editor.replace_all_uses(find(module, "n"), made);
  editor.finish();
  CHECK(module[made].name == "abs.1");
  CHECK(frontends::write_text(module) == R"(HloModule test

ENTRY main {
  x = f32[4]{0} parameter(0)
  unused = f32[4]{0} abs(x)
  abs.1 = f32[4]{0} abs(x)
  e = f32[4]{0} exponential(abs.1)  // a comment
  ROOT m = f32[4]{0} multiply(e, abs.1)
}
)");
}

TEST_CASE("editor: the root can be replaced") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId e = find(module, "e");
  InstructionId made = editor.add(module.entry, make(module, Opcode::kAdd, {e, e}));
  editor.replace_all_uses(find(module, "m"), made);
  editor.finish();
  CHECK(module.entry_computation().root == made);
  CHECK(module.entry_computation().instructions.back() == made);
  CHECK(frontends::write_text(module).find("ROOT add.1 = f32[4]{0} add(e, e)") !=
        std::string::npos);
  CHECK(frontends::write_text(module).find(" m =") == std::string::npos);
}

TEST_CASE("editor: an existing instruction can become the root, and is marked") {
  Module module = read(kText);
  ModuleEditor editor(module);
  editor.replace_all_uses(find(module, "m"), find(module, "e"));
  editor.finish();
  CHECK(frontends::write_text(module).find("ROOT e = f32[4]{0} exponential(n)") !=
        std::string::npos);
}

TEST_CASE("editor: new instructions stand as late as their first user allows") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId x = find(module, "x");
  InstructionId late = editor.add(module.entry, make(module, Opcode::kAbs, {x}));
  editor.set_operand(find(module, "m"), 1, late);
  editor.finish();
  const std::vector<InstructionId>& list = module.entry_computation().instructions;
  CHECK(list[list.size() - 2] == late);
  CHECK(list.back() == find(module, "m"));
}

TEST_CASE("editor: a user moves down behind an operand that stands further down") {
  Module module = read(R"(HloModule test

ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] abs(x)
  b = f32[4] cosine(a)
  c = f32[4] negate(x)
  d = f32[4] sine(x)
  ROOT t = (f32[4], f32[4]) tuple(b, d)
}
)");
  ModuleEditor editor(module);
  InstructionId made = editor.add(module.entry, make(module, Opcode::kFloor, {find(module, "c")}));
  editor.set_operand(find(module, "a"), 0, made);
  editor.finish();
  std::vector<std::string> names;
  for (InstructionId id : module.entry_computation().instructions) names.push_back(module[id].name);
  CHECK(names == std::vector<std::string>{"x", "c", "floor.1", "a", "b", "d", "t"});
}

TEST_CASE("editor: what the input left unused stays, what an edit leaves unused goes") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId x = find(module, "x");
  editor.add(module.entry, make(module, Opcode::kSine, {x}));  // nobody wants it
  editor.set_operand(find(module, "m"), 1, x);
  editor.set_operand(find(module, "m"), 0, x);
  editor.finish();
  std::vector<std::string> names;
  for (InstructionId id : module.entry_computation().instructions) names.push_back(module[id].name);
  CHECK(names == std::vector<std::string>{"x", "unused", "m"});
}

TEST_CASE("editor: says what finish will drop") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId e = find(module, "e");
  CHECK_FALSE(editor.will_be_dropped(find(module, "unused")));
  CHECK_FALSE(editor.will_be_dropped(e));
  editor.replace_all_uses(e, find(module, "n"));
  CHECK(editor.will_be_dropped(e));
  InstructionId again = editor.add(module.entry, make(module, Opcode::kAbs, {e}));
  CHECK_FALSE(editor.will_be_dropped(e));
  CHECK(editor.will_be_dropped(again));
}

TEST_CASE("editor: what has an effect or orders others stays without users") {
  Module module = read(R"(HloModule test

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] abs(x)
  c = f32[4] custom-call(x), custom_call_target="f", custom_call_has_side_effect=true
  n = f32[4] negate(y), control-predecessors={a}
  ROOT t = (f32[4], f32[4], f32[4]) tuple(a, c, n)
}
)");
  ModuleEditor editor(module);
  InstructionId x = find(module, "x");
  for (size_t i = 0; i < 2; ++i) editor.set_operand(find(module, "t"), i, x);
  editor.set_operand(find(module, "n"), 0, x);
  editor.finish();
  CHECK(module.entry_computation().instructions.size() == 6);
}

TEST_CASE("editor: a survivor does not share its name with what replaced it") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId n = find(module, "n");
  InstructionId made = editor.add(module.entry, make(module, Opcode::kNegate, {find(module, "x")}));
  editor.replace_all_uses(n, made);
  InstructionId again = editor.add(module.entry, make(module, Opcode::kAbs, {n}));
  editor.set_operand(find(module, "m"), 0, again);
  editor.finish();
  CHECK(module[made].name == "n");
  CHECK(module[n].name == "negate.1");
  std::string text = frontends::write_text(module);
  CHECK(text.find("abs.1 = f32[4]{0} abs(negate.1)") != std::string::npos);
  CHECK_NOTHROW(read(text));
}

TEST_CASE("editor: a replacement may use what it replaces") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId n = find(module, "n");
  InstructionId made = editor.add(module.entry, make(module, Opcode::kNegate, {n}));
  editor.replace_all_uses(n, made);
  editor.finish();
  CHECK(module[made].operands == std::vector<InstructionId>{n});
  CHECK(module[made].name == "negate.1");
  CHECK(module[n].name == "n");
  CHECK_NOTHROW(read(frontends::write_text(module)));
}

TEST_CASE("editor: a replacement inherits the layout") {
  Module module = read(R"(HloModule test

ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  n = f32[4,8]{0,1} negate(x)
  ROOT m = f32[4,8]{0,1} abs(n)
}
)");
  ModuleEditor editor(module);
  InstructionId made = editor.add(module.entry, make(module, Opcode::kNegate, {find(module, "x")}));
  editor.replace_all_uses(find(module, "n"), made);
  editor.finish();
  CHECK(to_string(module[made].shape) == "f32[4,8]{0,1}");
}

TEST_CASE("editor: users that spell an element of a replaced tuple are printed anew") {
  Module module = read(R"(HloModule test

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  t = (f32[4], f32[4]) tuple(x, y)
  n = f32[4] negate(t#0)
  ROOT m = f32[4] multiply(n, t#1)
}
)");
  ModuleEditor editor(module);
  InstructionId t = find(module, "t");
  InstructionId made = editor.add(module.entry, make(module, Opcode::kOptBarrier, {t}));
  editor.replace_all_uses(t, made);
  editor.finish();
  std::string text = frontends::write_text(module);
  CHECK(text.find("negate(opt-barrier.1#0)") != std::string::npos);
  CHECK(text.find("multiply(n, opt-barrier.1#1)") != std::string::npos);
}

TEST_CASE("editor: channel ids are fresh, and different each time") {
  Module module = read(R"(HloModule test, num_partitions=2

ENTRY main {
  x = f32[4] parameter(0)
  ROOT g = f32[8] all-gather(x), channel_id=6, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true
}
)");
  ModuleEditor editor(module);
  CHECK(editor.fresh_channel_id() == 7);
  CHECK(editor.fresh_channel_id() == 8);
}

TEST_CASE("editor: a cycle, another shape, another computation are faults of the caller") {
  Module module = read(kText);
  ModuleEditor editor(module);
  InstructionId x = find(module, "x");
  InstructionId n = find(module, "n");
  Instruction other = make(module, Opcode::kNegate, {x});
  other.shape = Shape::array(ElementType::kF32, {5});
  InstructionId made = editor.add(module.entry, other);
  CHECK_THROWS_AS(editor.replace_all_uses(n, made), std::logic_error);
  editor.set_operand(n, 0, find(module, "e"));
  CHECK_THROWS_AS(editor.finish(), std::logic_error);
}

TEST_CASE("editor: it can be used on after finish") {
  Module module = read(kText);
  ModuleEditor editor(module);
  for (Opcode opcode : {Opcode::kCeil, Opcode::kFloor}) {
    InstructionId e = find(module, "e");
    InstructionId made = editor.add(module.entry, make(module, opcode, {e}));
    editor.set_operand(find(module, "m"), 0, made);
    editor.finish();
  }
  std::vector<std::string> names;
  for (InstructionId id : module.entry_computation().instructions) names.push_back(module[id].name);
  CHECK(names == std::vector<std::string>{"x", "unused", "n", "e", "floor.1", "m"});
}

}  // namespace
}  // namespace flipsat::hlo
