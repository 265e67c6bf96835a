#include "frontends/text/opcode_rules.h"

#include <span>

#include "hlo/operand_count.h"

namespace flipsat::frontends {

using hlo::AttributeKey;
using hlo::Instruction;
using hlo::Opcode;
using hlo::OperandCount;

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

// Some take fewer in text than protos that are read may have.
OperandCount operand_count_in_text(Opcode opcode) {
  switch (opcode) {
    case Opcode::kInfeed:
    case Opcode::kRecv:
    case Opcode::kTopk:
      return {1, 1};
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kOutfeed:
      return {2, 2};
    default:
      return hlo::operand_count(opcode);
  }
}

}  // namespace

void check_instruction(Scanner& in, const hlo::Module& module, const Instruction& instruction,
                       size_t opcode_at, size_t operands_at) {
  bool sugared = instruction.wrapped.has_value();
  bool starts = instruction.opcode == Opcode::kAsyncStart;
  Opcode rule = sugared && starts ? *instruction.wrapped : instruction.opcode;
  const OperandCount count = operand_count_in_text(rule);
  if (!count.allows(instruction.operands.size())) {
    in.fail_at(operands_at, "expected " + to_string(count) + " operands, found " +
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
