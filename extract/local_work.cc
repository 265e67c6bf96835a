// Local work of one instruction.
//
// Compilers fuse chains of elementwise operations, so that what stands between two of them is never
// written. How much is fused is not simulated: an elementwise operation is charged half of what it
// would read and write alone, which keeps the charge growing with its bytes and with the number of
// operations, and alike in every program compared. Broadcasts are fused into their users, who are
// charged for reading the result. Everything that moves data is charged in full.

#include "extract/machine_model.h"
#include "extract/program_cost.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

using hlo::Dims;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;
using hlo::Shape;

constexpr int64_t kFusedShare = 2;  // elementwise operations are charged one part in so many

int64_t operand_bytes(const Module& module, const Instruction& instruction) {
  int64_t bytes = 0;
  for (hlo::InstructionId operand : instruction.operands) {
    bytes = saturating_add(bytes, module[operand].shape.byte_size());
  }
  return bytes;
}

int64_t bytes_of_operand(const Module& module, const Instruction& instruction, size_t index) {
  if (index >= instruction.operands.size()) return 0;
  return module[instruction.operands[index]].shape.byte_size();
}

Dims without_unit_dims(const Dims& dims) {
  Dims kept;
  for (int64_t size : dims) {
    if (size != 1) kept.push_back(size);
  }
  return kept;
}

// Keeps the two minor-most dims (unit dims do not count), or splits or merges the second one in
// whole tiles.
bool keeps_tiles(const Dims& from, const Dims& to, int64_t tile_rows) {
  if (tile_rows == 0) return true;
  const Dims a = without_unit_dims(from);
  const Dims b = without_unit_dims(to);
  if (a == b) return true;
  if (a.empty() || b.empty() || a.back() != b.back()) return false;
  const int64_t rows_a = a.size() > 1 ? a[a.size() - 2] : 1;
  const int64_t rows_b = b.size() > 1 ? b[b.size() - 2] : 1;
  return rows_a == rows_b || (rows_a % tile_rows == 0 && rows_b % tile_rows == 0);
}

// Moves unit dims only.
bool keeps_order(const Instruction& transpose, const Dims& from) {
  int64_t last = -1;
  for (int64_t dim : transpose.dimensions()) {
    if (dim < 0 || dim >= static_cast<int64_t>(from.size())) return false;
    if (from[static_cast<size_t>(dim)] == 1) continue;
    if (dim < last) return false;
    last = dim;
  }
  return true;
}

// A multiplication and an addition for every element of the result and of the contracted dims.
int64_t dot_flops(const Module& module, const Instruction& dot) {
  if (dot.operands.empty()) return 0;
  const Dims& lhs = module[dot.operands[0]].shape.dims;
  int64_t flops = saturating_multiply(2, dot.shape.element_count());
  for (int64_t dim : dot.ints(hlo::AttributeKey::kLhsContractingDims)) {
    if (dim < 0 || dim >= static_cast<int64_t>(lhs.size())) continue;
    flops = saturating_multiply(flops, lhs[static_cast<size_t>(dim)]);
  }
  return flops;
}

// Bytes read and written; 0 for what moves nothing itself.
int64_t moved_bytes(const Module& module, const Instruction& instruction, const Machine& machine) {
  const int64_t result = instruction.shape.byte_size();
  const int64_t all = saturating_add(operand_bytes(module, instruction), result);
  if (hlo::elementwise_arity(instruction.opcode) > 0) {
    return all / kFusedShare + all % kFusedShare;
  }
  switch (instruction.opcode) {
    // Names for what is there already, or parts that are priced where they stand.
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kBitcast:
    case Opcode::kCall:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kConditional:
    case Opcode::kConstant:
    case Opcode::kCopyDone:
    case Opcode::kDomain:
    case Opcode::kGetDimensionSize:
    case Opcode::kGetTupleElement:
    case Opcode::kInfeed:
    case Opcode::kIota:
    case Opcode::kOptBarrier:
    case Opcode::kOutfeed:
    case Opcode::kParameter:
    case Opcode::kPartitionId:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kReplicaId:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return 0;
    case Opcode::kBroadcast:
      return operand_bytes(module, instruction);
    case Opcode::kReshape: {
      if (instruction.operands.empty()) return 0;
      const Shape& from = module[instruction.operands[0]].shape;
      return keeps_tiles(from.dims, instruction.shape.dims, machine.tile_rows) ? 0 : all;
    }
    case Opcode::kTranspose: {
      if (instruction.operands.empty()) return 0;
      return keeps_order(instruction, module[instruction.operands[0]].shape.dims) ? 0 : all;
    }
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
      return saturating_add(result, result);
    case Opcode::kGather:
      return saturating_add(saturating_add(result, result),
                            bytes_of_operand(module, instruction, 1));
    case Opcode::kDynamicUpdateSlice: {  // in place
      const int64_t update = bytes_of_operand(module, instruction, 1);
      return saturating_add(update, update);
    }
    default:
      return all;
  }
}

// A gather or scatter moves whole shards. Along any dim but the first of size above one a shard is
// not contiguous, so the full array is packed before or unpacked after: read once and written once.
// [S openxla/xla#33260: a gather along a minor dim costs transposes]
Picoseconds packing_work(const Module& module, const Instruction& instruction,
                         const Machine& machine) {
  const bool is_gather = instruction.opcode == Opcode::kAllGather;
  if (!is_gather && instruction.opcode != Opcode::kReduceScatter) return 0;
  if (instruction.dimensions().size() != 1 || instruction.operands.size() != 1) return 0;
  const Shape& full = is_gather ? instruction.shape : module[instruction.operands[0]].shape;
  const int64_t dim = instruction.dimensions()[0];
  if (!full.is_array() || dim < 0 || dim >= full.rank()) return 0;
  if (hlo::product(full.dims, 0, static_cast<int>(dim)) <= 1) return 0;
  const int64_t bytes = full.byte_size();
  return memory_time(machine, saturating_add(bytes, bytes));
}

}  // namespace

Picoseconds local_work(const Module& module, const Instruction& instruction,
                       const Machine& machine) {
  if (hlo::is_collective(instruction.opcode)) return packing_work(module, instruction, machine);
  const Picoseconds moving = memory_time(machine, moved_bytes(module, instruction, machine));
  if (instruction.opcode != Opcode::kDot) return moving;
  return saturating_add(moving, matrix_time(machine, dot_flops(module, instruction)));
}

}  // namespace flipsat::extract
