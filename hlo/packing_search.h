// The two searches for a packing: wide for an answer, best first for a proof.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/packing_graph.h"

namespace flipsat::hlo {

using Launches = std::vector<std::vector<uint32_t>>;  // items as the graph numbers them

// Launch by launch, keeping the most promising states of each number of launches: those with the
// fewest launches still needed, then with the least behind them. As many states as `work` allows,
// one at least. Nullopt where it finds nothing with fewer than `below` launches.
std::optional<Launches> beam_search(const PackingGraph& graph, int64_t below, int64_t work);

struct ProofSearch {
  std::optional<Launches> found;  // with fewer launches than asked for, and none has fewer
  int64_t bound = 0;              // no packing has fewer launches, or than `below`
};

// Best first (A*): states in order of the launches that they need at least. Memory: as `work`.
ProofSearch proof_search(const PackingGraph& graph, int64_t below, int64_t work);

}  // namespace flipsat::hlo
