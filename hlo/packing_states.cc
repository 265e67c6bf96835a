#include "hlo/packing_states.h"

#include <algorithm>
#include <bit>

namespace flipsat::hlo {
namespace {

// Squares: a long chain that is left weighs more than several short ones.
int64_t burden_of(const PackingGraph& graph, uint32_t item) {
  const int64_t height = graph.height(item);
  return height * height;
}

}  // namespace

PackingStates::PackingStates(const PackingGraph& graph)
    : graph_(graph), words_(graph.words()), records_(1), bits_(2 * graph.words()) {
  for (uint32_t item = 0; item < graph.size(); ++item) {
    records_[0].burden += burden_of(graph, item);
    if (graph.is_ready(item, done(0))) bits_[words_ + item / 64] |= uint64_t{1} << (item % 64);
  }
  for (size_t key = 0; key < graph.keys(); ++key) {
    records_[0].left += graph.launches_left(key, done(0));
  }
}

PackingStates::Items PackingStates::ready_of(State state, size_t key) const {
  const PackingGraph::Range& range = graph_.range(key);
  Items items;
  for (size_t word = range.begin / 64; word * 64 < range.end; ++word) {
    visit_bits(ready(state) + word, 1, [&](size_t bit) {
      const auto item = static_cast<uint32_t>(word * 64 + bit);
      if (item >= range.begin && item < range.end) items.push_back(item);
    });
  }
  return items;
}

size_t PackingStates::count_done(State state, const PackingGraph::Range& range) const {
  size_t count = 0;
  for (size_t word = range.begin / 64; word * 64 < range.end; ++word) {
    uint64_t bits = done(state)[word];
    if (word * 64 < range.begin) bits &= ~uint64_t{0} << (range.begin % 64);
    if (word * 64 + 64 > range.end) bits &= ~(~uint64_t{0} << (range.end % 64));
    count += static_cast<size_t>(std::popcount(bits));
  }
  return count;
}

bool PackingStates::fits(size_t key, const Items& items) const {
  const PackingGraph::Range& range = graph_.range(key);
  if (!range.is_limited) return true;
  int64_t room = range.limits.bytes;
  for (uint32_t item : items) {
    if (graph_.bytes(item) > room) return false;
    room -= graph_.bytes(item);
  }
  return static_cast<int64_t>(items.size()) <= range.limits.count;
}

int64_t PackingStates::first_fit(size_t key, const Items& items, Items& first) const {
  const PackingInstance::Limits& limits = graph_.range(key).limits;
  Items by_size = items;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](uint32_t a, uint32_t b) { return graph_.bytes(a) > graph_.bytes(b); });
  std::vector<PackingInstance::Limits> room;
  size_t full = 0;  // launches before this one have no room for another member
  for (uint32_t item : by_size) {
    size_t at = full;
    while (at < room.size() && (room[at].count == 0 || graph_.bytes(item) > room[at].bytes)) ++at;
    if (at == room.size()) room.push_back(limits);
    room[at].bytes -= graph_.bytes(item);
    --room[at].count;
    while (full < room.size() && room[full].count == 0) ++full;
    if (at == 0) first.push_back(item);
  }
  return static_cast<int64_t>(room.size());
}

// Sets to which nothing can be added, by taking or leaving one item after the other. Of equal twins
// the earlier ones are taken first.
bool PackingStates::choices(size_t key, const Items& items, size_t most,
                            std::vector<Items>& found) {
  const PackingInstance::Limits& limits = graph_.range(key).limits;
  Items taken;
  int64_t room = limits.bytes;
  bool is_complete = true;
  const auto is_maximal = [&] {
    if (static_cast<int64_t>(taken.size()) == limits.count) return true;
    size_t next = 0;
    for (uint32_t item : items) {
      if (next < taken.size() && taken[next] == item) {
        ++next;
      } else if (graph_.bytes(item) <= room) {
        return false;
      }
    }
    return true;
  };
  // The first set is found in one go; others are close to it or not worth the way.
  const auto most_steps = static_cast<int64_t>(most * 64 + 4 * items.size());
  int64_t steps = 0;
  const auto choose = [&](auto& self, size_t at) -> void {
    if (!is_complete) return;
    if (++steps > most_steps) {
      is_complete = false;
      return;
    }
    if (at == items.size() || static_cast<int64_t>(taken.size()) == limits.count) {
      if (!is_maximal()) return;
      if (found.size() == most) is_complete = false;
      if (is_complete) found.push_back(taken);
      return;
    }
    const uint32_t item = items[at];
    size_t after = at + 1;
    while (after < items.size() && graph_.twin(items[after]) == graph_.twin(item)) ++after;
    if (graph_.bytes(item) <= room) {
      taken.push_back(item);
      room -= graph_.bytes(item);
      self(self, at + 1);
      room += graph_.bytes(item);
      taken.pop_back();
    }
    self(self, after);
  };
  choose(choose, 0);
  work_ += steps;
  return is_complete;
}

