#include "frontends/text/opcode_rules.h"

#include <span>

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::Instruction;
using hlo::Opcode;

namespace {

using Keys = std::span<const AttributeKey>;

Keys required_attributes(Opcode opcode) {
  using K = AttributeKey;
  static constexpr K kDimensions[] = {K::kDimensions};
  static constexpr K kToApply[] = {K::kToApply};
  static constexpr K kDimensionsToApply[] = {K::kDimensions, K::kToApply};
  static constexpr K kPermute[] = {K::kSourceTargetPairs};
  static constexpr K kIota[] = {K::kIotaDimension};
  static constexpr K kSlice[] = {K::kSlice};
  static constexpr K kDynamicSlice[] = {K::kDynamicSliceSizes};
  static constexpr K kPad[] = {K::kPadding};
  static constexpr K kSelectScatter[] = {K::kSelect, K::kScatter};
  static constexpr K kTopk[] = {K::kK};
  static constexpr K kCompare[] = {K::kDirection};
  static constexpr K kConvolution[] = {K::kDimLabels};
  static constexpr K kGather[] = {K::kOffsetDims, K::kCollapsedSliceDims, K::kStartIndexMap,
                                  K::kIndexVectorDim, K::kSliceSizes};
  static constexpr K kScatter[] = {K::kUpdateWindowDims, K::kInsertedWindowDims,
                                   K::kScatterDimsToOperandDims, K::kIndexVectorDim, K::kToApply};
  static constexpr K kWhile[] = {K::kCondition, K::kBody};
  static constexpr K kFusion[] = {K::kKind, K::kCalls};
  static constexpr K kCustomCall[] = {K::kCustomCallTarget};
  static constexpr K kGetTupleElement[] = {K::kIndex};
  static constexpr K kRng[] = {K::kDistribution};
  static constexpr K kRngBits[] = {K::kAlgorithm};
  static constexpr K kRngState[] = {K::kDelta};
  static constexpr K kReducePrecision[] = {K::kExponentBits, K::kMantissaBits};
  static constexpr K kBatchNorm[] = {K::kEpsilon, K::kFeatureIndex};
  static constexpr K kFft[] = {K::kFftType, K::kFftLength};
  static constexpr K kDomain[] = {K::kDomain};
  static constexpr K kAsyncStart[] = {K::kCalls};
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
      return kDimensions;
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kMap:
    case Opcode::kReduceWindow:
    case Opcode::kCall:
      return kToApply;
    case Opcode::kReduceScatter:
    case Opcode::kReduce:
    case Opcode::kScan:
    case Opcode::kSort:
      return kDimensionsToApply;
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      return kPermute;
    case Opcode::kIota:
      return kIota;
    case Opcode::kSlice:
      return kSlice;
    case Opcode::kDynamicSlice:
      return kDynamicSlice;
    case Opcode::kPad:
      return kPad;
    case Opcode::kSelectAndScatter:
      return kSelectScatter;
    case Opcode::kTopk:
      return kTopk;
    case Opcode::kCompare:
      return kCompare;
    case Opcode::kConvolution:
      return kConvolution;
    case Opcode::kGather:
      return kGather;
    case Opcode::kScatter:
      return kScatter;
    case Opcode::kWhile:
      return kWhile;
    case Opcode::kFusion:
      return kFusion;
    case Opcode::kCustomCall:
      return kCustomCall;
    case Opcode::kGetTupleElement:
      return kGetTupleElement;
    case Opcode::kRng:
      return kRng;
    case Opcode::kRngBitGenerator:
      return kRngBits;
    case Opcode::kRngGetAndUpdateState:
      return kRngState;
    case Opcode::kReducePrecision:
      return kReducePrecision;
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return kBatchNorm;
    case Opcode::kFft:
      return kFft;
    case Opcode::kDomain:
      return kDomain;
    case Opcode::kAsyncStart:
      return kAsyncStart;
    default:
      return {};
  }
}

void check_collective(Scanner& in, const Instruction& instruction, Opcode opcode,
                      size_t opcode_at) {
  bool reduces = opcode == Opcode::kAllReduce || opcode == Opcode::kReduceScatter;
  if (reduces && instruction.bool_attribute(AttributeKey::kUseGlobalDeviceIds, false) &&
      !instruction.has(AttributeKey::kChannelId)) {
    in.fail_at(opcode_at, "expected channel_id with use_global_device_ids=true");
  }
  bool one_dim = opcode == Opcode::kAllGather || opcode == Opcode::kReduceScatter ||
                 (opcode == Opcode::kAllToAll && instruction.has(AttributeKey::kDimensions));
  if (one_dim && instruction.dimensions().size() != 1) {
    in.fail_at(opcode_at, "expected exactly one dim in dimensions");
  }
  constexpr size_t kSlicedPermuteOperands = 4;
  if (opcode == Opcode::kCollectivePermute && instruction.has(AttributeKey::kSliceSizes) &&
      instruction.operands.size() != kSlicedPermuteOperands) {
    in.fail_at(opcode_at, "expected 4 operands with slice_sizes");
  }
}

