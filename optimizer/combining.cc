#include "optimizer/combining.h"

#include <map>
#include <string>

#include "extract/standalone.h"
#include "hlo/call_graph.h"
#include "hlo/combine.h"
#include "hlo/packing_plan.h"
#include "optimizer/changes.h"

namespace flipsat::optimizer {
namespace {

// Of the search for a packing, by one step of `effort`.
constexpr int64_t kWork = 1'000'000;

std::string quoted(const hlo::Instruction& instruction) { return "%" + instruction.name; }

// What earlier changes brought may have become an element of a combined collective.
void rename(std::vector<Change>& changes,
            const std::map<std::string, std::vector<std::string>>& names) {
  for (Change& change : changes) {
    std::vector<std::string> to;
    for (const std::string& name : change.to) {
      const auto now = names.find(name);
      if (now == names.end()) to.push_back(name);
      if (now != names.end()) to.insert(to.end(), now->second.begin(), now->second.end());
    }
    change.to = std::move(to);
  }
}

}  // namespace

Combining combine_collectives(const hlo::Module& module, size_t input_size,
                              const hlo::DeviceCounts& counts, const Options& options,
                              std::vector<Change> changes,
                              const std::set<hlo::ComputationId>& left_alone) {
  hlo::PackingPlan plan = hlo::plan_packing(module, hlo::CallGraph(module), options.cost.combiner,
                                            kWork * options.effort);
  Combining combining;
  combining.changes = std::move(changes);
  combining.report.walked = plan.walked;
  combining.report.planned = plan.planned;
  combining.report.bound = plan.bound;
  std::erase_if(plan.batches, [&](const std::vector<hlo::InstructionId>& batch) {
    return left_alone.count(module[batch.front()].computation) > 0;
  });
  if (plan.batches.empty()) return combining;
  hlo::Module combined = module;
  const extract::Machine& machine = extract::machine_preset(options.cost.machine);
  std::map<std::string, std::vector<std::string>> names;
  for (const hlo::CombinedBatch& batch : hlo::combine(combined, plan.batches)) {
    ++combining.report.written;
    combining.report.members += static_cast<int64_t>(batch.members.size());
    const hlo::Instruction& made = combined[batch.combined];
    Change change;
    change.computation = module.computations[made.computation].name;
    change.rules = {"combine"};
    change.to = {quoted(made)};
    for (size_t i = 0; i < batch.members.size(); ++i) {
      const hlo::InstructionId member = batch.members[i];
      const std::string element = quoted(combined[batch.elements[i]]);
      names[quoted(module[member])] = {quoted(made), element};
      if (member >= input_size) continue;
      change.from.push_back(quoted(module[member]));
      change.to.push_back(element);
      const auto cost = extract::standalone_cost(module, member, counts, machine);
      change.bytes_before += cost.wire_bytes;
      change.time_before += cost.time;
      if (change.source.empty()) change.source = source_of(module, module[member]);
    }
    if (change.from.empty()) continue;
    change.at = change.from.front();
    const auto cost = extract::standalone_cost(combined, batch.combined, counts, machine);
    change.bytes_after = cost.wire_bytes;
    change.time_after = cost.time;
    combining.changes.push_back(std::move(change));
  }
  rename(combining.changes, names);
  combining.module = std::move(combined);
  return combining;
}

}  // namespace flipsat::optimizer
