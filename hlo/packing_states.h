// States of a packing search: what has been launched so far, in a given number of launches.
//
// A state is told by the set of items that are done; of two with the same set the one with fewer
// launches will do. Where all that is ready of a key fits one launch, launching less of it gains
// nothing; where it does not, only sets to which nothing more can be added matter.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hlo/packing_graph.h"

namespace flipsat::hlo {

class PackingStates {
 public:
  using State = uint32_t;
  static constexpr State kNone = ~State{0};

  explicit PackingStates(const PackingGraph& graph);

  State start() const { return 0; }
  int64_t launched(State state) const { return records_[state].launched; }
  // A lower bound on all launches of a packing that begins so.
  int64_t estimate(State state) const { return records_[state].launched + records_[state].left; }
  // How much is still to do, by the lengths of the chains behind it; to rank states by.
  int64_t burden(State state) const { return records_[state].burden; }
  bool is_done(State state) const { return records_[state].burden == 0; }

  // States after one more launch; kNone never among them. `most_choices`: sets of one key that are
  // tried at most; false where there are more. A state met again is left out unless it now has
  // fewer launches.
  bool expand(State state, size_t most_choices, std::vector<State>& next);
  // The launches that lead there, items as the graph numbers them.
  std::vector<std::vector<uint32_t>> path(State state) const;

  // Words looked at so far.
  int64_t work() const { return work_; }

 private:
  struct Record {
    int64_t launched = 0;
    int64_t left = 0;  // launches still needed at least
    int64_t burden = 0;
    State parent = kNone;
  };
  using Items = std::vector<uint32_t>;

  const uint64_t* done(State state) const { return &bits_[size_t{2} * words_ * state]; }
  const uint64_t* ready(State state) const { return done(state) + words_; }
  Items ready_of(State state, size_t key) const;
  size_t count_done(State state, const PackingGraph::Range& range) const;
  bool fits(size_t key, const Items& items) const;
  // Fills launches in order, each item into the first that has room; the number of launches.
  int64_t first_fit(size_t key, const Items& items, Items& first) const;
  bool choices(size_t key, const Items& items, size_t most, std::vector<Items>& found);
  State launch(State state, size_t key, const Items& items);
  State find_or_add();

  const PackingGraph& graph_;
  size_t words_;
  std::vector<Record> records_;
  std::vector<uint64_t> bits_;  // of each state: what is done, what is ready
  std::unordered_multimap<uint64_t, State> by_hash_;
  int64_t work_ = 0;
};

}  // namespace flipsat::hlo
