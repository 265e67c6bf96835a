#include "optimizer/partitioned.h"

#include <utility>

namespace flipsat::optimizer {
namespace {

constexpr std::pair<const char*, const char*> kRuleOfPass[] = {
    {"aws_neuron_flip_all_gather_dynamic_slice", "gather-dynamic-slice"},
    {"aws_neuron_flip_all_gather_convert", "gather-convert"},
    {"aws_neuron_flip_all_gather_reshape", "gather-reshape"},
    {"aws_neuron_flip_all_gathers_binary", "gather-elementwise"},
    {"aws_neuron_flip_reduce_convert_add", "reduce-convert"},
    {"aws_neuron_flip_reduce_scatter_transpose", "scatter-transpose"},
};

bool is_partitioner_annotation(const hlo::Instruction& instruction) {
  if (instruction.opcode != hlo::Opcode::kCustomCall) return false;
  std::string_view target = instruction.word(hlo::AttributeKey::kCustomCallTarget);
  return target == "Sharding" || target == "SPMDFullToShardShape" ||
         target == "SPMDShardToFullShape";
}

}  // namespace

std::string why_untouchable(const hlo::Module& module) {
  if (module.is_scheduled) {
    return "the module is scheduled: its order is fixed, so nothing is changed";
  }
  for (hlo::ComputationId computation : module.order) {
    for (hlo::InstructionId id : module.computations[computation].instructions) {
      if (is_partitioner_annotation(module[id])) {
        return "the module is not partitioned yet (%" + module[id].name +
               " is a partitioner annotation): dump it after SPMD partitioning";
      }
    }
  }
  return {};
}

std::set<std::string> passes_without(const Options& options) {
  std::set<std::string> left_out;
  for (const auto& [pass, rule] : kRuleOfPass) {
    bool is_on = !options.disable.count(rule) && (options.only.empty() || options.only.count(rule));
    if (!is_on) left_out.insert(pass);
  }
  return left_out;
}

}  // namespace flipsat::optimizer
