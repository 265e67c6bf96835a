// A changed module is its message with changes: what nobody touched is kept, unknown fields too.
#include "hlo/editor.h"
#include "tests/catch.h"
#include "tests/frontends/proto/samples.h"

namespace flipsat::frontends {

namespace {

constexpr int kUnknownField = 1000;

template <typename Message>
void mark(Message* message, const std::string& text) {
  message->GetReflection()->MutableUnknownFields(message)->AddLengthDelimited(kUnknownField, text);
}

template <typename Message>
std::string mark_of(const Message& message) {
  const auto& fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    if (fields.field(i).number() == kUnknownField) return fields.field(i).length_delimited();
  }
  return {};
}

// q = -p; r = q * q, with a mark in every message, ids as newer files have them, and a schedule.
hlo_proto::Module marked() {
  hlo_proto::Module message =
      message_of(read(sample("q = f32[2,3]{1,0} negate(p), metadata={op_name=\"q\"}\n"
                             "ROOT r = f32[2,3]{1,0} multiply(q, q)")));
  mark(&message, "module");
  for (auto& computation : *message.mutable_computations()) {
    mark(&computation, computation.name());
    auto high = [&](int64_t id) { return computation.id() << 32 | id; };
    computation.set_root_id(high(computation.root_id()));
    auto& sequence = (*message.mutable_schedule()->mutable_sequences())[computation.id()];
    for (auto& instruction : *computation.mutable_instructions()) {
      mark(&instruction, instruction.name());
      instruction.set_id(high(instruction.id()));
      sequence.add_instruction_ids(instruction.id());
      for (auto& id : *instruction.mutable_operand_ids()) id = high(id);
    }
  }
  mark(find(message, "q")->mutable_metadata(), "metadata");
  return message;
}

hlo_proto::Module written(const hlo::Module& module) {
  hlo_proto::Module message;
  message.ParseFromString(write_proto(module));
  return message;
}

}  // namespace

TEST_CASE("an untouched module is its bytes") {
  const std::string bytes = marked().SerializeAsString();
  CHECK(write_proto(read_proto(bytes, "t.pb")) == bytes);
}

TEST_CASE("one replaced instruction leaves all others as they were") {
  hlo_proto::Module before = marked();
  hlo::Module module = read_proto(before.SerializeAsString(), "t.pb");
  hlo::ModuleEditor editor(module);
  const hlo::InstructionId q = find(module, "q");
  hlo::Instruction copy;
  copy.opcode = hlo::Opcode::kCopy;
  copy.shape = module[q].shape;
  copy.operands = {find(module, "p")};
  const hlo::ComputationId entry = module.entry;
  editor.replace_all_uses(q, editor.add(entry, copy));
  editor.finish();

  hlo_proto::Module after = written(module);
  CHECK(mark_of(after) == "module");
  CHECK(find(after, "q") == nullptr);
  const hlo_proto::Computation& computation = after.computations(after.computations_size() - 1);
  CHECK(mark_of(computation) == "e");
  const hlo_proto::Instruction* added = nullptr;
  for (const auto& instruction : computation.instructions()) {
    if (instruction.opcode() == "copy") added = &instruction;
  }
  REQUIRE(added);
  CHECK(added->id() >> 32 == computation.id());
  CHECK(added->operand_ids(0) == find(after, "p")->id());
  CHECK(find(after, "r")->operand_ids(1) == added->id());
  CHECK(mark_of(*find(after, "r")) == "r");
  for (const char* name : {"p", "s", "n", "t"}) {
    CHECK(find(after, name)->SerializeAsString() == find(before, name)->SerializeAsString());
  }
  const auto& sequence = after.schedule().sequences().at(computation.id());
  REQUIRE(sequence.instruction_ids_size() == computation.instructions_size());
  CHECK(sequence.instruction_ids(computation.instructions_size() - 1) == computation.root_id());
  // Other computations keep theirs to the byte.
  CHECK(after.computations(0).SerializeAsString() == before.computations(0).SerializeAsString());
}

TEST_CASE("a replacement that takes over a name takes the id, and users stay as they were") {
  hlo_proto::Module before = marked();
  hlo::Module module = read_proto(before.SerializeAsString(), "t.pb");
  hlo::ModuleEditor editor(module);
  const hlo::InstructionId q = find(module, "q");
  hlo::Instruction again = module[q];
  again.name.clear();
  const hlo::ComputationId entry = module.entry;
  editor.replace_all_uses(q, editor.add(entry, again));
  editor.finish();

  hlo_proto::Module after = written(module);
  REQUIRE(find(after, "q"));
  CHECK(find(after, "q")->id() == find(before, "q")->id());
  CHECK(find(after, "r")->SerializeAsString() == find(before, "r")->SerializeAsString());
}

TEST_CASE("what text cannot say of a touched instruction is kept") {
  hlo::Module module = read_proto(marked().SerializeAsString(), "t.pb");
  module[find(module, "q")].touched = true;
  hlo_proto::Module after = written(module);
  CHECK(mark_of(*find(after, "q")) == "q");
  CHECK(mark_of(find(after, "q")->metadata()) == "metadata");
}

TEST_CASE("a new computation gets an id of its own") {
  hlo::Module module = read_proto(marked().SerializeAsString(), "t.pb");
  const hlo::ComputationId copied = module.order[0];
  const auto added = static_cast<hlo::ComputationId>(module.computations.size());
  hlo::Computation computation = module.computations[copied];
  computation.name = "made";
  computation.text = {};
  computation.parameters.clear();
  for (hlo::InstructionId& id : computation.instructions) {
    hlo::Instruction instruction = module[id];
    instruction.computation = added;
    instruction.text = {};
    instruction.touched = true;
    for (hlo::InstructionId& operand : instruction.operands) {
      operand = computation.parameters[operand == instruction.operands[0] ? 0 : 1];
    }
    id = static_cast<hlo::InstructionId>(module.instructions.size());
    if (instruction.opcode == hlo::Opcode::kParameter) computation.parameters.push_back(id);
    module.instructions.push_back(std::move(instruction));
  }
  computation.root = computation.instructions.back();
  module.computations.push_back(computation);
  module.order.insert(module.order.begin(), added);

  const hlo_proto::Module after = written(module);
  const hlo_proto::Computation& made = after.computations(0);
  CHECK(made.name() == "made");
  for (int i = 1; i < after.computations_size(); ++i)
    CHECK(after.computations(i).id() != made.id());
  CHECK(made.root_id() == made.instructions(2).id());
  CHECK(made.root_id() >> 32 == made.id());
  CHECK(made.program_shape().parameters_size() == 2);
  CHECK_FALSE(read_proto(after.SerializeAsString(), "t.pb").order.empty());
}

}  // namespace flipsat::frontends
