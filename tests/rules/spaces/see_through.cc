// The rules that look through what stands between a collective and its partner. Their programs hold
// a gather, without which nothing comes into the e-graph.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

// The value that all of these begin with.
Value gathered(Program& p, ElementType type, Dims dims, const Grouping& groups) {
  return p.all_gather(p.parameter(type, std::move(dims)), 0, groups);
}

// A value made from the gathered one, twice: with and without what says nothing.
std::optional<Case> made_of(const Grouping& groups, ElementType type, const Dims& dims,
                            const std::function<Value(Program&, Value)>& left,
                            const std::function<Value(Program&, Value)>& right,
                            const std::function<Value(Program&, Value)>& faulty) {
  auto module_of = [=](const std::function<Value(Program&, Value)>& side) {
    return [=] {
      Program p(groups);
      Value x = gathered(p, type, dims, groups);
      Modules modules;
      modules.push_back(p.finish(side(p, x)));
      return modules;
    };
  };
  Case made;
  made.module = std::move(module_of(left)()[0]);
  if (right) made.candidates = module_of(right);
  if (faulty) made.faulty = module_of(faulty);
  return made;
}

std::optional<Case> convert_chain(Choices& choices) {
  // Two devices, and enough elements that many values of the types are tried.
  Grouping groups = optimizer::grouping(1, 2, hlo::GroupMode::kFlattenedId, {{0, 1}});
  ElementType from = choices.of(kAllTypes), middle = choices.of(kAllTypes),
              to = choices.of(kAllTypes);
  if (from == middle || middle == to) return std::nullopt;
  auto right = [=](Program& p, Value x) { return from == to ? x : p.convert(x, to); };
  std::optional<Case> made = made_of(
      groups, from, {160}, [=](Program& p, Value x) { return p.convert(p.convert(x, middle), to); },
      right, right);
  made->note = std::string(hlo::to_string(from)) + " to " + std::string(hlo::to_string(middle)) +
               " to " + std::string(hlo::to_string(to));
  return made;
}

std::optional<Case> convert_identity(Choices& choices) {
  ElementType from = choices.of(kAllTypes);
  ElementType to = choices.flag() ? from : choices.of(kAllTypes);
  std::function<Value(Program&, Value)> itself;
  if (from == to) itself = [](Program&, Value x) { return x; };
  return made_of(
      choices.of(optimizer::all_groupings()), from, {24},
      [=](Program& p, Value x) { return p.convert(x, to); }, itself,
      [=](Program& p, Value x) { return p.convert(p.convert(x, ElementType::kBF16), to); });
}

std::optional<Case> reshape_chain(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 3, {1, 2, 3});
  int64_t elements = hlo::product(dims) * groups.size();
  Dims middle = some_reshape(choices, elements, 3), to = some_reshape(choices, elements, 4);
  ElementType type = choices.of(kSomeTypes);
  return made_of(
      groups, type, dims, [=](Program& p, Value x) { return p.reshape(p.reshape(x, middle), to); },
      [=](Program& p, Value x) { return p.reshape(x, to); },
      // Exchanges dims on the way, as a transpose would.
      [=](Program& p, Value x) {
        auto reversed = std::vector<int64_t>(middle.size());
        for (size_t i = 0; i < middle.size(); ++i) {
          reversed[i] = static_cast<int64_t>(middle.size() - 1 - i);
        }
        return p.reshape(p.transpose(p.reshape(x, middle), reversed), to);
      });
}

std::optional<Case> reshape_identity(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 4, {1, 2, 3});
  Dims all = dims;
  all[0] *= groups.size();
  Dims to = choices.flag() ? all : some_reshape(choices, hlo::product(all), 4);
  std::function<Value(Program&, Value)> right;
  if (to == all) right = [](Program&, Value x) { return x; };
  return made_of(
      groups, choices.of(kSomeTypes), dims, [=](Program& p, Value x) { return p.reshape(x, to); },
      right, [=](Program& p, Value x) { return p.reverse(p.reshape(x, to), {0}); });
}

