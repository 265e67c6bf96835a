#include "language/import.h"

#include <algorithm>
#include <set>
#include <utility>

namespace flipsat::language {
namespace {

using hlo::AttributeKey;
using hlo::Instruction;
using hlo::InstructionId;

// Attributes that an operator holds in a field of its own, and those that decide nothing.
bool is_steering(AttributeKey key) {
  switch (key) {
    case AttributeKey::kDimensions:
    case AttributeKey::kChannelId:
    case AttributeKey::kReplicaGroups:
    case AttributeKey::kUseGlobalDeviceIds:
    case AttributeKey::kConstrainLayout:
    case AttributeKey::kToApply:
    case AttributeKey::kIotaDimension:
    case AttributeKey::kInferredDimension:
    case AttributeKey::kSlice:
    case AttributeKey::kDynamicSliceSizes:
    case AttributeKey::kPadding:
    case AttributeKey::kLhsBatchDims:
    case AttributeKey::kLhsContractingDims:
    case AttributeKey::kRhsBatchDims:
    case AttributeKey::kRhsContractingDims:
    case AttributeKey::kSourceTargetPairs:
    case AttributeKey::kIndex:
    case AttributeKey::kMetadata:
    case AttributeKey::kSharding:
    case AttributeKey::kOrigin:
    case AttributeKey::kStatistics:
      return false;
    default:
      return true;
  }
}

// Attributes that steer, as spelled; their own text is kept beside, so that a new instruction can
// be given the same.
std::string steering_of(const Instruction& instruction, Import& import) {
  std::string steering;
  std::vector<hlo::Attribute> attributes;
  for (const hlo::Attribute& attribute : instruction.attributes) {
    if (!is_steering(attribute.key)) continue;
    steering += attribute.spelled_name();
    steering += '=';
    steering += attribute.text;
    steering += ';';
    attributes.push_back(attribute);
  }
  if (!steering.empty()) import.steering.try_emplace(steering, std::move(attributes));
  return steering;
}

std::vector<int64_t> ints_of(const Instruction& instruction, Kind kind) {
  switch (kind) {
    case Kind::kIota:
      return {instruction.int_attribute(AttributeKey::kIotaDimension, 0)};
    case Kind::kGetTupleElement:
      return {instruction.tuple_index()};
    case Kind::kDynamicSlice:
      return instruction.ints(AttributeKey::kDynamicSliceSizes);
    case Kind::kSlice: {
      std::vector<int64_t> ints;
      const hlo::Attribute* slice = instruction.find(AttributeKey::kSlice);
      for (const hlo::SliceDim& dim : std::get<hlo::SliceDims>(slice->value)) {
        ints.insert(ints.end(), {dim.start, dim.limit, dim.stride});
      }
      return ints;
    }
    case Kind::kPad: {
      std::vector<int64_t> ints;
      const hlo::Attribute* padding = instruction.find(AttributeKey::kPadding);
      for (const hlo::PaddingDim& dim : std::get<hlo::PaddingDims>(padding->value)) {
        ints.insert(ints.end(), {dim.low, dim.high, dim.interior});
      }
      return ints;
    }
    case Kind::kDot:
      return ints_of(DotDims{instruction.ints(AttributeKey::kLhsContractingDims),
                             instruction.ints(AttributeKey::kRhsContractingDims),
                             instruction.ints(AttributeKey::kLhsBatchDims),
                             instruction.ints(AttributeKey::kRhsBatchDims)});
    default:
      return instruction.dimensions();
  }
}

class Importer {
 public:
  Importer(const hlo::Module& module, const ModuleFacts& facts, const std::vector<bool>& near,
           HloGraph& hlo)
      : module_(module), facts_(facts), near_(near), hlo_(hlo) {}

  Import run() {
    import_.class_of.assign(module_.instructions.size(), egraph::kNoId);
    import_.node_of.assign(module_.instructions.size(), egraph::kNoId);
    find_control_successors();
    find_start_indices();
    for (hlo::ComputationId id : module_.order) {
      if (!comes_in(id)) continue;
      import_.regions.push_back(id);
      for (InstructionId instruction : module_.computations[id].instructions) add(instruction);
      for (InstructionId instruction : module_.computations[id].instructions) {
        add_unread_elements(instruction);
      }
    }
    hlo_.graph().rebuild();
    hlo_.set_sums(find_sums(hlo_));
    return std::move(import_);
  }

 private:
  bool comes_in(hlo::ComputationId id) const {
    if (facts_.calls.is_embedded(id)) return false;
    const auto& instructions = module_.computations[id].instructions;
    return std::any_of(instructions.begin(), instructions.end(), [&](InstructionId instruction) {
      return hlo::is_collective(module_[instruction].opcode);
    });
  }

