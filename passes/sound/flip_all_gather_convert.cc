#include "passes/sound/flip_all_gather_convert.h"

#include "passes/sound/collectives.h"

namespace flipsat::passes {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

class SoundFlipAllGatherConvert : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_all_gather_convert"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kConvert) return Verdict::none();
    InstructionId gather = collective_below(context, id, 0, {Opcode::kAllGather});
    if (gather == hlo::kNoId) return Verdict::none();
    return may_move(context, id, gather);
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId gather = context[id].operands[0];
    InstructionId x = context[gather].operands[0];
    hlo::ComputationId computation = context[id].computation;
    // The result's layout comes along, with the width of packed elements.
    hlo::Shape local = context[id].shape.with_dims(context[x].shape.dims);
    InstructionId converted =
        editor.add(computation, moved_below(context, id, gather, {x}, std::move(local)));
    return editor.add(computation, moved_above(context, editor, id, gather, converted));
  }
};

}  // namespace

std::unique_ptr<Pass> sound_flip_all_gather_convert() {
  return std::make_unique<SoundFlipAllGatherConvert>();
}

}  // namespace flipsat::passes
