// The batches that XLA's collective combiners form in one computation, on a bare graph.
//
// The combiner, kind after kind, repeats until no candidate is left: walk a fresh post-order; the
// first candidate met fixes the key; take candidates of that key until one would overflow the byte
// limit, or depends on one that was taken, or the count limit is reached; merge what was taken.
//
// How it is made fast. Only nodes with a candidate among what they depend on decide the order of
// candidates, and a node whose dependencies come down to one such node stands for that node; so the
// graph is condensed while it is built. Rounds that merge nothing leave the post-order as it is.
// A merge moves into the place of its first member just what its other members depend on and what
// was not visited before, found by a walk from there; all the rest keeps its order, because a
// post-order from which a downward-closed set was taken away is the post-order of what is left.
// What depends on what is kept as one bit set of candidates for each candidate, widened by merges.
//
// Cost: build O(nodes + edges + condensed nodes * candidates / 512); a round O(candidates of the
// kind) in the worst case; a merge O(candidates^2 / 64) in the worst case, mostly far less.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hlo/bit_matrix.h"

namespace flipsat::hlo {

class CombinerGraph {
 public:
  using Node = uint32_t;

  struct Candidate {
    uint8_t kind = 0;  // kinds are combined one after the other, smallest first
    uint32_t key = 0;  // candidates of one kind and key may be merged
    int64_t bytes = 0;
  };
  struct Limits {
    int64_t bytes = 0;
    int64_t count = 0;
  };

  // Nodes are numbered 0, 1, .. in the order of adding, which is the computation's own (operands
  // before users). A candidate has one operand and no control predecessors.
  Node add(std::span<const Node> operands, std::span<const Node> control_predecessors);
  Node add_candidate(Node operand, const Candidate& candidate);

  // Batches of one or more, in the order in which the combiner would form them; members in walk
  // order. `limits` by kind. The graph is left as it is.
  std::vector<std::vector<Node>> batches(std::span<const Limits> limits) const;

  // Row a, column b, in the order of adding: candidate a depends on candidate b, or is it.
  BitMatrix reachability() const;

 private:
  friend class CombinerRun;

  // A condensed node; dependencies in the order in which a walk visits them, none twice.
  struct Condensed {
    std::vector<uint32_t> dependencies;
    int32_t candidate = -1;
  };
  struct CandidateNode {
    Candidate candidate;
    Node node;
    uint32_t condensed;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  std::vector<Condensed> condensed_;
  std::vector<CandidateNode> candidates_;
  std::vector<uint32_t> stands_for_;   // node to condensed node, or kNone
  std::vector<int32_t> candidate_of_;  // node to candidate, or -1
  std::vector<bool> is_used_;          // as an operand of some node
  std::vector<Node> named_by_;         // condensed node: the last node that depends on it
};

}  // namespace flipsat::hlo
