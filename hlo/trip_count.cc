#include <algorithm>
#include <charconv>
#include <limits>

#include "hlo/affine_trace.h"
#include "hlo/call_graph.h"

namespace flipsat::hlo {
namespace {

// backend_config={"known_trip_count":{"n":"8"},...}, with or without an outer string's escapes.
std::optional<int64_t> annotated_trip_count(const Instruction& loop) {
  std::string_view text = loop.raw_text(AttributeKey::kBackendConfig);
  size_t at = text.find("known_trip_count");
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at);
  text = text.substr(0, text.find('}'));
  size_t digit = text.find_first_of("-0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  int64_t count = 0;
  auto [end, error] = std::from_chars(text.data() + digit, text.data() + text.size(), count);
  if (error != std::errc() || count < 0) return std::nullopt;
  return count;
}

std::string_view negation(std::string_view direction) {
  if (direction == "LT") return "GE";
  if (direction == "GE") return "LT";
  if (direction == "GT") return "LE";
  if (direction == "LE") return "GT";
  return direction == "EQ" ? "NE" : "EQ";
}

std::string_view mirror(std::string_view direction) {
  if (direction == "LT") return "GT";
  if (direction == "GT") return "LT";
  if (direction == "LE") return "GE";
  return direction == "GE" ? "LE" : direction;
}

bool holds(Wide left, std::string_view direction, Wide right) {
  if (direction == "LT") return left < right;
  if (direction == "LE") return left <= right;
  if (direction == "GT") return left > right;
  if (direction == "GE") return left >= right;
  return direction == "EQ" ? left == right : left != right;
}

// How often `start + k * step` (k = 0, 1, ..) compares true before it first does not, over numbers
// that never wrap; nullopt: for ever.
std::optional<Wide> count_steps(Wide start, Wide step, std::string_view direction, Wide bound) {
  if (!holds(start, direction, bound)) return 0;
  if (direction == "EQ") return step == 0 ? std::nullopt : std::optional<Wide>(1);
  if (direction == "NE") {
    if (step == 0 || (bound - start) % step != 0 || (bound - start) / step < 0) return std::nullopt;
    return (bound - start) / step;
  }
  if (direction == "GT" || direction == "GE") {
    start = -start;
    step = -step;
    bound = -bound;
  }
  if (step <= 0) return std::nullopt;
  if (direction == "LE" || direction == "GE") bound += 1;
  return (bound - start + step - 1) / step;
}

bool stays_in_range(const std::vector<Affine::Passage>& passages, Wide first, Wide last) {
  return std::all_of(passages.begin(), passages.end(), [&](const Affine::Passage& passage) {
    auto [low, high] = integer_range(passage.type);
    return std::min(first, last) + passage.offset >= low &&
           std::max(first, last) + passage.offset <= high;
  });
}

const Shape* shape_at(const Shape& shape, const TuplePath& path) {
  const Shape* at = &shape;
  for (int64_t index : path) {
    if (!at->is_tuple() || static_cast<size_t>(index) >= at->parts->size()) return nullptr;
    at = &(*at->parts)[index];
  }
  return at;
}

class LoopCounter {
 public:
  LoopCounter(const Module& module, const Instruction& loop, ComputationId body)
      : module_(module), loop_(loop), body_(body), outside_(module, kNoId), inside_(module, body) {}

  // How often the comparison holds before it first does not.
  std::optional<Wide> count(AffineCompare compare) {
    if (compare.negated) compare.direction = negation(compare.direction);
    Affine induction = std::move(compare.left);
    Affine bound = std::move(compare.right);
    if (!resolve_invariant(induction) || !resolve_invariant(bound)) return std::nullopt;
    if (bound.of_state) {
      std::swap(induction, bound);
      compare.direction = mirror(compare.direction);
    }
    if (bound.of_state) return std::nullopt;  // two elements that change
    if (!induction.of_state) {
      if (holds(induction.offset, compare.direction, bound.offset)) return kForever;
      return 0;
    }
    std::optional<Affine> next = inside_.trace(module_.computations[body_].root, induction.path);
    std::optional<Affine> start = outside_.trace(loop_.operands[0], induction.path);
    const Shape* shape = shape_at(loop_.shape, induction.path);
    if (!next || !start || !shape || !next->of_state || next->path != induction.path) {
      return std::nullopt;
    }
    std::optional<Wide> trips = count_steps(start->offset, next->offset, compare.direction,
                                            bound.offset - induction.offset);
    if (!trips) return std::nullopt;
    Wide last = start->offset + *trips * next->offset;
    Wide last_stepped = *trips > 0 ? last - next->offset : start->offset;
    bool in_range = stays_in_range({{shape->type, 0}}, start->offset, last) &&
                    stays_in_range(induction.passages, start->offset, last) &&
                    stays_in_range(next->passages, start->offset, last_stepped);
    if (!in_range) return std::nullopt;
    return trips;
  }

  static constexpr Wide kForever = Wide{1} << 100;

 private:
  // An element that the body passes on unchanged is what it started as. False: unknown.
  bool resolve_invariant(Affine& value) {
    if (!value.of_state) return true;
    std::optional<Affine> next = inside_.trace(module_.computations[body_].root, value.path);
    if (!next) return false;
    bool unchanged = next->of_state && next->path == value.path && next->offset == 0;
    if (!unchanged) return true;
    std::optional<Affine> start = outside_.trace(loop_.operands[0], value.path);
    if (!start || !stays_in_range(value.passages, start->offset, start->offset) ||
        !stays_in_range(next->passages, start->offset, start->offset)) {
      return false;
    }
    value = Affine{false, {}, start->offset + value.offset, {}};
    return true;
  }

  const Module& module_;
  const Instruction& loop_;
  ComputationId body_;
  AffineTrace outside_;
  AffineTrace inside_;
};

}  // namespace

std::optional<int64_t> trip_count(const Module& module, const Instruction& while_instruction) {
  if (std::optional<int64_t> count = annotated_trip_count(while_instruction)) return count;
  auto computation = [&](AttributeKey key) -> ComputationId {
    const Attribute* attribute = while_instruction.find(key);
    const auto* list = attribute ? std::get_if<ComputationList>(&attribute->value) : nullptr;
    return list && list->size() == 1 ? list->front() : kNoId;
  };
  ComputationId condition = computation(AttributeKey::kCondition);
  ComputationId body = computation(AttributeKey::kBody);
  if (condition == kNoId || body == kNoId || while_instruction.operands.size() != 1) {
    return std::nullopt;
  }

  AffineTrace trace(module, condition);
  auto compares = trace.conjunction(module.computations[condition].root);
  if (!compares) return std::nullopt;
  // The loop ends when the first of them fails.
  LoopCounter counter(module, while_instruction, body);
  Wide trips = LoopCounter::kForever;
  for (AffineCompare& compare : *compares) {
    std::optional<Wide> count = counter.count(std::move(compare));
    if (!count) return std::nullopt;
    trips = std::min(trips, *count);
  }
  if (trips > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return static_cast<int64_t>(trips);
}

}  // namespace flipsat::hlo
