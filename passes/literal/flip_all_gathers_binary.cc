#include "passes/literal/flip_all_gathers_binary.h"

#include <algorithm>

#include "passes/literal/build.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::InstructionId;
using hlo::Opcode;

constexpr Opcode kBinaries[] = {Opcode::kAdd,     Opcode::kAnd,       Opcode::kDivide,
                                Opcode::kMaximum, Opcode::kMinimum,   Opcode::kMultiply,
                                Opcode::kOr,      Opcode::kRemainder, Opcode::kSubtract};

class LiteralFlipAllGathersBinary : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_all_gathers_binary"; }

  Verdict matches(Context& context, InstructionId id) const override {
    const hlo::Instruction& binary = context[id];
    if (std::find(std::begin(kBinaries), std::end(kBinaries), binary.opcode) ==
        std::end(kBinaries)) {
      return Verdict::none();
    }
    for (InstructionId operand : binary.operands) {
      if (!literal::is_all_gather(context, operand)) return Verdict::none();
    }
    const char* difference =
        difference_between(context[binary.operands[0]], context[binary.operands[1]]);
    return difference ? Verdict::refuse(difference) : Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId gather = context[id].operands[0];
    InstructionId a = context[gather].operands[0];
    InstructionId b = context[context[id].operands[1]].operands[0];
    hlo::Instruction binary = literal::operation(context, id, {a, b}, context[a].shape);
    literal::copy_metadata(context, id, binary);
    InstructionId local = literal::add(context, editor, id, std::move(binary));
    hlo::Instruction gathered = literal::collective(context, gather, local, context[id].shape);
    literal::give_next_channel_id(editor, gathered);
    literal::copy_metadata(context, id, gathered);
    return literal::add(context, editor, id, std::move(gathered));
  }

 private:
  // XLA's IdenticalInternal with flags 1,1,0,1: layouts and shardings count, channel ids by value;
  // metadata and frontend attributes do not. Of the operands only the number.
  static const char* difference_between(const hlo::Instruction& a, const hlo::Instruction& b) {
    if (!(a.shape == b.shape)) return "the shapes or layouts of the gathers differ";
    if (a.raw_text(AttributeKey::kSharding) != b.raw_text(AttributeKey::kSharding)) {
      return "the shardings of the gathers differ";
    }
    if (a.operands.size() != b.operands.size()) return "the operand counts of the gathers differ";
    if (a.raw_text(AttributeKey::kBackendConfig) != b.raw_text(AttributeKey::kBackendConfig)) {
      return "the backend configs of the gathers differ";
    }
    if (a.channel_id() != b.channel_id()) return "the channel ids of the gathers differ";
    for (AttributeKey flag : {AttributeKey::kConstrainLayout, AttributeKey::kUseGlobalDeviceIds}) {
      if (a.bool_attribute(flag, false) != b.bool_attribute(flag, false)) {
        return "the flags of the gathers differ";
      }
    }
    if (groups_of(a) != groups_of(b)) return "the groups of the gathers differ";
    if (a.dimensions() != b.dimensions()) return "the dims of the gathers differ";
    return nullptr;
  }

  static hlo::ReplicaGroups groups_of(const hlo::Instruction& gather) {
    const hlo::Attribute* attribute = gather.find(AttributeKey::kReplicaGroups);
    const auto* groups =
        attribute ? std::get_if<hlo::ReplicaGroupsRef>(&attribute->value) : nullptr;
    return groups && *groups ? **groups : hlo::ReplicaGroups{};
  }
};

}  // namespace

std::unique_ptr<Pass> literal_flip_all_gathers_binary() {
  return std::make_unique<LiteralFlipAllGathersBinary>();
}

}  // namespace flipsat::passes
