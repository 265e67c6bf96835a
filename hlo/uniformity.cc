#include "hlo/uniformity.h"

#include "hlo/uniformity_analysis.h"

namespace flipsat::hlo {

bool is_device_blind(Opcode opcode) {
  if (elementwise_arity(opcode) > 0) return true;
  switch (opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kCholesky:
    case Opcode::kConcatenate:
    case Opcode::kConstant:
    case Opcode::kConvolution:
    case Opcode::kCopy:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kDot:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kFft:
    case Opcode::kGather:
    case Opcode::kGetDimensionSize:
    case Opcode::kGetTupleElement:
    case Opcode::kIota:
    case Opcode::kMap:
    case Opcode::kOptBarrier:
    case Opcode::kPad:
    case Opcode::kRaggedDot:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSetDimensionSize:
    case Opcode::kSlice:
    case Opcode::kSort:
    case Opcode::kTopk:
    case Opcode::kTranspose:
    case Opcode::kTriangularSolve:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

Uniformity::Uniformity(const Module& module, const DeviceCounts& counts, const CallGraph& calls,
                       const UniformityOptions& options) {
  UniformityAnalysis analysis(module, counts, calls, options);
  analysis.run();
  fact_ = analysis.value_facts();
  interned_ = analysis.table().take();
  leaf_facts_ = analysis.take_leaf_facts();
  leaf_begin_ = analysis.take_leaf_begin();
}

}  // namespace flipsat::hlo
