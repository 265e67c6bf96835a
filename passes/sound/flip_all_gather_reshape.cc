#include "passes/sound/flip_all_gather_reshape.h"

#include "hlo/data_movement.h"
#include "passes/sound/collectives.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::Dims;
using hlo::InstructionId;
using hlo::Opcode;

class SoundFlipAllGatherReshape : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_all_gather_reshape"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kReshape) return Verdict::none();
    InstructionId gather = collective_below(context, id, 0, {Opcode::kAllGather});
    if (gather == hlo::kNoId) return Verdict::none();
    Verdict verdict = may_move(context, id, gather);
    if (!verdict.is_accepted()) return verdict;
    if (context[id].shape.element_count() == 0) return Verdict::refuse("no elements");
    if (!new_gather_dim(context, id, gather)) {
      return Verdict::refuse("the reshape does not keep the gathered parts together");
    }
    return Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId gather = context[id].operands[0];
    InstructionId x = context[gather].operands[0];
    hlo::ComputationId computation = context[id].computation;
    int o = *new_gather_dim(context, id, gather);
    int64_t local_size = context[id].shape.dims[o] / group_size(context, gather);
    hlo::Instruction reshaped =
        moved_below(context, id, gather, {x}, context[id].shape.with_dim(o, local_size));
    hlo::Instruction gathered =
        moved_above(context, editor, id, gather, editor.add(computation, std::move(reshaped)));
    gathered.set(AttributeKey::kDimensions, hlo::IntList{o});
    return editor.add(computation, std::move(gathered));
  }

 private:
  static int gather_dim(const Context& context, InstructionId gather) {
    return static_cast<int>(context[gather].dimensions()[0]);
  }

  static int64_t group_size(const Context& context, InstructionId gather) {
    int d = gather_dim(context, gather);
    const Dims& local = context[context[gather].operands[0]].shape.dims;
    return context[gather].shape.dims[d] / local[d];
  }

  // Groups of one gather nothing, so that any dim would do.
  static std::optional<int> new_gather_dim(const Context& context, InstructionId id,
                                           InstructionId gather) {
    const Dims& to = context[id].shape.dims;
    int64_t n = group_size(context, gather);
    if (n > 1) {
      int d = gather_dim(context, gather);
      return hlo::gather_dim_after_reshape(context[gather].shape.dims, d, to, n);
    }
    if (to.empty()) return std::nullopt;
    return 0;
  }
};

}  // namespace

std::unique_ptr<Pass> sound_flip_all_gather_reshape() {
  return std::make_unique<SoundFlipAllGatherReshape>();
}

}  // namespace flipsat::passes