  void find_control_successors() {
    has_control_successor_.assign(module_.instructions.size(), false);
    for (const Instruction& instruction : module_.instructions) {
      for (InstructionId before : instruction.control_predecessors()) {
        has_control_successor_[before] = true;
      }
    }
  }

  // Scalars that say where an algebraic slice starts: only their values by device are asked for.
  void find_start_indices() {
    is_start_index_.assign(module_.instructions.size(), false);
    for (InstructionId id = 0; id < module_.instructions.size(); ++id) {
      const Instruction& instruction = module_[id];
      if (!near_[id]) continue;
      const bool is_slice = instruction.opcode == hlo::Opcode::kDynamicSlice;
      if (!is_slice && instruction.opcode != hlo::Opcode::kDynamicUpdateSlice) continue;
      for (size_t i = is_slice ? 1 : 2; i < instruction.operands.size(); ++i) {
        is_start_index_[instruction.operands[i]] = true;
      }
    }
  }

  void add(InstructionId id) {
    const Instruction& instruction = module_[id];
    std::string reason = "outside the neighbourhood of a collective";
    // A tuple passes values on, whatever they are.
    bool is_tuple = instruction.opcode == hlo::Opcode::kTuple ||
                    instruction.opcode == hlo::Opcode::kGetTupleElement;
    // Some rules ask which number a scalar is: what a reduction starts from, what fills an array.
    bool is_number = instruction.opcode == hlo::Opcode::kConstant && instruction.shape.is_array() &&
                     instruction.shape.rank() == 0;
    if (near_[id] || is_tuple || is_number || hlo::is_collective(instruction.opcode)) {
      reason = opaque_reason(module_, instruction, facts_.counts, has_control_successor_[id]);
    }
    if (hlo::is_collective(instruction.opcode) && !reason.empty()) {
      import_.opaque_collectives.push_back({id, reason});
    }
    if (reason.empty() && instruction.opcode == hlo::Opcode::kCopy) {
      import_.class_of[id] = import_.class_of[instruction.operands[0]];
      return;
    }
    // A collective whose results are a tuple is taken apart where these are read.
    const bool is_algebraic = reason.empty() && (is_tuple || !instruction.shape.is_tuple());
    Operator op = is_algebraic ? algebraic(instruction) : Operator{};
    if (!is_algebraic) {
      op.region = instruction.computation;
      op.identity = id;
      op.opcode = instruction.opcode;
      op.shape = value_shape(instruction.shape);
    }
    std::vector<ClassId> children;
    for (InstructionId operand : instruction.operands) {
      children.push_back(import_.class_of[operand]);
    }
    Facts facts = facts_of(id, op);
    bool is_known = is_collective(op.kind);
    ClassId cls = hlo_.add(std::move(op), children, facts);
    import_.class_of[id] = cls;
    import_.node_of[id] = cls;  // a new class is named by its node; an old one by its first node
    if (is_known) extend_lineage(cls, id);
    if (instruction.opcode == hlo::Opcode::kGetTupleElement) add_single(id);
  }

  // An element of a collective of several operands is what a collective of that operand alone would
  // be: it comes in as that too, and goes out as it was unless something better is found.
  void add_single(InstructionId element) {
    const Instruction& get = module_[element];
    const InstructionId id = get.operands[0];
    if (!is_taken_apart(id)) return;
    is_read_.emplace(id, get.tuple_index());
    hlo_.graph().merge(import_.class_of[element], single(id, get.tuple_index()));
  }

  // What nobody reads any more is still there for who would make it again: a collective that is
  // kept for its other elements, as where one of them is a token.
  void add_unread_elements(InstructionId id) {
    if (!module_[id].shape.is_tuple() || !is_taken_apart(id)) return;
    for (size_t i = 0; i < module_[id].operands.size(); ++i) {
      const int64_t index = static_cast<int64_t>(i);
      if (is_read_.count({id, index})) continue;
      const ClassId alone = single(id, index);
      Operator get;
      get.kind = Kind::kGetTupleElement;
      get.opcode = hlo::Opcode::kGetTupleElement;
      get.region = module_[id].computation;
      get.shape = hlo_.shape(alone);
      get.ints = {index};
      const ClassId children[] = {import_.class_of[id]};
      const Facts facts = hlo_.facts_of(alone);
      hlo_.graph().merge(hlo_.add(std::move(get), children, facts), alone);
    }
  }