std::vector<int64_t> after_one_another(const std::vector<int64_t>& inner,
                                       const std::vector<int64_t>& outer) {
  std::vector<int64_t> both;
  for (int64_t i : outer) both.push_back(inner[i]);
  return both;
}

// Often with dims that are all of one size once gathered, so that exchanging them keeps the shape.
Dims some_transposed(Choices& choices, const Grouping& groups) {
  Dims dims = some_dims(choices, 1, 4, {1, 2, 3});
  if (choices.flag()) {
    std::fill(dims.begin(), dims.end(), groups.size());
    dims[0] = 1;
  }
  return dims;
}

std::optional<Case> transpose_chain(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_transposed(choices, groups);
  if (hlo::product(dims) > 36) return std::nullopt;
  auto inner = some_permutation(choices, dims.size());
  auto outer = some_permutation(choices, dims.size());
  auto as = [=](std::vector<int64_t> permutation) {
    return [=](Program& p, Value x) { return p.transpose(x, permutation); };
  };
  return made_of(
      groups, choices.of(kSomeTypes), dims,
      [=](Program& p, Value x) { return p.transpose(p.transpose(x, inner), outer); },
      as(after_one_another(inner, outer)), as(after_one_another(outer, inner)));
}

std::optional<Case> transpose_identity(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_transposed(choices, groups);
  if (hlo::product(dims) > 36) return std::nullopt;
  auto permutation = some_permutation(choices, dims.size());
  Dims all = dims, result;
  all[0] *= groups.size();
  for (int64_t i : permutation) result.push_back(all[i]);
  std::function<Value(Program&, Value)> itself;
  if (result == all) itself = [](Program&, Value x) { return x; };
  return made_of(
      groups, choices.of(kSomeTypes), dims,
      [=](Program& p, Value x) { return p.transpose(x, permutation); }, itself, itself);
}

std::optional<Case> whole_slice(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 4, {2, 1, 3});
  if (hlo::product(dims) > 36) return std::nullopt;
  Dims all = dims;
  all[0] *= groups.size();
  Dims sizes = all;
  for (size_t i = 0; i < all.size(); ++i) {
    if (choices.below(4) == 3) sizes[i] = choices.between(0, all[i]);
  }
  bool unknown = choices.flag();
  std::vector<int64_t> starts;
  for (size_t i = 0; i < all.size(); ++i) starts.push_back(choices.between(0, 4) - 1);
  auto cut = [=](Program& p, Value x, int64_t more) {
    std::vector<Value> indices;
    for (int64_t start : starts) {
      indices.push_back(unknown ? p.parameter(ElementType::kS32, {}) : p.integer(start + more));
    }
    return p.dynamic_slice(x, indices, sizes);
  };
  std::function<Value(Program&, Value)> right;
  if (sizes == all) {
    right = [=](Program& p, Value x) {
      for (size_t i = 0; unknown && i < sizes.size(); ++i) p.parameter(ElementType::kS32, {});
      return x;
    };
  }
  return made_of(
      groups, choices.of(kSomeTypes), dims, [=](Program& p, Value x) { return cut(p, x, 0); },
      right,
      // Takes what is kept from the front, wherever it starts.
      [=](Program& p, Value x) {
        std::vector<Value> zeros(sizes.size(), p.integer(0));
        for (size_t i = 0; unknown && i < sizes.size(); ++i) p.parameter(ElementType::kS32, {});
        return p.dynamic_slice(x, zeros, sizes);
      });
}

