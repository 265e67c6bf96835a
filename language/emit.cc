#include "language/emit.h"

#include <algorithm>
#include <iterator>

namespace flipsat::language {
namespace {

using hlo::AttributeKey;

// What an instruction says of its value, whatever computes it.
constexpr AttributeKey kOfTheValue[] = {AttributeKey::kSharding, AttributeKey::kStatistics,
                                        AttributeKey::kOrigin};

void add(hlo::Instruction& instruction, AttributeKey key, hlo::AttributeValue value) {
  hlo::Attribute attribute;
  attribute.key = key;
  attribute.value = std::move(value);
  instruction.attributes.push_back(std::move(attribute));
}

void add_dot_dims(const DotDims& dims, hlo::Instruction& dot) {
  auto add_list = [&](AttributeKey key, const std::vector<int64_t>& list) {
    if (!list.empty()) add(dot, key, list);
  };
  add_list(AttributeKey::kLhsBatchDims, dims.lhs_batch);
  add_list(AttributeKey::kLhsContractingDims, dims.lhs_contracting);
  add_list(AttributeKey::kRhsBatchDims, dims.rhs_batch);
  add_list(AttributeKey::kRhsContractingDims, dims.rhs_contracting);
}

std::shared_ptr<const hlo::Layout> row_major(int rank) {
  auto layout = std::make_shared<hlo::Layout>();
  for (int dim = rank - 1; dim >= 0; --dim) layout->minor_to_major.push_back(dim);
  return layout;
}

}  // namespace

bool is_of_the_value(AttributeKey key) {
  return std::ranges::find(kOfTheValue, key) != std::end(kOfTheValue);
}

Emitter::Emitter(const hlo::Module& input, const Import& import, HloGraph& hlo)
    : input_(input), import_(import), hlo_(hlo) {
  const hlo::Computation& entry = input.entry_computation();
  for (hlo::InstructionId id : entry.instructions) {
    if (input[id].shape.is_array()) prints_layouts_ |= input[id].shape.layout != nullptr;
  }
  for (hlo::InstructionId id = 0; id < import.node_of.size(); ++id) {
    if (import.node_of[id] != egraph::kNoId) origin_.emplace(import.node_of[id], id);
  }
}

hlo::Instruction Emitter::emit(hlo::Module& module, NodeId node,
                               std::vector<hlo::InstructionId> operands,
                               hlo::InstructionId stands_for) {
  const Operator& op = hlo_.op(node);
  hlo::Instruction instruction;
  instruction.opcode = op.opcode;
  instruction.shape = op.shape;
  instruction.operands = std::move(operands);
  instruction.touched = true;
  instruction.literal = op.literal;
  if (op.kind == Kind::kGetTupleElement) {
    const hlo::Shape& tuple = module[instruction.operands[0]].shape;
    instruction.shape.layout = (*tuple.parts)[static_cast<size_t>(op.ints[0])].layout;
  } else {
    give_layout(module, stands_for, instruction);
  }
  add_attributes(module, node, instruction);
  if (stands_for != hlo::kNoId) {
    for (AttributeKey key : kOfTheValue) {
      const hlo::Attribute* attribute = input_[stands_for].find(key);
      if (attribute) instruction.attributes.push_back(*attribute);
    }
  }
  hlo::InstructionId model = like(node, stands_for);
  if (model != hlo::kNoId) {
    if (const hlo::Attribute* metadata = input_[model].find(AttributeKey::kMetadata)) {
      instruction.attributes.push_back(*metadata);
    }
  }
  return instruction;
}

void Emitter::set_channel(hlo::Instruction& instruction, int64_t channel) {
  for (hlo::Attribute& attribute : instruction.attributes) {
    if (attribute.key == AttributeKey::kChannelId) attribute.value = channel;
  }
}

// Whose metadata tells best where the instruction comes from.
hlo::InstructionId Emitter::like(NodeId node, hlo::InstructionId stands_for) const {
  const auto& lineage = hlo_.lineage(node);
  if (!lineage.empty()) return lineage.front();
  if (stands_for != hlo::kNoId) return stands_for;
  auto model = origin_.find(hlo_.model_of(node));
  return model == origin_.end() ? hlo::kNoId : model->second;
}

// Layouts are hints before layout assignment: a value keeps the one it had, an operation on each
// element follows its operand, anything else gets the default.
void Emitter::give_layout(const hlo::Module& module, hlo::InstructionId stands_for,
                          hlo::Instruction& instruction) const {
  if (stands_for != hlo::kNoId) {
    instruction.shape.layout = input_[stands_for].shape.layout;
    return;
  }
  if (!prints_layouts_ || instruction.shape.layout) return;  // packed ones have theirs
  int rank = instruction.shape.rank();
  bool follows = instruction.opcode != hlo::Opcode::kReshape &&
                 instruction.opcode != hlo::Opcode::kTranspose &&
                 instruction.opcode != hlo::Opcode::kBroadcast &&
                 instruction.opcode != hlo::Opcode::kDot && !instruction.operands.empty();
  const hlo::Shape* operand = follows ? &module[instruction.operands[0]].shape : nullptr;
  bool can_follow =
      operand && operand->rank() == rank && operand->layout && operand->layout->extras.empty();
  instruction.shape.layout = can_follow ? operand->layout : row_major(rank);
}

void Emitter::add_attributes(hlo::Module& module, NodeId node, hlo::Instruction& instruction) {
  const Operator& op = hlo_.op(node);
  switch (op.kind) {
    case Kind::kTranspose:
    case Kind::kBroadcast:
    case Kind::kReverse:
    case Kind::kConcatenate:
      add(instruction, AttributeKey::kDimensions, op.ints);
      break;
    case Kind::kDynamicSlice:
      add(instruction, AttributeKey::kDynamicSliceSizes, op.ints);
      break;
    case Kind::kIota:
      add(instruction, AttributeKey::kIotaDimension, op.ints[0]);
      break;
    case Kind::kGetTupleElement:
      add(instruction, AttributeKey::kIndex, op.ints[0]);
      break;
    case Kind::kSlice: {
      hlo::SliceDims dims;
      for (size_t i = 0; i < op.ints.size(); i += 3) {
        dims.push_back({op.ints[i], op.ints[i + 1], op.ints[i + 2]});
      }
      add(instruction, AttributeKey::kSlice, std::move(dims));
      break;
    }
    case Kind::kPad:
      add(instruction, AttributeKey::kPadding, padding_dims(op));
      break;
    case Kind::kReduce: {
      auto model = origin_.find(hlo_.model_of(node));
      std::vector<hlo::InstructionId> models;
      if (model != origin_.end()) models.push_back(model->second);
      add(instruction, AttributeKey::kDimensions, op.ints);
      add(instruction, AttributeKey::kToApply,
          hlo::ComputationList{reducer_for(module, *op.reducer, models)});
      break;
    }
    case Kind::kDot:
      add_dot_dims(dot_dims(op), instruction);
      break;
    case Kind::kAllGather:
    case Kind::kAllReduce:
    case Kind::kReduceScatter:
    case Kind::kAllToAll:
    case Kind::kCollectivePermute:
      add_collective_attributes(module, node, instruction);
      break;
    default:
      break;
  }
  const std::string& steering =
      is_collective(op.kind) ? hlo_.collective(node).steering : op.steering;
  auto it = import_.steering.find(steering);
  if (it == import_.steering.end()) return;
  instruction.attributes.insert(instruction.attributes.end(), it->second.begin(), it->second.end());
}

void Emitter::add_collective_attributes(hlo::Module& module, NodeId node,
                                        hlo::Instruction& instruction) {
  const Operator& op = hlo_.op(node);
  const Collective& collective = hlo_.collective(node);
  if (collective.has_channel) add(instruction, AttributeKey::kChannelId, int64_t{0});
  if (collective.pairs) {
    instruction.attributes.push_back(hlo_.collectives().spelling_of_pairs(collective));
    return;
  }
  instruction.attributes.push_back(hlo_.collectives().spelling(
      collective, op.kind == Kind::kAllReduce ? CollectiveTable::Members::kInAnyOrder
                                              : CollectiveTable::Members::kOrdered));
  auto add_dimension = [&] { add(instruction, AttributeKey::kDimensions, op.ints); };
  if (op.kind == Kind::kAllGather) add_dimension();
  if (collective.use_global_device_ids) add(instruction, AttributeKey::kUseGlobalDeviceIds, true);
  if (op.kind == Kind::kReduceScatter || op.kind == Kind::kAllToAll) add_dimension();
  if (!collective.reducer) return;
  add(instruction, AttributeKey::kToApply,
      hlo::ComputationList{reducer_for(module, *collective.reducer, hlo_.lineage(node))});
}

// That of one of the models where it is the same, else one of the module's own.
hlo::ComputationId Emitter::reducer_for(hlo::Module& module, const hlo::Reducer& reducer,
                                        const std::vector<hlo::InstructionId>& models) {
  for (hlo::InstructionId source : models) {
    hlo::ComputationList called = input_[source].called_computations();
    if (called.size() == 1 && hlo::recognise_reducer(input_, called[0]) == reducer) {
      return called[0];
    }
  }
  auto [it, is_new] = reducers_.try_emplace(std::pair(reducer.kind, reducer.type));
  if (is_new) it->second = hlo::find_or_add_reducer(module, reducer.kind, reducer.type);
  return it->second;
}

}  // namespace flipsat::language
