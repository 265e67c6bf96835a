#include "passes/sound/flip_all_gathers_binary.h"

#include <algorithm>

#include "hlo/frontend_attributes.h"
#include "passes/sound/collectives.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::InstructionId;
using hlo::Opcode;

// The author's marks of what may be joined with what.
bool same_marks(const hlo::Instruction& a, const hlo::Instruction& b) {
  return hlo::frontend_attribute(a, "collective_group_key") ==
             hlo::frontend_attribute(b, "collective_group_key") &&
         hlo::frontend_attribute(a, "combiner_key") == hlo::frontend_attribute(b, "combiner_key");
}

class SoundFlipAllGathersBinary : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_all_gathers_binary"; }

  Verdict matches(Context& context, InstructionId id) const override {
    const hlo::Instruction& above = context[id];
    size_t arity = static_cast<size_t>(hlo::elementwise_arity(above.opcode));
    if (arity < 2 || arity != above.operands.size()) return Verdict::none();
    std::vector<InstructionId> gathers;
    for (size_t i = 0; i < arity; ++i) {
      InstructionId gather = collective_below(context, id, i, {Opcode::kAllGather});
      if (gather != hlo::kNoId) gathers.push_back(gather);
    }
    if (gathers.empty()) return Verdict::none();
    if (gathers.size() < arity) return Verdict::refuse("an operand is not an all-gather");
    const hlo::Instruction& first = context[gathers.front()];
    for (InstructionId gather : gathers) {
      Verdict verdict = may_move(context, id, gather);
      if (!verdict.is_accepted()) return verdict;
      const hlo::Instruction& other = context[gather];
      if (!same_groups(context, first, other)) return Verdict::refuse("the groups differ");
      if (!same_marks(first, other)) return Verdict::refuse("the group keys differ");
      if (other.dimensions() != first.dimensions()) return Verdict::refuse("the dims differ");
      if (!context[other.operands[0]].shape.same_dims(context[first.operands[0]].shape)) {
        return Verdict::refuse("the operand shapes differ");
      }
    }
    return Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    std::vector<InstructionId> gathers = context[id].operands;
    InstructionId first = gathers.front();
    std::vector<InstructionId> locals;
    for (InstructionId gather : gathers) locals.push_back(context[gather].operands[0]);
    hlo::ComputationId computation = context[id].computation;
    hlo::Shape local = context[id].shape.with_dims(context[locals.front()].shape.dims);
    InstructionId combined = editor.add(
        computation, moved_below(context, id, first, std::move(locals), std::move(local)));
    hlo::Instruction gathered = moved_above(context, editor, id, first, combined);
    bool is_one = std::all_of(gathers.begin(), gathers.end(),
                              [&](InstructionId gather) { return gather == first; });
    if (!is_one && gathered.channel_id()) {
      // It stands for several channels.
      gathered.set(AttributeKey::kChannelId, editor.fresh_channel_id());
    }
    return editor.add(computation, std::move(gathered));
  }
};

}  // namespace

std::unique_ptr<Pass> sound_flip_all_gathers_binary() {
  return std::make_unique<SoundFlipAllGathersBinary>();
}

}  // namespace flipsat::passes
