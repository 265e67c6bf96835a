// Counts a rule's refusals: by reason, the distinct root classes.
//
// The same root may be refused again and again while the graph grows, and roots merge: the list is
// brought to canonical, distinct entries whenever it has doubled.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "egraph/search.h"

namespace flipsat::egraph {

class RefusalCounter {
 public:
  std::vector<Refusal>& list() { return list_; }  // to append to
  // Takes over what a search refused.
  void take(std::vector<Refusal>& refusals, const EGraph& graph);
  std::map<std::string, uint64_t> count(const EGraph& graph);

 private:
  void compact(const EGraph& graph);

  std::vector<Refusal> list_;
  size_t next_compaction_ = 1024;
};

}  // namespace flipsat::egraph