std::optional<Case> tuple_element(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 2, {2, 1, 3});
  ElementType type = choices.of(kSomeTypes);
  int64_t count = choices.between(1, 4);
  int64_t index = choices.below(count);
  // Parts: the gathered value, its reverse, and others like it.
  auto part = [](Program& p, Value x, int64_t i) {
    if (i == 0) return x;
    if (i == 1) return p.reverse(x, {0});
    return p.reverse(p.reverse(x, {0}), {static_cast<int64_t>(p.dims(x).size()) - 1});
  };
  return made_of(
      groups, type, dims,
      [=](Program& p, Value x) {
        std::vector<Value> parts;
        for (int64_t i = 0; i < count; ++i) parts.push_back(part(p, x, i));
        return p.element(p.tuple(parts), index);
      },
      [=](Program& p, Value x) { return part(p, x, index); },
      [=](Program& p, Value x) { return part(p, x, (index + 1) % count); });
}

std::optional<Case> slice_chain(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 3, {2, 1, 3});
  Dims sizes = dims;
  sizes[0] *= groups.size();
  if (hlo::product(sizes) > 60) return std::nullopt;
  hlo::SliceDims inner, outer, both, forgotten;
  for (int64_t size : sizes) {
    auto some_range = [&](int64_t within) {
      const int64_t start = choices.between(0, within);
      const int64_t limit = choices.below(3) == 2 ? start : choices.between(start, within);
      return hlo::SliceDim{start, limit, choices.between(1, 3)};
    };
    inner.push_back(some_range(size));
    const auto [start, limit, stride] = inner.back();
    const int64_t left = (limit - start + stride - 1) / stride;
    outer.push_back(some_range(left));
    // The elements one by one: the first, how far apart, and how many.
    const auto& o = outer.back();
    const int64_t count = (o.limit - o.start + o.stride - 1) / o.stride;
    const int64_t first = count == 0 ? 0 : start + stride * o.start;
    const int64_t last = first + (count - 1) * stride * o.stride;
    both.push_back({first, count == 0 ? 0 : last + 1, stride * o.stride});
    forgotten.push_back(o);
  }
  auto as = [](hlo::SliceDims ranges) {
    return [=](Program& p, Value x) { return p.slice(x, ranges); };
  };
  return made_of(
      groups, choices.of(kSomeTypes), dims,
      [=](Program& p, Value x) { return p.slice(p.slice(x, inner), outer); }, as(both),
      as(forgotten));
}

std::optional<Case> slice_identity(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 3, {2, 1, 3});
  Dims sizes = dims;
  sizes[0] *= groups.size();
  hlo::SliceDims ranges;
  bool is_all = true;
  for (int64_t size : sizes) {
    const int64_t limit = choices.below(4) == 3 ? choices.between(0, size) : size;
    ranges.push_back({0, limit, 1});
    is_all &= limit == size;
  }
  std::function<Value(Program&, Value)> itself;
  if (is_all) itself = [](Program&, Value x) { return x; };
  return made_of(
      groups, choices.of(kSomeTypes), dims, [=](Program& p, Value x) { return p.slice(x, ranges); },
      itself, [=](Program& p, Value x) { return p.reverse(p.slice(x, ranges), {0}); });
}

std::optional<Case> broadcast_chain(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_transposed(choices, groups);
  Dims all = dims;
  all[0] *= groups.size();
  if (hlo::product(all) > 36) return std::nullopt;
  auto grown = [&](const Dims& from, std::vector<int64_t>& along) {
    const size_t more = static_cast<size_t>(choices.below(2));
    std::vector<int64_t> places = some_permutation(choices, static_cast<int>(from.size() + more));
    Dims to(from.size() + more, 2);
    along.assign(places.begin(), places.begin() + static_cast<int64_t>(from.size()));
    for (size_t i = 0; i < from.size(); ++i) to[along[i]] = from[i];
    return to;
  };
  std::vector<int64_t> inner, outer;
  const Dims middle = grown(all, inner), to = grown(middle, outer);
  std::vector<int64_t> both, turned;
  for (int64_t dim : inner) both.push_back(outer[dim]);
  turned = both;
  std::reverse(turned.begin(), turned.end());
  return made_of(
      groups, choices.of(kSomeTypes), dims,
      [=](Program& p, Value x) { return p.broadcast(p.broadcast(x, inner, middle), outer, to); },
      [=](Program& p, Value x) { return p.broadcast(x, both, to); },
      [=](Program& p, Value x) {
        Dims result = to;
        for (size_t i = 0; i < turned.size(); ++i) result[turned[i]] = all[i];
        return p.broadcast(x, turned, result);
      });
}

