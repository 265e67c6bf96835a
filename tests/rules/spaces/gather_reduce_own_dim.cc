// gather-reduce-own-dim: every set of reduced dims, initial values of every kind.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

std::optional<Case> make(Choices& choices) {
  Grouping groups = some_grouping(choices);
  ElementType type = choices.of<ElementType>(
      {ElementType::kS32, ElementType::kF32, ElementType::kPred, ElementType::kBF16});
  ReducerKind kind = type == ElementType::kPred
                         ? choices.of<ReducerKind>({ReducerKind::kAnd, ReducerKind::kOr})
                         : choices.of<ReducerKind>({ReducerKind::kAdd, ReducerKind::kMaximum,
                                                    ReducerKind::kMinimum, ReducerKind::kMultiply});
  Dims local = some_dims(choices, 1, 3, {2, 1, 3});
  const int64_t rank = static_cast<int64_t>(local.size());
  const int64_t d = choices.below(rank);
  if (hlo::product(local) * groups.size() > 60) return std::nullopt;
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) {
    if (choices.below(i == d ? 5 : 2) != 0) dims.push_back(i);
  }
  const bool is_gone = std::find(dims.begin(), dims.end(), d) != dims.end();
  const int64_t init = choices.below(5);
  auto side = [=](bool gathers) {
    Program p(groups);
    Value x = p.parameter(type, local);
    Value value = init == 0   ? p.zero(type)
                  : init == 1 ? p.number(1, type)
                  : init == 2 ? p.number(type == ElementType::kPred ? 1 : 3, type)
                  : init == 3 ? p.replicated(type, {})
                              : p.parameter(type, {});
    return p.finish(gathers ? p.reduce(p.all_gather(x, d, groups), value, dims, kind)
                            : p.all_reduce(p.reduce(x, value, dims, kind), kind, groups));
  };
  Case made;
  made.module = side(true);
  made.candidates = [=] {
    Modules modules;
    if (is_gone) modules.push_back(side(false));
    return modules;
  };
  made.faulty = made.candidates;
  return made;
}

}  // namespace

std::vector<Space> gather_reduce_own_dim_spaces() {
  Space space;
  space.rule = "gather-reduce-own-dim";
  space.direction = "forward";
  space.make = make;
  space.sample = 2500;
  space.fault = "any initial value";
  space.explained = {
      {"the initial value would be reduced with itself", "it does not show in the result"},
      {"a float sum is made in another order (--numerics reassoc)",
       "one that rounds the same in any order"}};
  Space loose = space;
  loose.numerics = hlo::Numerics::kReassoc;
  loose.promise = Promise::kReassoc;
  return {space, loose};
}

}  // namespace flipsat::rules::testing
