#include "passes/literal/flip_reduce_scatter_transpose.h"

#include "passes/errors.h"
#include "passes/literal/build.h"

namespace flipsat::passes {
namespace {

using hlo::AttributeKey;
using hlo::InstructionId;
using hlo::Opcode;

class LiteralFlipReduceScatterTranspose : public Pass {
 public:
  std::string_view name() const override { return "aws_neuron_flip_reduce_scatter_transpose"; }

  Verdict matches(Context& context, InstructionId id) const override {
    if (context[id].opcode != Opcode::kTranspose) return Verdict::none();
    InstructionId scatter = scatter_below(context, id);
    if (context[scatter].opcode != Opcode::kReduceScatter) return Verdict::none();
    size_t count = context[scatter].operands.size();
    if (count != 1) {
      context.log(name(),
                  "Reject Reduce Scatter (Convert) Transpose Pair because Reduce Scatter has "
                  "operand count " +
                      std::to_string(count) + " more than 1 supported by this pass");
      return Verdict::refuse("the collective has several operands");
    }
    if (!is_known_producer(context, context[scatter].operands[0])) {
      return Verdict::refuse("the data is neither an update reshaped nor a sum with a parameter");
    }
    context.log(name(),
                "Found Reduce Scatter (Convert) Transpose Pair: " + literal::named(context, id));
    return Verdict::accept();
  }

  InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                       InstructionId id) const override {
    InstructionId below = context[id].operands[0];
    InstructionId scatter = scatter_below(context, id);
    InstructionId source = context[scatter].operands[0];
    if (below != scatter) {
      hlo::Shape shape = context[source].shape.with_type(context[below].shape.type);
      source = literal::add(context, editor, id, literal::convert(source, std::move(shape)));
    }
    int o = new_scatter_dim(context, id, scatter);
    context.log(name(), "New scatter dim is " + std::to_string(o));
    hlo::Shape shape = transposed(context[source].shape, context[id].dimensions());
    InstructionId transpose = literal::add(
        context, editor, id, literal::operation(context, id, {source}, std::move(shape)));
    hlo::Instruction scattered =
        literal::collective(context, scatter, transpose, context[id].shape);
    scattered.set(AttributeKey::kDimensions, hlo::IntList{o});
    return literal::add(context, editor, id, std::move(scattered));
  }

 private:
  static InstructionId scatter_below(const Context& context, InstructionId id) {
    InstructionId below = context[id].operands[0];
    return context[below].opcode == Opcode::kConvert ? context[below].operands[0] : below;
  }

  static bool is_known_producer(const Context& context, InstructionId source) {
    const hlo::Instruction& producer = context[source];
    if (producer.opcode == Opcode::kReshape) {
      return context[producer.operands[0]].opcode == Opcode::kDynamicUpdateSlice;
    }
    return producer.opcode == Opcode::kAdd &&
           (literal::is_part_of_parameter(context, producer.operands[0]) ||
            literal::is_part_of_parameter(context, producer.operands[1]));
  }

  static int new_scatter_dim(const Context& context, InstructionId id, InstructionId scatter) {
    const hlo::IntList& permutation = context[id].dimensions();
    int64_t d = context[scatter].dimensions()[0];
    for (size_t i = 0; i < permutation.size(); ++i) {
      if (permutation[i] == d) return static_cast<int>(i);
    }
    throw FatalError("FATAL: Failed to find new scatter dim in pass FlipReduceScatterTranspose");
  }

  // Bounds of dims of unknown size move with them.
  static hlo::Shape transposed(const hlo::Shape& shape, const hlo::IntList& permutation) {
    hlo::Shape result = hlo::Shape::array(shape.type, {});
    for (size_t i = 0; i < permutation.size(); ++i) {
      if (permutation[i] < 0 || permutation[i] >= shape.rank()) {
        throw FatalError("a transpose names a dimension that its operand does not have");
      }
      result.dims.push_back(shape.dims[static_cast<size_t>(permutation[i])]);
      result.dynamic |= (shape.dynamic >> permutation[i] & 1) << i;
    }
    return result;
  }
};

}  // namespace

std::unique_ptr<Pass> literal_flip_reduce_scatter_transpose() {
  return std::make_unique<LiteralFlipReduceScatterTranspose>();
}

}  // namespace flipsat::passes
