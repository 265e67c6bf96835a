#include "passes/sound/flip_reduce_convert_add.h"

#include "hlo/reduce_convert.h"
#include "passes/sound/collectives.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::ConvertThroughReduce;
using hlo::InstructionId;
using hlo::Numerics;
using hlo::Opcode;

class SoundFlipReduceConvertAdd : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_reduce_convert_add"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kConvert) return Verdict::none();
    InstructionId reduce =
        collective_below(context, id, 0, {Opcode::kAllReduce, Opcode::kReduceScatter});
    if (reduce == hlo::kNoId) return Verdict::none();
    Verdict verdict = may_move(context, id, reduce);
    if (!verdict.is_accepted()) return verdict;
    std::optional<hlo::Reducer> reducer = reducer_of(context, reduce);
    if (!reducer) return Verdict::refuse("the reducer is not a known one");
    if (reducer->type != context[reduce].shape.type) {
      return Verdict::refuse("the reducer has another type than the data");
    }
    hlo::ReduceConvert through = hlo::convert_after_reduce(*reducer, context[id].shape.type);
    switch (through.how) {
      case ConvertThroughReduce::kEqual:
        return Verdict::accept();
      case ConvertThroughReduce::kMore:
        if (was_narrowed(context, id, reduce)) {
          return Verdict::refuse("the author narrowed it for the reduction");
        }
        if (allows(context, Numerics::kPrecise)) return Verdict::accept();
        return Verdict::refuse("more precise, and numerics are exact");
      case ConvertThroughReduce::kReassoc:
        if (allows(context, Numerics::kReassoc)) return Verdict::accept();
        return Verdict::refuse("the sign of a zero may change, and numerics do not allow it");
      case ConvertThroughReduce::kNever:
        return Verdict::refuse(through.reason);
    }
    return Verdict::none();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId reduce = context[id].operands[0];
    InstructionId x = context[reduce].operands[0];
    hlo::ComputationId computation = context[id].computation;
    hlo::Reducer wide =
        hlo::convert_after_reduce(*reducer_of(context, reduce), context[id].shape.type).reducer;
    hlo::ComputationId reducer = hlo::find_or_add_reducer(context.module(), wide.kind, wide.type);
    hlo::Shape local = context[id].shape.with_dims(context[x].shape.dims);
    InstructionId converted =
        editor.add(computation, moved_below(context, id, reduce, {x}, std::move(local)));
    hlo::Instruction reduced = moved_above(context, editor, id, reduce, converted);
    reduced.set(AttributeKey::kToApply, hlo::ComputationList{reducer});
    return editor.add(computation, std::move(reduced));
  }

 private:
  static std::optional<hlo::Reducer> reducer_of(const Context& context, InstructionId reduce) {
    hlo::ComputationList called = context[reduce].called_computations();
    if (called.size() != 1) return std::nullopt;
    return hlo::recognise_reducer(context.module(), called.front());
  }

  // convert(R(convert(y))) back to y's own type: a sum in few bits was asked for.
  static bool was_narrowed(const Context& context, InstructionId id, InstructionId reduce) {
    const hlo::Instruction& x = context[context[reduce].operands[0]];
    return x.opcode == Opcode::kConvert &&
           context[x.operands[0]].shape.type == context[id].shape.type;
  }

  static bool allows(const Context& context, Numerics needed) {
    return context.options().numerics >= needed;
  }
};

}  // namespace

std::unique_ptr<Pass> sound_flip_reduce_convert_add() {
  return std::make_unique<SoundFlipReduceConvertAdd>();
}

}  // namespace flipsat::passes