std::optional<Case> broadcast_identity(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_transposed(choices, groups);
  Dims all = dims;
  all[0] *= groups.size();
  if (hlo::product(all) > 36) return std::nullopt;
  std::vector<int64_t> along = some_permutation(choices, static_cast<int>(all.size()));
  if (choices.flag()) std::sort(along.begin(), along.end());
  Dims to = all;
  for (size_t i = 0; i < along.size(); ++i) to[along[i]] = all[i];
  if (choices.below(4) == 3) to.push_back(2);
  std::function<Value(Program&, Value)> itself;
  if (to == all) itself = [](Program&, Value x) { return x; };
  return made_of(
      groups, choices.of(kSomeTypes), dims,
      [=](Program& p, Value x) { return p.broadcast(x, along, to); }, itself, itself);
}

std::optional<Case> reversed(Choices& choices, bool twice) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 4, {2, 1, 3});
  if (hlo::product(dims) > 36) return std::nullopt;
  std::vector<int64_t> inner, outer, once;
  bool is_seen = false;
  for (int64_t i = 0; i < static_cast<int64_t>(dims.size()); ++i) {
    const bool in = twice && choices.flag(), out = choices.below(twice ? 2 : 4) == 1;
    if (in) inner.push_back(i);
    if (out) outer.push_back(i);
    if (in == out) continue;
    once.push_back(i);
    is_seen = true;
  }
  std::reverse(outer.begin(), outer.end());
  return made_of(
      groups, choices.of(kSomeTypes), dims,
      [=](Program& p, Value x) { return p.reverse(twice ? p.reverse(x, inner) : x, outer); },
      [=](Program& p, Value x) { return is_seen && twice ? p.reverse(x, once) : x; },
      [=](Program& p, Value x) { return twice ? p.reverse(x, outer) : x; });
}
std::optional<Case> reverse_chain(Choices& choices) { return reversed(choices, true); }
std::optional<Case> reverse_identity(Choices& choices) { return reversed(choices, false); }

std::optional<Case> pad_nothing(Choices& choices) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 3, {2, 1, 3});
  if (hlo::product(dims) > 36) return std::nullopt;
  hlo::PaddingDims padding(dims.size());
  for (hlo::PaddingDim& dim : padding) {
    if (choices.below(4) == 3) dim = {choices.between(0, 2) - 1, choices.between(0, 2) - 1, 0};
    if (choices.below(4) == 3) dim.interior = 1;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = dims[i] * (i == 0 ? groups.size() : 1);
    const auto& [low, high, interior] = padding[i];
    if (size + low + high + interior * std::max<int64_t>(size - 1, 0) < 0) return std::nullopt;
  }
  ElementType type = choices.of(kSomeTypes);
  Dims all = dims;
  all[0] *= groups.size();
  std::function<Value(Program&, Value)> itself;
  Program asked(groups);
  Value padded = asked.pad(asked.parameter(type, all), asked.zero(type), padding);
  if (asked.dims(padded) == all) itself = [](Program&, Value x) { return x; };
  return made_of(
      groups, type, dims, [=](Program& p, Value x) { return p.pad(x, p.zero(type), padding); },
      itself, itself);
}

