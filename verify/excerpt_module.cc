#include "verify/excerpt_module.h"

#include "verify/same_operation.h"

namespace flipsat::verify {

using hlo::AttributeKey;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

ExcerptModule::ExcerptModule(const Module& source, const hlo::DeviceCounts& counts)
    : source_(source) {
  module_.name = "excerpt";
  module_.replica_count = counts.replicas;
  module_.num_partitions = counts.partitions;
  module_.entry = 0;
  module_.computations.emplace_back();
  module_.computations[0].name = "excerpt";
  module_.computations[0].is_entry = true;
}

InstructionId ExcerptModule::add(ComputationId computation, Instruction instruction) {
  auto id = static_cast<InstructionId>(module_.instructions.size());
  // Numbered, since one value may be there more than once.
  instruction.name += '.';
  instruction.name += std::to_string(id);
  instruction.computation = computation;
  instruction.touched = true;
  if (instruction.opcode == Opcode::kParameter) {
    auto& parameters = module_.computations[computation].parameters;
    auto number = static_cast<size_t>(instruction.parameter_number);
    if (parameters.size() <= number) parameters.resize(number + 1, hlo::kNoId);
    parameters[number] = id;
  }
  module_.computations[computation].instructions.push_back(id);
  module_.instructions.push_back(std::move(instruction));
  return id;
}

InstructionId ExcerptModule::add_parameter(const std::string& name, const hlo::Shape& shape) {
  Instruction parameter;
  parameter.name = name;
  parameter.opcode = Opcode::kParameter;
  parameter.shape = shape;
  parameter.parameter_number = static_cast<int64_t>(module_.computations[0].parameters.size());
  return add(0, std::move(parameter));
}

// Without what steers nothing, with computations that are copied too. Operands stay to be set.
Instruction ExcerptModule::copy_of(InstructionId id) {
  Instruction copy = source_[id];
  copy.text = {};
  copy.operands_text = {};
  copy.implicit = copy.is_inlined = false;
  std::erase_if(copy.attributes,
                [&](const hlo::Attribute& attribute) { return is_remark(copy, attribute.key); });
  for (hlo::Attribute& attribute : copy.attributes) {
    if (auto* called = std::get_if<hlo::ComputationList>(&attribute.value)) {
      for (ComputationId& computation : *called) computation = copy_computation(computation);
      attribute.text = {};
    } else if (attribute.key == AttributeKey::kChannelId) {
      attribute.value = ++channels_;  // two copies are two collectives
      attribute.text = {};
    }
  }
  return copy;
}

ComputationId ExcerptModule::copy_computation(ComputationId id) {
  if (auto found = copied_.find(id); found != copied_.end()) return found->second;
  auto made = static_cast<ComputationId>(module_.computations.size());
  copied_.emplace(id, made);
  module_.computations.emplace_back();
  std::string& name = module_.computations[made].name;
  name = "called.";
  name += std::to_string(made);
  std::map<InstructionId, InstructionId> known;
  for (InstructionId line : source_.computations[id].instructions) {
    Instruction copy = copy_of(line);
    for (InstructionId& operand : copy.operands) operand = known.at(operand);
    known[line] = add(made, std::move(copy));
  }
  module_.computations[made].root = known.at(source_.computations[id].root);
  module_.order.push_back(made);
  return made;
}

void ExcerptModule::add_lines(const std::vector<InstructionId>& lines,
                              std::map<InstructionId, InstructionId>& known) {
  for (InstructionId line : lines) {
    Instruction copy = copy_of(line);
    for (InstructionId& operand : copy.operands) operand = known.at(operand);
    known[line] = add(0, std::move(copy));
  }
}

void ExcerptModule::add_result(InstructionId value) {
  if (!module_[value].shape.is_tuple()) {
    results_.push_back(value);
    return;
  }
  const std::vector<hlo::Shape> parts = *module_[value].shape.parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    Instruction element;
    element.name = "element";
    element.opcode = Opcode::kGetTupleElement;
    element.shape = parts[i];
    element.operands = {value};
    element.set(AttributeKey::kIndex, static_cast<int64_t>(i));
    add_result(add(0, std::move(element)));
  }
}

Module ExcerptModule::finish() {
  Instruction results;
  results.name = "results";
  results.opcode = Opcode::kTuple;
  std::vector<hlo::Shape> shapes;
  for (InstructionId id : results_) shapes.push_back(module_[id].shape);
  results.shape = hlo::Shape::tuple(std::move(shapes));
  results.operands = results_;
  InstructionId root = add(0, std::move(results));
  module_.computations[0].root = root;
  module_.order.push_back(0);
  return std::move(module_);
}

}  // namespace flipsat::verify
