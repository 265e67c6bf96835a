#include "passes/sound/flip_reduce_scatter_transpose.h"

#include "hlo/data_movement.h"
#include "hlo/open_order.h"
#include "passes/sound/collectives.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::InstructionId;
using hlo::Opcode;

// Does the order in which it reduces show in the result?
bool has_open_order(const Context& context, InstructionId scatter) {
  hlo::ComputationList called = context[scatter].called_computations();
  if (called.size() != 1) return true;
  std::optional<hlo::Reducer> reducer = hlo::recognise_reducer(context.module(), called.front());
  return !reducer || hlo::has_open_order(*reducer);
}

class SoundFlipReduceScatterTranspose : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_reduce_scatter_transpose"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kTranspose) return Verdict::none();
    InstructionId scatter = collective_below(context, id, 0, {Opcode::kReduceScatter});
    if (scatter == hlo::kNoId) return Verdict::none();
    // A second scatter may add in another order, and the users would see two results of one sum.
    if (context.users()[scatter].size() > 1 && has_open_order(context, scatter) &&
        context.options().numerics < hlo::Numerics::kReassoc) {
      return Verdict::refuse("the sum has other users");
    }
    return may_move(context, id, scatter);
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId scatter = context[id].operands[0];
    InstructionId x = context[scatter].operands[0];
    hlo::ComputationId computation = context[id].computation;
    hlo::IntList permutation = context[id].dimensions();
    // A permutation that lacks the dim is a fault of ours and must not be passed over.
    int o =
        hlo::dim_after_transpose(permutation, static_cast<int>(context[scatter].dimensions()[0]));
    hlo::Shape local = context[id].shape.with_dim(
        o, context[x].shape.dims[static_cast<size_t>(permutation[static_cast<size_t>(o)])]);
    InstructionId transposed =
        editor.add(computation, moved_below(context, id, scatter, {x}, std::move(local)));
    hlo::Instruction scattered = moved_above(context, editor, id, scatter, transposed);
    scattered.set(AttributeKey::kDimensions, hlo::IntList{o});
    return editor.add(computation, std::move(scattered));
  }
};

}  // namespace

std::unique_ptr<Pass> sound_flip_reduce_scatter_transpose() {
  return std::make_unique<SoundFlipReduceScatterTranspose>();
}

}  // namespace flipsat::passes
