// Which classes of an AND-OR graph stand one above the other in every program that has both.
//
// A class `upper` needs `cut` where every way to make it goes through `cut`; `cut` dominates a
// class `lower` where all that the roots have of `lower` is below `cut`. Then `lower` is below
// `upper` wherever there are both, whatever else is chosen.
#pragma once

#include <span>

#include "extract/bound/and_or_graph.h"

namespace flipsat::extract {

class Separation {
 public:
  using Class = AndOrGraph::Class;

  // Of `members`, which are some of the classes.
  Separation(const AndOrGraph& graph, std::span<const Class> members);

  // Is the member `lower` below `upper` in every program that has both? False where it is not
  // known.
  bool is_below(Class lower, Class upper) const;
  // By member of the list given, parts that no two of can stand side by side: a member of one and a
  // member of another are never independent. `first` is a guess, by member, of such parts, in
  // order. Who is in doubt is in none of them, kNoPart; those to be kept last.
  static constexpr int kNoPart = -1;
  std::vector<int> parts(std::span<const Class> some, std::span<const int64_t> first,
                         const std::vector<bool>& is_kept) const;

 private:
  void find_cuts(const AndOrGraph& graph, std::span<const Class> members);
  void find_needs(const AndOrGraph& graph);

  std::vector<std::vector<uint32_t>> cuts_of_;  // by class: that dominate it; members only
  std::vector<uint32_t> cut_;                   // by class: its number, if it is a cut
  uint32_t cut_count_ = 0;
  size_t words_ = 0;
  std::vector<uint64_t> needs_;  // by class, `words_` each: cuts as bits
};

}  // namespace flipsat::extract
