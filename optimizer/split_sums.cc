#include "optimizer/split_sums.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "hlo/open_order.h"

namespace flipsat::optimizer {
namespace {

std::string quoted(const hlo::Instruction& instruction) { return "%" + instruction.name; }

hlo::InstructionId behind_copies(const hlo::Module& module, hlo::InstructionId id) {
  while (module[id].opcode == hlo::Opcode::kCopy) id = module[id].operands[0];
  return id;
}

// Which operands of a reduction of the input lead to what was made of it, by way of what is new;
// all of them where none is seen to.
std::set<size_t> elements_behind(const hlo::Module& module, size_t input_size,
                                 hlo::InstructionId made, hlo::InstructionId source) {
  const auto& operands = module[source].operands;
  std::set<size_t> found;
  std::set<hlo::InstructionId> seen{made};
  std::vector<hlo::InstructionId> stack{made};
  const auto visit = [&](hlo::InstructionId operand) {
    const hlo::InstructionId id = behind_copies(module, operand);
    if (!seen.insert(id).second) return;
    if (id >= input_size) stack.push_back(id);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (behind_copies(module, operands[i]) == id) found.insert(i);
    }
  };
  while (!stack.empty()) {
    const hlo::Instruction& instruction = module[stack.back()];
    stack.pop_back();
    const bool is_element = instruction.opcode == hlo::Opcode::kGetTupleElement;
    const hlo::Instruction& whole = is_element ? module[instruction.operands[0]] : instruction;
    if (is_element && hlo::is_collective(whole.opcode)) {
      visit(whole.operands[static_cast<size_t>(instruction.tuple_index())]);
    } else {
      for (hlo::InstructionId operand : instruction.operands) visit(operand);
    }
  }
  for (size_t i = 0; found.empty() && i < operands.size(); ++i) found.insert(i);
  return found;
}

// Which of a reduction's results are read.
std::set<size_t> elements_read(const hlo::Module& module, const std::vector<bool>& is_live,
                               hlo::InstructionId sum) {
  std::set<size_t> read;
  if (!is_live[sum]) return read;
  bool is_read_whole =
      !module[sum].shape.is_tuple() || module.computations[module[sum].computation].root == sum;
  for (hlo::InstructionId id = 0; !is_read_whole && id < module.instructions.size(); ++id) {
    const hlo::Instruction& user = module[id];
    if (!is_live[id] || !std::ranges::count(user.operands, sum)) continue;
    if (user.opcode == hlo::Opcode::kGetTupleElement) {
      read.insert(static_cast<size_t>(user.tuple_index()));
    } else {
      is_read_whole = true;
    }
  }
  for (size_t i = 0; is_read_whole && i < module[sum].operands.size(); ++i) read.insert(i);
  return read;
}

hlo::ElementType type_of_element(const hlo::Instruction& sum, size_t element) {
  return sum.shape.is_tuple() ? (*sum.shape.parts)[element].type : sum.shape.type;
}

}  // namespace

std::vector<NotChecked> split_sums(const hlo::Module& input, const language::HloGraph& graph,
                                   const language::Export& exported) {
  // By the reduction of the input, its element and the type that it is made in: who makes it, the
  // reduction itself where it is still read.
  using Sum = std::tuple<hlo::InstructionId, size_t, hlo::ElementType>;
  std::map<Sum, std::set<hlo::InstructionId>> made_of;
  std::set<hlo::InstructionId> scattered;  // of which some device keeps a part
  const hlo::Module& module = exported.module;
  const std::vector<bool> is_live = hlo::live_instructions(module);
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
        if (op.kind == language::Kind::kReduceScatter) scattered.insert(source);
        const size_t input_size = input.instructions.size();
        for (size_t element : elements_behind(module, input_size, patch.to[i], source)) {
          made_of[{source, element, reducer->type}].insert(patch.to[i]);
        }
      }
    }
  }
  for (auto& [sum, all] : made_of) {
    const auto& [source, element, type] = sum;
    if (type_of_element(input[source], element) != type) continue;
    if (elements_read(module, is_live, source).contains(element)) all.insert(source);
  }
  std::vector<NotChecked> split;
  for (auto& [sum, all] : made_of) {
    const hlo::InstructionId source = std::get<0>(sum);
    if (all.size() < 2) continue;
    // A sum in stages is its last one; only what is new can depend on an earlier one.
    std::vector<hlo::InstructionId> below(all.begin(), all.end());
    std::set<hlo::InstructionId> seen;
    for (size_t i = 0; i < below.size(); ++i) {
      for (hlo::InstructionId operand : module[below[i]].operands) {
        if (operand < input.instructions.size() || !seen.insert(operand).second) continue;
        all.erase(operand);
        below.push_back(operand);
      }
    }
    if (all.size() < 2) continue;
    for (hlo::InstructionId id : all) {
      if (id == source) continue;
      split.push_back({quoted(module[id]),
                       "the sum " + quoted(input[source]) + " would be made more than once"});
    }
  }
  // Taken apart and nothing else: somebody combined it, and the combiner leaves it so.
  std::map<hlo::InstructionId, std::set<hlo::InstructionId>> made_anew;
  for (const auto& [sum, all] : made_of) {
    const hlo::InstructionId source = std::get<0>(sum);
    if (!scattered.contains(source) && !is_live[source])
      made_anew[source].insert(all.begin(), all.end());
  }
  for (const auto& [source, all] : made_anew) {
    if (!input[source].shape.is_tuple() || all.size() < 2) continue;
    for (hlo::InstructionId id : all) {
      split.push_back({quoted(module[id]), quoted(input[source]) + " is combined already"});
    }
  }
  return split;
}

}  // namespace flipsat::optimizer
