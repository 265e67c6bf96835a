#include "optimizer/split_sums.h"

#include <algorithm>
#include <map>
#include <set>

#include "hlo/open_order.h"

namespace flipsat::optimizer {
namespace {

std::string quoted(const hlo::Instruction& instruction) { return "%" + instruction.name; }

// A reduction of several operands that is still read: does what was made of it, too, make some
// element twice? Elements of the type that are read and those that were made anew are more than
// there are.
bool repeats_an_element(const hlo::Module& module, const std::vector<bool>& is_live,
                        hlo::InstructionId sum, hlo::ElementType type, size_t made) {
  if (!is_live[sum] || !module[sum].shape.is_tuple()) return false;
  const auto elements =
      static_cast<size_t>(std::ranges::count(*module[sum].shape.parts, type, &hlo::Shape::type));
  std::set<int64_t> read;
  for (hlo::InstructionId id = 0; id < module.instructions.size(); ++id) {
    const hlo::Instruction& get = module[id];
    if (!is_live[id] || get.opcode != hlo::Opcode::kGetTupleElement || get.operands[0] != sum) {
      continue;
    }
    if (get.shape.type == type) read.insert(get.tuple_index());
  }
  return read.size() + made > elements;
}

}  // namespace

std::vector<NotChecked> split_sums(const hlo::Module& input, const language::HloGraph& graph,
                                   const language::Export& exported) {
  // By the reduction of the input and the type that it is made in: those that are made of it.
  std::map<std::pair<hlo::InstructionId, hlo::ElementType>, std::set<hlo::InstructionId>> made_of;
  const std::vector<bool> is_live = hlo::live_instructions(exported.module);
  for (const language::Patch& patch : exported.patches) {
    for (size_t i = 0; i < patch.to.size(); ++i) {
      if (patch.nodes[i] == egraph::kNoId) continue;  // its elements have theirs
      const language::Operator& op = graph.op(patch.nodes[i]);
      if (op.kind != language::Kind::kAllReduce && op.kind != language::Kind::kReduceScatter) {
        continue;
      }
      const auto& reducer = graph.collective(patch.nodes[i]).reducer;
      if (!reducer || !hlo::has_open_order(*reducer)) continue;
      for (hlo::InstructionId source : graph.lineage(patch.nodes[i])) {
        auto& all = made_of[{source, reducer->type}];
        all.insert(patch.to[i]);
        if (is_live[source] && input[source].shape.type == reducer->type) all.insert(source);
      }
    }
  }
  std::vector<NotChecked> split;
  for (auto& [sum, all] : made_of) {
    const auto [source, type] = sum;
    const auto is_split = [&, source = source, type = type] {
      return all.size() > 1 ||
             repeats_an_element(exported.module, is_live, source, type, all.size());
    };
    if (!is_split()) continue;
    // A sum in stages is its last one; only what is new can depend on an earlier one.
    std::vector<hlo::InstructionId> below(all.begin(), all.end());
    std::set<hlo::InstructionId> seen;
    for (size_t i = 0; i < below.size(); ++i) {
      for (hlo::InstructionId operand : exported.module[below[i]].operands) {
        if (operand < input.instructions.size() || !seen.insert(operand).second) continue;
        all.erase(operand);
        below.push_back(operand);
      }
    }
    if (!is_split()) continue;
    for (hlo::InstructionId id : all) {
      if (id == source) continue;
      split.push_back({quoted(exported.module[id]),
                       "the sum " + quoted(input[source]) + " would be made more than once"});
    }
  }
  return split;
}

}  // namespace flipsat::optimizer