// One in four has a one for the zero.
std::optional<Case> zero_operand(Choices& choices, Opcode opcode) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, 1, 3, {2, 1, 3});
  ElementType type = choices.of(kAllTypes);
  if (type == ElementType::kPred) return std::nullopt;
  const bool is_zero = choices.below(4) != 0, comes_first = choices.flag();
  const int64_t how = choices.below(3);
  Dims all = dims;
  all[0] *= groups.size();
  const Dims reversed(all.rbegin(), all.rend());
  auto zeros = [=](Program& p) { return p.broadcast(p.zero(type), {}, all); };
  auto repeated = [=](Program& p) {
    Value scalar = p.integer(is_zero ? 0 : 1, ElementType::kS16);
    if (how != 1 && is_zero) scalar = p.zero(type);
    scalar = p.convert(scalar, type);
    if (how != 2) return p.broadcast(scalar, {}, all);
    std::vector<int64_t> permutation;
    for (size_t dim = all.size(); dim-- > 0;) permutation.push_back(static_cast<int64_t>(dim));
    return p.transpose(p.broadcast(scalar, {}, reversed), permutation);
  };
  const bool is_product = opcode == Opcode::kMultiply;
  return made_of(
      groups, type, dims,
      [=](Program& p, Value x) {
        Value other = repeated(p);
        return p.elementwise(
            opcode, comes_first ? std::vector<Value>{other, x} : std::vector<Value>{x, other});
      },
      [=](Program& p, Value x) { return is_product ? zeros(p) : x; },
      [=](Program& p, Value x) { return is_product ? x : zeros(p); });
}

std::optional<Case> zero_factor(Choices& choices) {
  return zero_operand(choices, Opcode::kMultiply);
}

std::optional<Case> zero_term(Choices& choices) { return zero_operand(choices, Opcode::kAdd); }

Space space_of(std::string rule, std::string direction, int64_t sample, std::string fault,
               std::optional<Case> (*make)(Choices&)) {
  Space space;
  space.rule = std::move(rule);
  space.direction = std::move(direction);
  space.make = make;
  space.sample = sample;
  space.fault = std::move(fault);
  return space;
}

}  // namespace

std::vector<Space> see_through_spaces() {
  std::vector<Space> spaces = {
      space_of("convert-convert", "chain", 6000, "any middle type", convert_chain),
      space_of("convert-convert", "identity", 400, "goes by bf16", convert_identity),
      space_of("reshape-reshape", "chain", 2500, "dims exchanged on the way", reshape_chain),
      space_of("reshape-reshape", "identity", 1500, "reversed", reshape_identity),
      space_of("transpose-transpose", "chain", 2500, "q after p in place of p after q",
               transpose_chain),
      space_of("transpose-transpose", "identity", 2000, "any transpose that keeps the shape",
               transpose_identity),
      space_of("slice-slice", "chain", 2500, "the outer slice alone", slice_chain),
      space_of("slice-slice", "identity", 1500, "reversed", slice_identity),
      space_of("broadcast-broadcast", "chain", 2000, "dims in the other order", broadcast_chain),
      space_of("broadcast-broadcast", "identity", 1500, "any that keeps the shape",
               broadcast_identity),
      space_of("reverse-reverse", "chain", 1500, "the outer reverse alone", reverse_chain),
      space_of("reverse-reverse", "identity", 1500, "any reverse", reverse_identity),
      space_of("pad-nothing", "", 2000, "any that keeps the shape", pad_nothing),
      space_of("whole-slice", "", 3000, "cuts at the front", whole_slice),
      space_of("tuple-element", "", 1500, "the next element", tuple_element),
      space_of("zero-times", "product", 1500, "one times", zero_factor),
      space_of("zero-times", "sum", 1500, "zero is what is left", zero_term)};
  for (Space& space : spaces) {
    if (space.rule == "convert-convert" && space.direction == "chain") {
      space.explained = {
          {"the middle type does not keep every value",
           "what the middle type loses the last one loses as well: integers cut twice, floats of "
           "which only the sign or `not zero` counts in the end; or two roundings that no sample "
           "tells from one"}};
    } else if (space.rule == "zero-times") {
      space.promise = Promise::kFinite;
    } else {
      space.explained = {{"dims are exchanged", "exchanged dims of one element"}};
    }
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
