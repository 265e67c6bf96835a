#include "passes/literal/flip_reduce_convert_add.h"

#include "passes/literal/build.h"

namespace flipsat::passes {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

class LiteralFlipReduceConvertAdd : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_reduce_convert_add"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kAdd) return Verdict::none();
    InstructionId convert = first_operand(context, id, Opcode::kConvert);
    if (convert == hlo::kNoId) return Verdict::none();
    Opcode below = context[context[convert].operands[0]].opcode;
    if (below != Opcode::kReduceScatter && below != Opcode::kAllReduce) return Verdict::none();
    InstructionId part = first_operand(context, id, Opcode::kGetTupleElement);
    if (part == hlo::kNoId || !literal::is_part_of_parameter(context, part)) {
      return Verdict::refuse("what is added is not a part of a parameter");
    }
    context.log(name(),
                "Found pattern: reduce-scatter/all-reduce, convert, add, with get-tuple-element on "
                "parameter tuple");
    return Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId convert = first_operand(context, id, Opcode::kConvert);
    InstructionId part = first_operand(context, id, Opcode::kGetTupleElement);
    InstructionId reduce = context[convert].operands[0];
    InstructionId x = context[reduce].operands[0];
    hlo::ElementType wide = context[convert].shape.type;
    InstructionId converted =
        literal::add(context, editor, id, literal::convert(x, context[x].shape.with_type(wide)));
    hlo::Instruction reduction =
        literal::collective(context, reduce, converted, context[reduce].shape.with_type(wide));
    literal::give_next_channel_id(editor, reduction);
    InstructionId reduced = literal::add(context, editor, id, std::move(reduction));
    bool is_all_reduce = context[reduced].opcode == Opcode::kAllReduce;
    context.log(name(), std::string("Created new_reduce_op (") +
                            (is_all_reduce ? "AllReduce): " : "ReduceScatter): ") +
                            literal::named(context, reduced));
    return literal::add(context, editor, id,
                        literal::operation(context, id, {reduced, part}, context[id].shape));
  }

 private:
  static InstructionId first_operand(const Context& context, InstructionId id, Opcode opcode) {
    for (InstructionId operand : context[id].operands) {
      if (context[operand].opcode == opcode) return operand;
    }
    return hlo::kNoId;
  }
};

}  // namespace

std::unique_ptr<Pass> literal_flip_reduce_convert_add() {
  return std::make_unique<LiteralFlipReduceConvertAdd>();
}

}  // namespace flipsat::passes
