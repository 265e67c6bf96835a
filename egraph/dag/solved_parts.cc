#include "egraph/dag/solved_parts.h"

namespace flipsat::egraph::dag {
namespace {

template <class Number>
void append(std::string& text, std::span<const Number> numbers) {
  const uint64_t count = numbers.size();
  text.append(reinterpret_cast<const char*>(&count), sizeof count);
  text.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

}  // namespace

std::string SolvedParts::key(const Problem& part, std::span<const uint64_t> limits) {
  std::string text;
  append(text, limits);
  append(text, std::span<const Number>(part.first_node));
  append(text, std::span<const Cost>(part.cost));
  append(text, std::span<const Number>(part.first_child));
  append(text, std::span<const Number>(part.children));
  append(text, std::span<const Number>(part.roots));
  return text;
}

std::optional<SolvedPart> SolvedParts::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto part = parts_.find(key);
  if (part == parts_.end()) return std::nullopt;
  ++found_;
  saved_work_ += part->second.work;
  return part->second;
}

void SolvedParts::keep(std::string key, const SolvedPart& answer) {
  const std::lock_guard lock(mutex_);
  const size_t bytes = key.size() + answer.selection.size() * sizeof(Number);
  if (bytes_ + bytes > most_bytes_) return;
  if (parts_.emplace(std::move(key), answer).second) bytes_ += bytes;
}

}  // namespace flipsat::egraph::dag