  bool is_taken_apart(InstructionId id) const {
    const Instruction& collective = module_[id];
    return hlo::is_collective(collective.opcode) &&
           opaque_reason(module_, collective, facts_.counts, has_control_successor_[id]).empty();
  }

  // A collective of one of the operands.
  ClassId single(InstructionId id, int64_t index) {
    const Instruction& collective = module_[id];
    Operator op;
    op.kind = kind_of(collective.opcode);
    op.opcode = collective.opcode;
    op.region = collective.computation;
    op.shape = value_shape((*collective.shape.parts)[static_cast<size_t>(index)]);
    op.ints = ints_of(collective, op.kind);
    op.collective = collective_of(collective, op.kind);
    const ClassId children[] = {import_.class_of[collective.operands[static_cast<size_t>(index)]]};
    const ClassId alone = hlo_.add(std::move(op), children);
    extend_lineage(alone, id);
    return alone;
  }

  // Duplicates of one collective are one node, which then stands for all of them.
  void extend_lineage(NodeId node, InstructionId id) {
    std::vector<InstructionId> lineage = hlo_.lineage(node);
    lineage.push_back(id);
    hlo_.set_lineage(node, std::move(lineage));
  }

  Operator algebraic(const Instruction& instruction) {
    Operator op;
    op.kind =
        instruction.opcode == hlo::Opcode::kBitcast ? Kind::kReshape : kind_of(instruction.opcode);
    op.opcode = op.kind == Kind::kReshape ? hlo::Opcode::kReshape : instruction.opcode;
    op.region = instruction.computation;
    op.shape = value_shape(instruction.shape);
    op.literal = instruction.literal;
    op.ints = ints_of(instruction, op.kind);
    if (is_collective(op.kind)) {
      op.collective = collective_of(instruction, op.kind);
    } else {
      op.steering = steering_of(instruction, import_);
    }
    if (op.kind == Kind::kReduce) {
      op.reducer = hlo::recognise_reducer(module_, instruction.called_computations()[0]);
    }
    return op;
  }

  CollectiveIndex collective_of(const Instruction& instruction, Kind kind) {
    Collective collective;
    collective.has_channel = instruction.channel_id().has_value();
    collective.is_exchange = kind == Kind::kAllToAll || kind == Kind::kCollectivePermute;
    collective.steering = steering_of(instruction, import_);
    if (kind == Kind::kCollectivePermute) {
      collective.pairs =
          std::make_shared<const hlo::DevicePairs>(*hlo::device_pairs(instruction, facts_.counts));
      return hlo_.collectives().intern(std::move(collective));
    }
    hlo::DeviceGroupsRef ordered = hlo::device_groups(instruction, facts_.counts);
    hlo_.collectives().remember_spelling(instruction, *ordered, CollectiveTable::Members::kOrdered);
    collective.groups = ordered;
    if (kind == Kind::kAllReduce) {
      // Who is in a group matters to a sum, not in which order.
      collective.groups = std::make_shared<const hlo::DeviceGroups>(ordered->without_order());
      hlo_.collectives().remember_spelling(instruction, *collective.groups,
                                           CollectiveTable::Members::kInAnyOrder);
    }
    collective.use_global_device_ids =
        instruction.bool_attribute(AttributeKey::kUseGlobalDeviceIds, false);
    if (kind == Kind::kAllReduce || kind == Kind::kReduceScatter) {
      collective.reducer = hlo::recognise_reducer(module_, instruction.called_computations()[0]);
    }
    return hlo_.collectives().intern(std::move(collective));
  }

  Facts facts_of(InstructionId id, const Operator& op) {
    Facts facts;
    facts.shape = hlo_.facts().intern_shape(op.shape);
    facts.region = op.region;
    facts.uniform = hlo_.facts().intern_partition(facts_.uniformity.of(id));
    if (is_start_index_[id]) {
      if (auto values = facts_.values.scalar(id)) {
        facts.values = hlo_.facts().intern_values(*values);
      }
    }
    return facts;
  }

  const hlo::Module& module_;
  const ModuleFacts& facts_;
  const std::vector<bool>& near_;
  HloGraph& hlo_;
  Import import_;
  std::vector<bool> has_control_successor_;
  std::vector<bool> is_start_index_;
  std::set<std::pair<InstructionId, int64_t>> is_read_;  // collective, element
};

}  // namespace

Import import_module(const hlo::Module& module, const ModuleFacts& facts,
                     const std::vector<bool>& near_collectives, HloGraph& hlo) {
  return Importer(module, facts, near_collectives, hlo).run();
}

}  // namespace flipsat::language
