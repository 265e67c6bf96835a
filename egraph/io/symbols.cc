#include "egraph/io/symbols.h"

#include <cstring>
#include <stdexcept>

namespace flipsat::egraph {
namespace {

constexpr size_t kChunk = 1 << 16;

}  // namespace

std::string_view NameStore::keep(std::string_view text) {
  if (text.size() > size_ - used_) {
    size_ = std::max(kChunk, text.size());
    used_ = 0;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size_));
  }
  if (text.empty()) return {};
  char* const place = chunks_.back().get() + used_;
  std::memcpy(place, text.data(), text.size());
  used_ += text.size();
  return {place, text.size()};
}

SymbolId Symbols::leaf(std::string_view name) {
  auto& [kept, uses] = entry(name);
  if (uses.leaf == kNoId) {
    uses.leaf = add(kept, kLeaf, static_cast<uint32_t>(leaves_.size()));
    leaves_.push_back(uses.leaf);
  }
  return uses.leaf;
}

SymbolId Symbols::head(std::string_view name) {
  auto& [kept, uses] = entry(name);
  if (uses.head == kNoId) {
    if (!can_add_head()) throw std::length_error("more than 65,535 heads");
    uses.head = add(kept, static_cast<Kind>(heads_.size() + 1), 0);
    heads_.push_back(uses.head);
  }
  return uses.head;
}

SymbolId Symbols::find_leaf(std::string_view name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? kNoId : it->second.leaf;
}

SymbolId Symbols::find_head(std::string_view name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? kNoId : it->second.head;
}

std::vector<OperatorId> Symbols::intern_all(EGraph& graph) const {
  std::vector<OperatorId> ops(size());
  for (SymbolId symbol = 0; symbol < size(); ++symbol) ops[symbol] = intern(graph, symbol);
  return ops;
}

std::string_view Symbols::variable(std::string_view name) {
  if (const auto it = variables_.find(name); it != variables_.end()) return it->second;
  const std::string_view kept = store_.keep(name);
  variables_.emplace(kept, kept);
  return kept;
}

Symbols::Names::value_type& Symbols::entry(std::string_view name) {
  if (const auto it = names_.find(name); it != names_.end()) return *it;
  return *names_.emplace(store_.keep(name), Uses{}).first;
}

SymbolId Symbols::add(std::string_view kept, Kind kind, uint32_t payload) {
  symbols_.push_back({kept, kind, payload, kNoId});
  return size() - 1;
}

}  // namespace flipsat::egraph
