#include "passes/literal/flip_all_gather_reshape.h"

#include "passes/literal/build.h"
#include "passes/literal/reshape_dims.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::Dims;
using hlo::InstructionId;
using hlo::Opcode;

class LiteralFlipAllGatherReshape : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_all_gather_reshape"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kReshape) return Verdict::none();
    InstructionId gather = context[id].operands[0];
    if (!literal::is_all_gather(context, gather)) return Verdict::none();
    literal::ReshapeDims dims(context[gather].shape.dims, context[id].shape.dims);
    int d = static_cast<int>(context[gather].dimensions()[0]);
    if (dims.result_dims_of(d).size() != 1) {
      return Verdict::refuse("the gathered dim does not go into one dim of the result");
    }
    if (dims.only_merges() && dims.others_merged_with(d) > 1) {
      return Verdict::refuse("more than one other dim is merged with the gathered one");
    }
    return Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId gather = context[id].operands[0];
    InstructionId x = context[gather].operands[0];
    context.log(name(),
                "Running flip all-gather reshape for instruction: " + literal::named(context, id));
    auto d = static_cast<size_t>(context[gather].dimensions()[0]);
    Dims dims = context[id].shape.dims;
    int o = literal::ReshapeDims(context[gather].shape.dims, dims)
                .result_dims_of(static_cast<int>(d))
                .front();
    // Back to the size before the gather; a dim of no elements has none before it either.
    int64_t gathered_size = context[gather].shape.dims[d];
    if (gathered_size != 0) dims[o] = dims[o] / gathered_size * context[x].shape.dims[d];
    InstructionId reshaped = literal::add(
        context, editor, id,
        literal::operation(context, id, {x}, hlo::Shape::array(context[x].shape.type, dims)));
    hlo::Instruction gathered = literal::collective(context, gather, reshaped, context[id].shape);
    gathered.set(AttributeKey::kDimensions, hlo::IntList{o});
    literal::copy_metadata(context, id, gathered);
    return literal::add(context, editor, id, std::move(gathered));
  }
};

}  // namespace

std::unique_ptr<Pass> literal_flip_all_gather_reshape() {
  return std::make_unique<LiteralFlipAllGatherReshape>();
}

}  // namespace flipsat::passes
