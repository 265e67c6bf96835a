#include "hlo/combiner_graph.h"

#include <algorithm>
#include <array>

#include "hlo/combiner_run.h"

namespace flipsat::hlo {

CombinerGraph::Node CombinerGraph::add(std::span<const Node> operands,
                                       std::span<const Node> control_predecessors) {
  auto this_node = static_cast<Node>(stands_for_.size());
  std::vector<uint32_t> dependencies;
  auto depend_on = [&](Node node) {
    uint32_t condensed = stands_for_[node];
    if (condensed == kNone || named_by_[condensed] == this_node) return;
    named_by_[condensed] = this_node;
    dependencies.push_back(condensed);
  };
  // XLA's walk comes to control predecessors first, the last of them first of all.
  for (size_t i = control_predecessors.size(); i-- > 0;) depend_on(control_predecessors[i]);
  for (Node operand : operands) {
    depend_on(operand);
    is_used_[operand] = true;
  }
  uint32_t condensed = kNone;
  if (dependencies.size() == 1) condensed = dependencies.front();
  if (dependencies.size() > 1) {
    condensed = static_cast<uint32_t>(condensed_.size());
    condensed_.push_back({std::move(dependencies), -1});
    named_by_.push_back(kNone);
  }
  stands_for_.push_back(condensed);
  candidate_of_.push_back(-1);
  is_used_.push_back(false);
  return this_node;
}

CombinerGraph::Node CombinerGraph::add_candidate(Node operand, const Candidate& candidate) {
  auto node = static_cast<Node>(stands_for_.size());
  auto condensed = static_cast<uint32_t>(condensed_.size());
  Condensed& made = condensed_.emplace_back();
  named_by_.push_back(kNone);
  if (stands_for_[operand] != kNone) made.dependencies.push_back(stands_for_[operand]);
  made.candidate = static_cast<int32_t>(candidates_.size());
  candidate_of_.push_back(made.candidate);
  candidates_.push_back({candidate, node, condensed});
  stands_for_.push_back(condensed);
  is_used_[operand] = true;
  is_used_.push_back(false);
  return node;
}

std::vector<std::vector<CombinerGraph::Node>> CombinerGraph::batches(
    std::span<const Limits> limits) const {
  std::vector<std::vector<Node>> batches;
  if (candidates_.empty()) return batches;
  CombinerRun run(*this);
  for (size_t kind = 0; kind < limits.size(); ++kind) {
    run.combine(static_cast<uint8_t>(kind), limits[kind], batches);
  }
  return batches;
}

// Over condensed nodes, dependencies first, in blocks of 512 candidates to bound the memory.
BitMatrix CombinerGraph::reachability() const {
  constexpr size_t kBlock = 8;
  BitMatrix reach(candidates_.size());
  std::vector<std::array<uint64_t, kBlock>> block(condensed_.size());
  for (size_t begin = 0; begin < reach.words(); begin += kBlock) {
    const size_t width = std::min(kBlock, reach.words() - begin);
    for (size_t node = 0; node < condensed_.size(); ++node) {
      std::array<uint64_t, kBlock>& bits = block[node];
      bits.fill(0);
      for (uint32_t dependency : condensed_[node].dependencies) {
        for (size_t word = 0; word < kBlock; ++word) bits[word] |= block[dependency][word];
      }
      if (condensed_[node].candidate < 0) continue;
      const auto own = static_cast<size_t>(condensed_[node].candidate);
      if (own / 64 >= begin && own / 64 < begin + width) {
        bits[own / 64 - begin] |= uint64_t{1} << (own % 64);
      }
      std::copy_n(bits.begin(), width, reach.row(own) + begin);
    }
  }
  return reach;
}

}  // namespace flipsat::hlo