bool PackingStates::expand(State state, size_t most_choices, std::vector<State>& next) {
  bool is_complete = true;
  std::vector<std::pair<size_t, Items>> launches;
  for (size_t key = 0; key < graph_.keys(); ++key) {
    const Items items = ready_of(state, key);
    if (items.empty()) continue;
    const PackingGraph::Range& range = graph_.range(key);
    // Nothing of the key is still to come: if it can be had in as few launches as it must take,
    // having it now is as good as ever.
    if (range.end - range.begin - count_done(state, range) == items.size()) {
      Items first;
      if (first_fit(key, items, first) <= graph_.launches_left(key, done(state))) {
        std::sort(first.begin(), first.end());
        const State made = launch(state, key, first);
        if (made != kNone) next.push_back(made);
        return true;
      }
    }
    if (fits(key, items)) {
      launches.emplace_back(key, items);
      continue;
    }
    std::vector<Items> found;
    is_complete &= choices(key, items, most_choices, found);
    for (Items& choice : found) launches.emplace_back(key, std::move(choice));
  }
  for (const auto& [key, items] : launches) {
    const State made = launch(state, key, items);
    if (made != kNone) next.push_back(made);
  }
  return is_complete;
}

PackingStates::State PackingStates::launch(State state, size_t key, const Items& items) {
  const auto made = static_cast<State>(records_.size());
  bits_.resize(bits_.size() + 2 * words_);
  std::copy_n(done(state), 2 * words_, bits_.end() - static_cast<ptrdiff_t>(2 * words_));
  uint64_t* now_done = &bits_[2 * words_ * made];
  uint64_t* now_ready = now_done + words_;
  Record record = records_[state];
  for (uint32_t item : items) {
    now_done[item / 64] |= uint64_t{1} << (item % 64);
    now_ready[item / 64] &= ~(uint64_t{1} << (item % 64));
    record.burden -= burden_of(graph_, item);
  }
  for (uint32_t item : items) {
    for (uint32_t user : graph_.successors(item)) {
      if (graph_.is_ready(user, now_done)) now_ready[user / 64] |= uint64_t{1} << (user % 64);
      ++work_;
    }
  }
  record.parent = state;
  ++record.launched;
  record.left += graph_.launches_left(key, now_done) - graph_.launches_left(key, done(state));
  records_.push_back(record);
  work_ += static_cast<int64_t>(4 * words_ + items.size()) + 8;
  const State known = find_or_add();
  if (known == made) return made;
  if (records_[known].launched <= record.launched) {
    records_.pop_back();
    bits_.resize(bits_.size() - 2 * words_);
    return kNone;
  }
  // The one known before is never looked at again: who expands it finds a shorter way in its place.
  records_[known] = record;
  records_.pop_back();
  bits_.resize(bits_.size() - 2 * words_);
  return known;
}

// The last record's twin among those before it, or itself.
PackingStates::State PackingStates::find_or_add() {
  const auto made = static_cast<State>(records_.size() - 1);
  uint64_t hash = 0;
  for (size_t word = 0; word < words_; ++word) {
    hash = (hash ^ done(made)[word]) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (std::equal(done(it->second), done(it->second) + words_, done(made))) return it->second;
  }
  by_hash_.emplace(hash, made);
  return made;
}

std::vector<std::vector<uint32_t>> PackingStates::path(State state) const {
  std::vector<std::vector<uint32_t>> launches;
  for (; records_[state].parent != kNone; state = records_[state].parent) {
    std::vector<uint32_t>& items = launches.emplace_back();
    const uint64_t* before = done(records_[state].parent);
    for (size_t word = 0; word < words_; ++word) {
      const uint64_t launched = done(state)[word] & ~before[word];
      visit_bits(&launched, 1,
                 [&](size_t bit) { items.push_back(static_cast<uint32_t>(word * 64 + bit)); });
    }
  }
  std::reverse(launches.begin(), launches.end());
  return launches;
}

}  // namespace flipsat::hlo
