#include "hlo/packing_windows.h"

#include <algorithm>
#include <map>

#include "hlo/packing_graph.h"
#include "hlo/packing_search.h"

namespace flipsat::hlo {
namespace {

using Batches = std::vector<std::vector<uint32_t>>;

// Measured: shorter ones find less, longer ones are searched no better than the whole.
constexpr size_t kMostLaunches = 40;
constexpr size_t kMostItems = 512;
constexpr int64_t kWork = 30'000;

struct Window {
  size_t begin = 0, end = 0;    // launches
  std::vector<uint32_t> items;  // of the whole, ascending
  PackingInstance instance;
};

Window window_at(const PackingInstance& whole, const Batches& batches, size_t begin) {
  Window window;
  window.begin = window.end = begin;
  while (window.end < batches.size() && window.end < begin + kMostLaunches &&
         window.items.size() + batches[window.end].size() <= kMostItems) {
    const std::vector<uint32_t>& batch = batches[window.end++];
    window.items.insert(window.items.end(), batch.begin(), batch.end());
  }
  std::sort(window.items.begin(), window.items.end());
  PackingInstance& instance = window.instance;
  instance.before = BitMatrix(window.items.size());
  std::map<uint32_t, uint32_t> keys;
  for (size_t i = 0; i < window.items.size(); ++i) {
    const PackingInstance::Item& item = whole.items[window.items[i]];
    const auto [key, is_new] = keys.emplace(item.key, static_cast<uint32_t>(keys.size()));
    if (is_new) instance.limits.push_back(whole.limits[item.key]);
    instance.items.push_back({key->second, item.bytes});
    for (size_t j = 0; j < i; ++j) {
      if (whole.before.at(window.items[i], window.items[j])) instance.before.set(i, j);
    }
  }
  return window;
}

// Fewer launches for the window's items, if some are found.
bool shorten(const Window& window, Batches& batches) {
  const auto now = static_cast<int64_t>(window.end - window.begin);
  if (now < 2 || launches_at_least(window.instance) >= now) return false;
  const PackingGraph graph(window.instance);
  std::optional<Launches> found = beam_search(graph, now, kWork);
  if (!found) return false;
  for (auto& launch : *found) {
    for (uint32_t& item : launch) item = window.items[graph.original(item)];
  }
  const auto begin = batches.begin() + static_cast<ptrdiff_t>(window.begin);
  const auto end = batches.begin() + static_cast<ptrdiff_t>(window.end);
  batches.insert(batches.erase(begin, end), found->begin(), found->end());
  return true;
}

}  // namespace

Batches improve_in_windows(const PackingInstance& instance, Batches batches, int64_t work) {
  bool improved = true;
  // Another round cuts elsewhere.
  for (size_t offset = 0; improved && work > 0; offset += kMostLaunches / 4) {
    improved = false;
    for (size_t begin = offset % (kMostLaunches / 2); begin < batches.size() && work > 0;) {
      const Window window = window_at(instance, batches, begin);
      work -= kWork + static_cast<int64_t>(window.items.size() * window.items.size() / 8);
      improved |= shorten(window, batches);
      begin += std::max<size_t>((window.end - begin) / 3, 1);
    }
  }
  return batches;
}

}  // namespace flipsat::hlo
