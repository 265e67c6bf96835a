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
      space_of("whole-slice", "", 3000, "cuts at the front", whole_slice),
      space_of("tuple-element", "", 1500, "the next element", tuple_element)};
  spaces[0].explained = {
      {"the middle type does not keep every value",
       "what the middle type loses the last one loses as well: integers cut twice, floats of which "
       "only the sign or `not zero` counts in the end; or two roundings that no sample tells from "
       "one"}};
  spaces[5].explained = {{"dims are exchanged", "exchanged dims of one element"}};
  return spaces;
}

}  // namespace flipsat::rules::testing
