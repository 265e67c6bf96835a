#include "passes/literal/flip_all_gather_convert.h"

#include "passes/literal/build.h"

namespace flipsat::passes {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

class LiteralFlipAllGatherConvert : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_all_gather_convert"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kConvert) return Verdict::none();
    if (!literal::is_all_gather(context, context[id].operands[0])) return Verdict::none();
    return Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId gather = context[id].operands[0];
    InstructionId x = context[gather].operands[0];
    InstructionId local = converted(context, editor, id, gather, x);
    hlo::Instruction gathered = literal::collective(context, gather, local, context[id].shape);
    literal::copy_metadata(context, id, gathered);
    return literal::add(context, editor, id, std::move(gathered));
  }

 private:
  // XLA's MakeConvertToHlo gives back what has the type already.
  static InstructionId converted(const Context& context, hlo::ModuleEditor& editor,
                                 InstructionId id, InstructionId gather, InstructionId x) {
    if (context[x].shape.type == context[id].shape.type) return x;
    hlo::Shape shape = context[x].shape.with_type(context[id].shape.type);
    shape.layout = context[id].shape.layout;  // it has the width of packed elements
    hlo::Instruction convert = literal::convert(x, std::move(shape));
    literal::copy_metadata(context, gather, convert);
    return literal::add(context, editor, id, std::move(convert));
  }
};

}  // namespace

std::unique_ptr<Pass> literal_flip_all_gather_convert() {
  return std::make_unique<LiteralFlipAllGatherConvert>();
}

}  // namespace flipsat::passes
