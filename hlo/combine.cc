#include "hlo/combine.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <stdexcept>

#include "hlo/combined_collective.h"
#include "hlo/editor.h"

namespace flipsat::hlo {
namespace {

using Batches = std::vector<std::vector<InstructionId>>;

// The order of a computation's list in which the members of each batch stand together, after all
// that any of them needs: as the list is, but for what has to wait for such a batch. A batch stands
// where its first user would.
class BatchOrder {
 public:
  BatchOrder(const Module& module, const std::vector<InstructionId>& list, const Batches& batches)
      : list_(list),
        step_of_(module.instructions.size(), kNoId),
        users_(list.size()),
        missing_(list.size()) {
    std::vector<uint32_t> position(module.instructions.size(), kNoId);
    for (uint32_t i = 0; i < list.size(); ++i) position[list[i]] = i;
    members_.resize(list.size());
    place_ = std::vector<uint32_t>(list.size());
    for (uint32_t i = 0; i < list.size(); ++i) {
      step_of_[list[i]] = i;
      members_[i] = {list[i]};
      place_[i] = i;
    }
    for (const auto& batch : batches) {
      if (batch.empty() || position[batch.front()] == kNoId) continue;
      const uint32_t step = position[batch.front()];
      for (InstructionId member : batch) {
        members_[position[member]].clear();
        step_of_[member] = step;
      }
      members_[step] = batch;
      place_[step] = static_cast<uint32_t>(list.size());
    }
    for (uint32_t i = 0; i < list.size(); ++i) {
      const Instruction& user = module[list[i]];
      for (InstructionId operand : user.operands) need(step_of_[list[i]], step_of_[operand], i);
      for (InstructionId other : user.control_predecessors()) {
        need(step_of_[list[i]], step_of_[other], i);
      }
    }
  }

  std::vector<InstructionId> order() {
    using Entry = std::pair<uint32_t, uint32_t>;  // place, step
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (uint32_t step = 0; step < members_.size(); ++step) {
      if (missing_[step] == 0 && !members_[step].empty()) ready.emplace(place_[step], step);
    }
    std::vector<InstructionId> ordered;
    while (!ready.empty()) {
      const uint32_t step = ready.top().second;
      ready.pop();
      ordered.insert(ordered.end(), members_[step].begin(), members_[step].end());
      for (uint32_t user : users_[step]) {
        if (--missing_[user] == 0) ready.emplace(place_[user], user);
      }
    }
    if (ordered.size() != list_.size()) throw std::logic_error("a launch would depend on itself");
    return ordered;
  }

 private:
  void need(uint32_t user, uint32_t step, uint32_t user_position) {
    users_[step].push_back(user);
    ++missing_[user];
    if (members_[step].size() > 1) place_[step] = std::min(place_[step], user_position);
  }

  const std::vector<InstructionId>& list_;
  std::vector<uint32_t> step_of_;                    // by instruction
  std::vector<std::vector<InstructionId>> members_;  // by step; a batch has that of its first
  std::vector<uint32_t> place_;
  std::vector<std::vector<uint32_t>> users_;
  std::vector<uint32_t> missing_;
};

}  // namespace

std::vector<CombinedBatch> combine(Module& module, const Batches& batches) {
  std::set<ComputationId> computations;
  for (const auto& batch : batches) computations.insert(module[batch.front()].computation);
  for (ComputationId computation : computations) {
    std::vector<InstructionId>& list = module.computations[computation].instructions;
    list = BatchOrder(module, list, batches).order();
  }
  ModuleEditor editor(module);
  std::vector<CombinedBatch> written;
  for (const auto& batch : batches) {
    CombinedBatch& made = written.emplace_back();
    made.members = batch;
    const ComputationId computation = module[batch.front()].computation;
    made.combined = editor.add(computation, combined_collective(module, batch));
    for (size_t i = 0; i < batch.size(); ++i) {
      const InstructionId element = editor.add(
          computation, combined_element(module[batch[i]], made.combined, static_cast<int64_t>(i)));
      made.elements.push_back(element);
      editor.replace_all_uses(batch[i], element);
    }
  }
  editor.finish();
  return written;
}

}  // namespace flipsat::hlo
