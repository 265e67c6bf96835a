#include <boost/unordered/unordered_flat_map.hpp>

#include "egraph/explain.h"

namespace flipsat::egraph {

std::vector<ExplanationLink> Explanation::chain() const {
  // Proofs whose links are yet to be put down, the next one last.
  struct Frame {
    uint32_t proof;
    bool is_reversed;
    size_t done;
  };
  std::vector<Frame> frames{{0, false, 0}};
  std::vector<ExplanationLink> flat;
  std::vector<TermId> at{proofs[0].from};                       // terms along the chain
  boost::unordered_flat_map<TermId, size_t> place{{at[0], 0}};  // links that lead to a term
  while (!frames.empty()) {
    Frame& frame = frames.back();
    const std::vector<ExplanationLink>& links = proofs[frame.proof].links;
    if (frame.done == links.size()) {
      frames.pop_back();
      continue;
    }
    ExplanationLink link = links[frame.is_reversed ? links.size() - 1 - frame.done : frame.done];
    ++frame.done;
    link.is_reversed ^= frame.is_reversed;
    if (link.is_proof) {
      frames.push_back({link.index, link.is_reversed, 0});
      continue;
    }
    const TermId next = link.is_reversed ? steps[link.index].from : steps[link.index].to;
    const auto [known, is_new] = place.try_emplace(next, flat.size() + 1);
    if (is_new) {
      flat.push_back(link);
      at.push_back(next);
      continue;
    }
    const size_t back_to = known->second;
    while (flat.size() > back_to) {
      place.erase(at.back());
      at.pop_back();
      flat.pop_back();
    }
  }
  return flat;
}

}  // namespace flipsat::egraph
