// scatter-transpose: every permutation and scattered dim of up to four dims.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

std::optional<Case> make(Choices& choices, bool forward) {
  Grouping groups = some_grouping(choices);
  Dims shard = some_dims(choices, 1, 4, {1, 2, 3});
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
  auto found = std::find(permutation.begin(), permutation.end(), d) - permutation.begin();
  auto side = [=](bool transposed_after, const Grouping& over) {
    Program p(over);
    Value x = p.parameter(type, dims);
    return p.finish(transposed_after
                        ? p.transpose(p.reduce_scatter(x, d, kind, over), permutation)
                        : p.reduce_scatter(p.transpose(x, permutation), found, kind, over));
  };
  Case made;
  made.module = side(forward, groups);
  made.candidates = [=] {
    Modules modules;
    modules.push_back(side(!forward, groups));
    return modules;
  };
  made.faulty = [=] {
    Modules modules;
    if (auto turned = in_another_order(groups)) modules.push_back(side(!forward, *turned));
    return modules;
  };
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
    space.sample = 2500;
    space.fault = "members in another order";
    spaces.push_back(std::move(space));
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
