#include <map>
#include <utility>

#include "hlo/combine.h"
#include "hlo/combined_collective.h"
#include "hlo/verifier.h"
#include "passes/step.h"

namespace flipsat::passes {
namespace {

using hlo::InstructionId;

hlo::CombinerOptions only(hlo::CombinerOptions combiner, hlo::Opcode opcode) {
  combiner.all_gather.enabled &= opcode == hlo::Opcode::kAllGather;
  combiner.all_reduce.enabled &= opcode == hlo::Opcode::kAllReduce;
  combiner.reduce_scatter.enabled &= opcode == hlo::Opcode::kReduceScatter;
  combiner.collective_permute.enabled &= opcode == hlo::Opcode::kCollectivePermute;
  return combiner;
}

class CombinerStep : public Step {
 public:
  CombinerStep(std::string name, hlo::CombinerOptions combiner)
      : Step(std::move(name)), combiner_(std::move(combiner)) {}

  bool run(Context& context) const override {
    const std::vector<std::vector<InstructionId>> batches = batches_of(context);
    if (batches.empty()) return false;
    hlo::combine(context.module(), batches);
    context.refresh();
    hlo::verify_module(context.module(), context.counts());
    return true;
  }

 private:
  // Of each launch, what can be written as one collective.
  std::vector<std::vector<InstructionId>> batches_of(Context& context) const {
    const hlo::Module& module = context.module();
    std::vector<std::vector<InstructionId>> batches;
    for (const hlo::Launch& launch :
         hlo::simulate_combiner(module, context.counts(), context.calls(), combiner_)) {
      if (launch.members.size() < 2) continue;
      std::map<std::string, std::vector<InstructionId>> alike;
      for (InstructionId member : launch.members) {
        if (!hlo::can_be_combined(module, module[member])) continue;
        alike[hlo::combined_form(module, module[member])].push_back(member);
      }
      for (auto& [form, members] : alike) {
        if (members.size() > 1) batches.push_back(std::move(members));
      }
    }
    return batches;
  }

  hlo::CombinerOptions combiner_;
};

}  // namespace

StepRef combiner_step(std::string name, const hlo::CombinerOptions& combiner) {
  return std::make_shared<CombinerStep>(std::move(name), combiner);
}

StepRef combiner_step(std::string name, const hlo::CombinerOptions& combiner, hlo::Opcode opcode) {
  return combiner_step(std::move(name), only(combiner, opcode));
}

}  // namespace flipsat::passes