std::string count_text(OperandCount count) {
  std::string text = std::to_string(count.least);
  if (count.most == SIZE_MAX) return "at least " + text;
  return count.most == count.least ? text : text + " to " + std::to_string(count.most);
}

}  // namespace

OperandCount operand_count(Opcode opcode) {
  if (int arity = hlo::elementwise_arity(opcode)) {
    return {static_cast<size_t>(arity), static_cast<size_t>(arity)};
  }
  switch (opcode) {
    case Opcode::kIota:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngGetAndUpdateState:
      return {0, 0};
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherDone:
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
    case Opcode::kInfeed:
    case Opcode::kOptBarrier:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kRngBitGenerator:
    case Opcode::kSendDone:
    case Opcode::kSlice:
    case Opcode::kTopk:
    case Opcode::kTranspose:
    case Opcode::kWhile:
      return {1, 1};
    case Opcode::kAddDependency:
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kGather:
    case Opcode::kOutfeed:
    case Opcode::kPad:
    case Opcode::kSend:
    case Opcode::kSetDimensionSize:
    case Opcode::kTriangularSolve:
      return {2, 2};
    case Opcode::kBatchNormTraining:
    case Opcode::kRaggedDot:
    case Opcode::kSelectAndScatter:
      return {3, 3};
    case Opcode::kScaledDot:
      return {4, 4};
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad:
      return {5, 5};
    case Opcode::kRaggedAllToAll:
      return {6, 6};
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kConcatenate:
    case Opcode::kConditional:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kSort:
      return {1, SIZE_MAX};
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return {2, SIZE_MAX};
    case Opcode::kScatter:
      return {3, SIZE_MAX};
    default:
      return {};
  }
}

void check_instruction(Scanner& in, const hlo::Module& module, const Instruction& instruction,
                       size_t opcode_at, size_t operands_at) {
  bool sugared = instruction.wrapped.has_value();
  bool starts = instruction.opcode == Opcode::kAsyncStart;
  Opcode rule = sugared && starts ? *instruction.wrapped : instruction.opcode;
  OperandCount count = operand_count(rule);
  if (instruction.operands.size() < count.least || instruction.operands.size() > count.most) {
    in.fail_at(operands_at, "expected " + count_text(count) + " operands, found " +
                                std::to_string(instruction.operands.size()));
  }
  for (AttributeKey key : required_attributes(rule)) {
    if (!instruction.has(key)) {
      in.fail_at(opcode_at, "expected the attribute " + std::string(to_string(key)));
    }
  }
  if (rule == Opcode::kBroadcast && !instruction.has(AttributeKey::kDimensions) &&
      module[instruction.operands[0]].shape.rank() > 0) {
    in.fail_at(opcode_at, "expected the attribute dimensions");
  }
  if (rule == Opcode::kConditional) {
    bool branches = instruction.has(AttributeKey::kBranchComputations);
    bool both = instruction.has(AttributeKey::kTrueComputation) &&
                instruction.has(AttributeKey::kFalseComputation);
    if (!branches && !both) {
      in.fail_at(opcode_at,
                 "expected the attribute branch_computations, or both true_computation "
                 "and false_computation");
    }
  }
  check_collective(in, instruction, hlo::synchronous(rule), opcode_at);
}

std::optional<AsyncSugar> async_sugar(std::string_view word) {
  struct Suffix {
    std::string_view text;
    Opcode async;
  };
  for (Suffix suffix :
       {Suffix{"-start", Opcode::kAsyncStart}, Suffix{"-update", Opcode::kAsyncUpdate},
        Suffix{"-done", Opcode::kAsyncDone}}) {
    if (!word.ends_with(suffix.text)) continue;
    auto wrapped = hlo::opcode_from_string(word.substr(0, word.size() - suffix.text.size()));
    if (!wrapped) return std::nullopt;
    switch (*wrapped) {
      case Opcode::kAllGather:
      case Opcode::kAllReduce:
      case Opcode::kCollectivePermute:
      case Opcode::kCopy:
      case Opcode::kSend:
      case Opcode::kRecv:
        return std::nullopt;
      default:
        return AsyncSugar{suffix.async, *wrapped};
    }
  }
  return std::nullopt;
}

}  // namespace flipsat::frontends
