#include "egraph/edges.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace flipsat::egraph {
namespace {

uint64_t key_of(const Edge& edge) { return (uint64_t{edge.from} << 32) | edge.to; }

}  // namespace

bool Edges::add(Edge edge) {
  if (edge.from == edge.to) return false;
  if (!keys_.insert(key_of(edge)).second) return false;
  edge.order = added_++;
  edges_.push_back(edge);
  return true;
}

void Edges::rebuild(const std::function<ClassId(ClassId)>& find) {
  for (Edge& edge : edges_) {
    edge.from = find(edge.from);
    edge.to = find(edge.to);
  }
  std::erase_if(edges_, [](const Edge& edge) { return edge.from == edge.to; });
  // Of two doubles the older one stays.
  const auto key_and_order = [](const Edge& edge) { return std::pair(key_of(edge), edge.order); };
  std::ranges::sort(edges_, {}, key_and_order);
  const auto doubles = std::ranges::unique(edges_, {}, key_of);
  edges_.erase(doubles.begin(), doubles.end());
  keys_.clear();
  for (const Edge& edge : edges_) keys_.insert(key_of(edge));
  sorted_ = edges_.size();
}

std::span<const Edge> Edges::of(ClassId from) const {
  assert(is_sorted());
  const auto range = std::ranges::equal_range(edges_, from, {}, &Edge::from);
  return {range.begin(), range.end()};
}

}  // namespace flipsat::egraph
