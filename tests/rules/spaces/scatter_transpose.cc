// scatter-transpose: every permutation and scattered dim of up to four dims.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

std::optional<Case> make(Choices& choices, bool forward) {
  Grouping groups = some_grouping(choices);
  Dims shard = some_dims(choices, 1, 4, {1, 2, 3, 0});
  int rank = static_cast<int>(shard.size());
  std::vector<int64_t> permutation = some_permutation(choices, rank);
  int64_t d = choices.below(rank);  // scattered, of the operand of the transpose
  Dims dims = shard;
  dims[d] *= groups.size();
  if (hlo::product(dims) > 100) return std::nullopt;
  ElementType type = choices.of<ElementType>(
      {ElementType::kS32, ElementType::kF32, ElementType::kBF16, ElementType::kPred});
  ReducerKind kind = ReducerKind::kAnd;
  if (type != ElementType::kPred) {
    kind = choices.of<ReducerKind>(
        {ReducerKind::kAdd, ReducerKind::kMaximum, ReducerKind::kMinimum, ReducerKind::kMultiply});
  }
  auto transposed_after = [=] {
    Program p(groups);
    return p.finish(
        p.transpose(p.reduce_scatter(p.parameter(type, dims), d, kind, groups), permutation));
  };
  auto transposed_before = [=](int64_t o) {
    Program p(groups);
    return p.finish(
        p.reduce_scatter(p.transpose(p.parameter(type, dims), permutation), o, kind, groups));
  };
  auto found = std::find(permutation.begin(), permutation.end(), d) - permutation.begin();
  Case made;
  made.module = forward ? transposed_after() : transposed_before(found);
  made.candidates = [=] {
    Modules modules;
    modules.push_back(forward ? transposed_before(found) : transposed_after());
    return modules;
  };
  // p in place of its inverse, where the result's shape lets it pass.
  made.faulty = [=] {
    Modules modules;
    int64_t o = permutation[d];
    Dims result;
    for (int64_t i : permutation) result.push_back(dims[i]);
    if (result[o] % groups.size() != 0) return modules;
    result[o] /= groups.size();
    Dims expected;
    for (int64_t i : permutation) expected.push_back(shard[i]);
    if (forward && result == expected) modules.push_back(transposed_before(o));
    return modules;
  };
  if (!forward) {
    made.faulty = [=] {
      Modules modules;
      // The transpose's dim taken for its operand's.
      Dims scattered = dims;
      if (dims[found] % groups.size() != 0) return modules;
      scattered[found] /= groups.size();
      Dims result, expected;
      for (int64_t i : permutation) result.push_back(scattered[i]);
      for (int64_t i : permutation) expected.push_back(shard[i]);
      if (result != expected) return modules;
      Program p(groups);
      modules.push_back(p.finish(p.transpose(
          p.reduce_scatter(p.parameter(type, dims), found, kind, groups), permutation)));
      return modules;
    };
  }
  return made;
}

}  // namespace

std::vector<Space> scatter_transpose_spaces() {
  std::vector<Space> spaces;
  for (bool forward : {true, false}) {
    Space space;
    space.rule = "scatter-transpose";
    space.direction = forward ? "forward" : "backward";
    space.make = [=](Choices& choices) { return make(choices, forward); };
    space.sample = 5000;
    space.fault = "the permutation in place of its inverse";
    spaces.push_back(std::move(space));
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
