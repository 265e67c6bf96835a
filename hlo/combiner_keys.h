// Which collectives XLA's combiners would take, and which of them together.
//
// Two collectives of one kind may be merged where their keys agree. The key of an all-gather: dim
// (if gathers of different dims stay apart), has a channel id, global ids, element type (if types
// stay apart), groups as lists. Of an all-reduce: opcode and element type of the reducer's root
// (not of the data), has a channel id, global ids, groups. Of a reduce-scatter: that and the dim.
// Of a permute: the pairs. And for all: the frontend attributes combiner_key, collective_group_key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "hlo/combiner.h"
#include "hlo/combiner_graph.h"
#include "hlo/reducer.h"

namespace flipsat::hlo {

// The order in which the combiners run.
enum class CombinerKind : uint8_t { kAllGather, kAllReduce, kReduceScatter, kCollectivePermute };
inline constexpr size_t kCombinerKinds = 4;

std::optional<CombinerKind> combiner_kind(Opcode opcode);

class CombinerKeys {
 public:
  explicit CombinerKeys(const CombinerOptions& options) : options_(options) {}

  // Nullopt for what is a launch of its own whatever stands around it: another opcode, several
  // operands, control predecessors, a kind that is switched off, a reducer that the combiner does
  // not know, and for reductions the frontend attribute _scheduling_group_id. The caller must see
  // to control successors. Keys of one object are comparable, also between modules of which one is
  // an edited copy of the other.
  std::optional<CombinerGraph::Candidate> candidate(const Module& module,
                                                    const Instruction& instruction);

  // By kind; a kind that is off has no bytes.
  std::vector<CombinerGraph::Limits> limits() const;

 private:
  using Key = std::vector<int64_t>;

  bool append_reducer(const Module& module, const Instruction& instruction, bool recognised,
                      Key& key);
  void append_groups(const Instruction& instruction, Key& key);
  int64_t interned(std::string_view text);

  const CombinerOptions options_;
  std::map<Key, uint32_t> keys_;
  std::map<IntLists, int64_t> lists_;
  std::map<std::string, int64_t, std::less<>> texts_;
  std::unordered_map<ComputationId, std::optional<CombinerReducer>> roots_;
  std::unordered_map<ComputationId, bool> is_recognised_;
};

}  // namespace flipsat::hlo
