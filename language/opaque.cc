#include "hlo/frontend_attributes.h"
#include "hlo/reducer.h"
#include "language/import.h"

namespace flipsat::language {
namespace {

int packed_width(const hlo::Shape& shape) { return shape.layout ? shape.layout->element_bits : 0; }

bool is_row_major(const hlo::Shape& shape) {
  if (!shape.layout) return true;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.layout->minor_to_major[i] != shape.rank() - 1 - i) return false;
  }
  return true;
}

// Of one of its operands and the result for it.
std::string opaque_operand_reason(const hlo::Module& module, const hlo::Instruction& instruction,
                                  const hlo::DeviceCounts& counts, hlo::InstructionId operand,
                                  const hlo::Shape& result) {
  const hlo::DeviceGroupsRef groups = hlo::device_groups(instruction, counts);
  if (groups && !hlo::shapes_fit_groups(instruction, module[operand].shape, result, *groups)) {
    return "shapes that do not fit its groups";
  }
  if (packed_width(result) != packed_width(module[operand].shape)) {
    return "operand and result are packed differently";
  }
  if (instruction.opcode != hlo::Opcode::kAllReduce &&
      instruction.opcode != hlo::Opcode::kReduceScatter) {
    return {};
  }
  hlo::ComputationList called = instruction.called_computations();
  std::optional<hlo::Reducer> reducer =
      called.size() == 1 ? hlo::recognise_reducer(module, called[0]) : std::nullopt;
  if (!reducer) return "reducer of no known kind";
  if (reducer->type != result.type) return "reducer of another type than its data";
  return {};
}

// Whatever its operands are.
std::string opaque_collective_reason(const hlo::Instruction& instruction,
                                     const hlo::DeviceCounts& counts) {
  if (instruction.bool_attribute(hlo::AttributeKey::kConstrainLayout, false)) {
    return "constrained layout";
  }
  if (!counts.known) return "device count not known";
  if (hlo::frontend_attribute(instruction, "_scheduling_group_id")) return "scheduling group";
  if (instruction.opcode == hlo::Opcode::kCollectivePermute) {
    if (!hlo::device_pairs(instruction, counts)) return "pairs that do not fit the device count";
    return {};
  }
  hlo::DeviceGroupsRef groups = hlo::device_groups(instruction, counts);
  if (!groups) return "replica groups that do not fit the device count";
  if (groups->group_size() == 0) return "groups of unequal size";
  return {};
}

// Gathers and reductions of several operands, or of one in a tuple, are taken one by one.
std::string opaque_tuple_reason(const hlo::Module& module, const hlo::Instruction& instruction,
                                const hlo::DeviceCounts& counts, Kind kind) {
  const bool can_be_split =
      kind == Kind::kAllGather || kind == Kind::kAllReduce || kind == Kind::kReduceScatter;
  if (!can_be_split || !instruction.shape.is_tuple() ||
      instruction.shape.parts->size() != instruction.operands.size()) {
    return "several operands";
  }
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const hlo::Shape& result = (*instruction.shape.parts)[i];
    if (!result.is_array()) return "no array";
    if (hlo::has_binding_layout(result)) return "layout with tiles or a memory space";
    if (!result.is_static()) return "dynamic dimension";
    // A scalar passes a gather or scatter as it is.
    if (kind != Kind::kAllReduce && result.rank() == 0) return "a scalar beside arrays";
    std::string reason =
        opaque_operand_reason(module, instruction, counts, instruction.operands[i], result);
    if (!reason.empty()) return reason;
  }
  return {};
}

}  // namespace

std::string opaque_reason(const hlo::Module& module, const hlo::Instruction& instruction,
                          const hlo::DeviceCounts& counts, bool has_control_successor) {
  if (has_control_successor || !instruction.control_predecessors().empty()) {
    return "control dependency";
  }
  if (instruction.is_inlined) return "written inside another instruction";
  bool is_bitcast = instruction.opcode == hlo::Opcode::kBitcast;
  Kind kind = is_bitcast ? Kind::kReshape : kind_of(instruction.opcode);
  if (kind == Kind::kOpaque && instruction.opcode != hlo::Opcode::kCopy) return "no algebra for it";
  if (kind == Kind::kTuple || kind == Kind::kGetTupleElement) return {};
  if (hlo::has_binding_layout(instruction.shape)) return "layout with tiles or a memory space";
  if (!instruction.shape.is_static()) return "dynamic dimension";
  for (hlo::InstructionId operand : instruction.operands) {
    const hlo::Shape& shape = module[operand].shape;
    if (hlo::has_binding_layout(shape)) return "operand layout with tiles or a memory space";
    if (!shape.is_static()) return "dynamic dimension";
  }
  if (is_collective(kind)) {
    std::string reason = opaque_collective_reason(instruction, counts);
    if (!reason.empty()) return reason;
    if (instruction.operands.size() != 1 || !instruction.shape.is_array()) {
      return opaque_tuple_reason(module, instruction, counts, kind);
    }
    if (kind == Kind::kAllToAll && instruction.dimensions().size() != 1) {
      return "no split dimension";
    }
    return opaque_operand_reason(module, instruction, counts, instruction.operands[0],
                                 instruction.shape);
  }
  if (!instruction.shape.is_array()) return "no array";
  if (is_bitcast) {
    const hlo::Shape& from = module[instruction.operands[0]].shape;
    if (from.type != instruction.shape.type || !is_row_major(from) ||
        !is_row_major(instruction.shape)) {
      return "bitcast that is no reshape";
    }
  }
  if (kind == Kind::kDynamicSlice &&
      instruction.operands.size() != static_cast<size_t>(instruction.shape.rank()) + 1) {
    return "start indices in one operand";
  }
  if (kind == Kind::kDynamicUpdateSlice &&
      instruction.operands.size() != static_cast<size_t>(instruction.shape.rank()) + 2) {
    return "start indices in one operand";
  }
  if (kind == Kind::kReduce) {
    if (instruction.operands.size() != 2) return "several operands";
    hlo::ComputationList called = instruction.called_computations();
    std::optional<hlo::Reducer> reducer =
        called.size() == 1 ? hlo::recognise_reducer(module, called[0]) : std::nullopt;
    if (!reducer) return "reducer of no known kind";
    if (reducer->type != instruction.shape.type ||
        reducer->type != module[instruction.operands[0]].shape.type) {
      return "reducer of another type than its data";
    }
  }
  if (kind == Kind::kConstant && (!instruction.literal || instruction.literal->elided)) {
    return "elided constant";
  }
  return {};
}

}  // namespace flipsat::language
