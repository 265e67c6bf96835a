#include "passes/literal/flip_all_gather_dynamic_slice.h"

#include "passes/literal/build.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::Dims;
using hlo::InstructionId;
using hlo::Opcode;

class LiteralFlipAllGatherDynamicSlice : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_all_gather_dynamic_slice"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kDynamicSlice) return Verdict::none();
    InstructionId gather = context[id].operands[0];
    if (!literal::is_all_gather(context, gather)) return Verdict::none();
    context.log(name(), "Found pattern: All Gather -> Dynamic Slice");
    if (context[id].shape.rank() < 3) return Verdict::refuse("the rank is less than 3");
    const Dims& whole = context[gather].shape.dims;
    const Dims& part = context[id].shape.dims;
    int cut = 0;
    for (size_t i = 0; i < part.size(); ++i) cut += part[i] != whole[i];
    if (cut <= 1) return Verdict::refuse("fewer than two dims are cut");
    auto d = static_cast<size_t>(context[gather].dimensions()[0]);
    if (part[d] != whole[d]) return Verdict::refuse("the gathered dim is cut");
    context.log(name(), "Found pattern: all-gather -> dynamic slice");
    return Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId gather = context[id].operands[0];
    InstructionId x = context[gather].operands[0];
    context.log(name(), "Entering ExpandInstruction");
    context.log(name(), "old all-gather " + literal::named(context, gather));
    context.log(name(), "old dynamic-slice " + literal::named(context, id));
    auto d = static_cast<size_t>(context[gather].dimensions()[0]);
    std::vector<InstructionId> operands = context[id].operands;
    operands[0] = x;
    hlo::Instruction slice = literal::operation(
        context, id, std::move(operands),
        context[id].shape.with_dim(static_cast<int>(d), context[x].shape.dims[d]));
    hlo::IntList sizes(slice.shape.dims.begin(), slice.shape.dims.end());
    slice.set(AttributeKey::kDynamicSliceSizes, std::move(sizes));
    InstructionId sliced = literal::add(context, editor, id, std::move(slice));
    context.log(name(), "Created new dynamic-slice " + literal::named(context, sliced));
    InstructionId gathered = literal::add(
        context, editor, id, literal::collective(context, gather, sliced, context[id].shape));
    context.log(name(), "Created new all-gather " + literal::named(context, gathered));
    return gathered;
  }
};

}  // namespace

std::unique_ptr<Pass> literal_flip_all_gather_dynamic_slice() {
  return std::make_unique<LiteralFlipAllGatherDynamicSlice>();
}

}  // namespace flipsat::passes
