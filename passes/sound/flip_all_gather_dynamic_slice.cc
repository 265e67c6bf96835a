#include "passes/sound/flip_all_gather_dynamic_slice.h"

#include "passes/sound/collectives.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::Dims;
using hlo::InstructionId;
using hlo::Opcode;

class SoundFlipAllGatherDynamicSlice : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_all_gather_dynamic_slice"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kDynamicSlice) return Verdict::none();
    InstructionId gather = collective_below(context, id, 0, {Opcode::kAllGather});
    if (gather == hlo::kNoId) return Verdict::none();
    Verdict verdict = may_move(context, id, gather);
    if (!verdict.is_accepted()) return verdict;

    const Dims& whole = context[gather].shape.dims;
    const Dims& part = context[id].shape.dims;
    int d = static_cast<int>(context[gather].dimensions()[0]);
    if (whole == part) return Verdict::refuse("nothing is cut");
    if (part[d] != whole[d]) return Verdict::refuse("the gathered dim is cut");
    hlo::DeviceGroupsRef groups = hlo::device_groups(context[gather], context.counts());
    if (!groups) return Verdict::refuse("the device groups are unknown");
    for (int i = 0; i < context[id].shape.rank(); ++i) {
      if (part[i] == whole[i]) continue;
      if (!is_uniform_start(context, id, i, whole[i] - part[i], *groups)) {
        return Verdict::refuse("a start index differs inside a group");
      }
    }
    return Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId gather = context[id].operands[0];
    InstructionId x = context[gather].operands[0];
    hlo::ComputationId computation = context[id].computation;
    auto d = static_cast<size_t>(context[gather].dimensions()[0]);
    int64_t local_size = context[x].shape.dims[d];
    std::vector<InstructionId> operands = context[id].operands;
    operands[0] = x;
    hlo::Instruction sliced =
        moved_below(context, id, gather, std::move(operands),
                    context[id].shape.with_dim(static_cast<int>(d), local_size));
    hlo::IntList sizes(sliced.shape.dims.begin(), sliced.shape.dims.end());
    sliced.set(AttributeKey::kDynamicSliceSizes, std::move(sizes));
    InstructionId local = editor.add(computation, std::move(sliced));
    return editor.add(computation, moved_above(context, editor, id, gather, local));
  }

 private:
  // The starts are one scalar a dim or, in the old form, one vector.
  static bool is_uniform_start(Context& context, InstructionId id, int dim, int64_t limit,
                               const hlo::DeviceGroups& groups) {
    const std::vector<InstructionId>& operands = context[id].operands;
    InstructionId start = operands[1];
    if (context[start].shape.rank() > 0) {
      return context.uniformity().of(start).uniform_within(groups);
    }
    return context.is_uniform_start(operands[1 + static_cast<size_t>(dim)], limit, groups);
  }
};

}  // namespace

std::unique_ptr<Pass> sound_flip_all_gather_dynamic_slice() {
  return std::make_unique<SoundFlipAllGatherDynamicSlice>();
}

}  // namespace flipsat::passes
