// Random edits of a module with every construct: what is written reads back as the same program.
#include <algorithm>
#include <random>

#include "frontends/text/same_structure.h"
#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {
namespace {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

const char* const kText = R"(// top
HloModule zoo, is_scheduled=true, num_partitions=4

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

/* the entry
   of all */
ENTRY %main (p: f32[4], q: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0), sharding={devices=[4]<=[4]} // in
  %q = f32[4]{0} parameter(1)
  // a pair
  %t = (f32[4]{0}, (f32[4]{0}, f32[4]{0})) custom-call(%p, %q), custom_call_target="x", metadata={op_name="a\"b"}
  %u = f32[4]{0} add(%t#1#0, f32[4]{0} multiply(%p, /* in */ negate(%q))), backend_config={"a":"}"}
  %r = f32[4]{0} all-reduce(%u),  channel_id=1, replica_groups=[1,4]<=[4], to_apply={ x = f32[] parameter(0)
    y = f32[] parameter(1) ROOT z = f32[] maximum(x, y) }
  %n = f32[4]{0} negate(%t#0), control-predecessors={%r} %m = f32[4]{0} abs(%n) // two on a line

  %s = f32[4]{0} all-reduce(%m), replica_groups={{0,1},{2,3}}, to_apply=%add
  %v = f32[4]{0} add(f32[4] %s, %t#1#0)
  ROOT %o = f32[4]{0} subtract(%v, %n)
}
// bottom
)";

class Editor {
 public:
  Editor(Module& module, unsigned seed) : m_(module), random_(seed) {}

  void step() {
    auto& list = m_.computations[m_.entry].instructions;
    size_t at = pick(list.size());
    InstructionId id = list[at];
    switch (pick(7)) {
      case 0:
        rename(id);
        break;
      case 1:
        repoint(list, at);
        break;
      case 2:
        insert(list, at);
        break;
      case 3:
        remove_unused(list, at);
        break;
      case 4:
        m_[id].touched = true;
        if (m_[id].opcode == Opcode::kNegate) m_[id].opcode = Opcode::kAbs;
        break;
      case 5:
        if (m_[id].has(hlo::AttributeKey::kChannelId)) {
          m_[id].set(hlo::AttributeKey::kChannelId, static_cast<int64_t>(pick(9)));
        } else if (!m_[id].implicit) {
          m_[id].set(hlo::AttributeKey::kAsyncExecutionThread, std::string("a\"b\n"));
        }
        break;
      default:
        if (is_f32_4(id)) m_.computations[m_.entry].root = id;
    }
  }

 private:
  size_t pick(size_t count) { return random_() % count; }
  bool is_f32_4(InstructionId id) { return m_[id].shape.dims == hlo::Dims{4}; }

  void rename(InstructionId id) {
    if (m_[id].implicit || m_[id].is_inlined) return;
    m_[id].name = "renamed." + std::to_string(++names_);
    m_[id].touched = true;
  }

  void repoint(std::vector<InstructionId>& list, size_t at) {
    InstructionId user = list[at];
    if (m_[user].implicit || m_[user].operands.empty()) return;
    InstructionId other = list[pick(at)];
    size_t operand = pick(m_[user].operands.size());
    if (!is_f32_4(other) || !is_f32_4(m_[user].operands[operand])) return;
    m_[user].operands[operand] = other;
    m_[user].touched = true;
  }

  void insert(std::vector<InstructionId>& list, size_t at) {
    if (at == 0 || !is_f32_4(list[at - 1])) return;
    Instruction made;
    made.name = "made." + std::to_string(++names_);
    made.opcode = Opcode::kSqrt;
    made.shape = m_[list[at - 1]].shape;
    made.operands = {list[at - 1]};
    made.computation = m_.entry;
    made.touched = true;
    auto id = static_cast<InstructionId>(m_.instructions.size());
    m_.instructions.push_back(std::move(made));
    list.insert(list.begin() + static_cast<long>(at), id);
  }

  void remove_unused(std::vector<InstructionId>& list, size_t at) {
    InstructionId id = list[at];
    if (m_[id].opcode == Opcode::kParameter || id == m_.computations[m_.entry].root) return;
    for (InstructionId user : list) {
      const auto& operands = m_[user].operands;
      if (std::find(operands.begin(), operands.end(), id) != operands.end()) return;
      const auto& before = m_[user].control_predecessors();
      if (std::find(before.begin(), before.end(), id) != before.end()) return;
    }
    list.erase(list.begin() + static_cast<long>(at));
  }

  Module& m_;
  std::mt19937 random_;
  int names_ = 0;
};

// Without its text, so that equal programs with unused implicit elements compare equal.
std::string normal_form(const Module& module) {
  Module values = module;
  values.source = nullptr;
  for (Instruction& instruction : values.instructions) {
    for (hlo::Attribute& attribute : instruction.attributes) {
      if (!std::holds_alternative<std::monostate>(attribute.value)) attribute.text = {};
    }
  }
  return write_text(values);
}

}  // namespace

TEST_CASE("randomly edited modules read back as the same program") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Module m = read(kText);
    Editor editor(m, seed);
    for (unsigned step = 0; step < 2 + seed % 12; ++step) editor.step();
    std::string text = write_text(m);
    INFO("seed " << seed << "\n" << text);
    std::string error = error_of(text);
    REQUIRE(error == "");
    Module back = read(text);
    CHECK(write_text(back) == text);
    // The same values under the same names; inlined computations get numbers of their own.
    std::string wanted = normal_form(m);
    std::string found = normal_form(back);
    CHECK(found == wanted);
  }
}

}  // namespace flipsat::frontends
