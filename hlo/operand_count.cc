#include "hlo/operand_count.h"

namespace flipsat::hlo {

OperandCount operand_count(Opcode opcode) {
  if (size_t arity = static_cast<size_t>(elementwise_arity(opcode))) return {arity, arity};
  switch (opcode) {
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kParameter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngGetAndUpdateState:
      return {0, 0};
    case Opcode::kInfeed:
    case Opcode::kRecv:
      return {0, 1};
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncUpdate:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kCholesky:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopy:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kFft:
    case Opcode::kGetDimensionSize:
    case Opcode::kGetTupleElement:
    case Opcode::kOptBarrier:
    case Opcode::kRecvDone:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kRngBitGenerator:
    case Opcode::kSendDone:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kWhile:
      return {1, 1};
    case Opcode::kOutfeed:
      return {1, 2};
    case Opcode::kAddDependency:
    case Opcode::kGather:
    case Opcode::kPad:
    case Opcode::kSend:
    case Opcode::kSetDimensionSize:
    case Opcode::kTriangularSolve:
      return {2, 2};
    case Opcode::kConvolution:
    case Opcode::kDot:
      return {2, OperandCount::kAny};  // sparse ones carry metadata operands
    case Opcode::kBatchNormTraining:
    case Opcode::kRaggedDot:
    case Opcode::kSelectAndScatter:
      return {3, 3};
    case Opcode::kScaledDot:
      return {4, 4};
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
      return {5, 5};
    case Opcode::kRaggedAllToAll:
      return {6, 6};
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kConcatenate:
    case Opcode::kConditional:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kMap:
    case Opcode::kReduceScatter:
    case Opcode::kScan:
    case Opcode::kSort:
    case Opcode::kTopk:
      return {1, OperandCount::kAny};
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return {2, OperandCount::kAny};
    case Opcode::kScatter:
      return {3, OperandCount::kAny};
    default:
      return {};
  }
}

std::string to_string(OperandCount count) {
  const std::string least = std::to_string(count.least);
  if (count.most == OperandCount::kAny) return "at least " + least;
  return count.most == count.least ? least : least + " to " + std::to_string(count.most);
}

}  // namespace flipsat::hlo
