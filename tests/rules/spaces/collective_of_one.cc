// collective-of-one: the three collectives over every grouping.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

std::optional<Case> make(Choices& choices, const std::string& kind) {
  Grouping groups = choices.of(optimizer::all_groupings());
  Dims dims = some_dims(choices, kind == "all-reduce" ? 0 : 1, 3, {1, 2, 4});
  ElementType type = choices.of(kSomeTypes);
  int64_t d = dims.empty() ? 0 : choices.below(static_cast<int64_t>(dims.size()));
  if (kind == "reduce-scatter" && dims[d] % groups.size() != 0) return std::nullopt;
  ReducerKind reducer = type == ElementType::kPred ? ReducerKind::kOr : ReducerKind::kAdd;
  Case made;
  Program p(groups);
  Value x = p.parameter(type, dims);
  if (kind == "all-gather") x = p.all_gather(x, d, groups);
  if (kind == "all-reduce") x = p.all_reduce(x, reducer, groups);
  if (kind == "reduce-scatter") x = p.reduce_scatter(x, d, reducer, groups);
  Dims result = p.dims(x);
  made.module = p.finish(x);
  made.candidates = [=] {
    Modules modules;
    Program q(groups);
    if (result == dims) modules.push_back(q.finish(q.parameter(type, dims)));
    return modules;
  };
  made.faulty = [=] {
    Modules modules;
    Program q(groups);
    Value x = q.parameter(type, dims);
    if (groups.size() == 1 && !dims.empty()) modules.push_back(q.finish(q.reverse(x, {0})));
    return modules;
  };
  return made;
}

}  // namespace

std::vector<Space> collective_of_one_spaces() {
  std::vector<Space> spaces;
  for (std::string kind : {"all-gather", "all-reduce", "reduce-scatter"}) {
    Space space;
    space.rule = "collective-of-one";
    space.direction = kind;
    space.make = [=](Choices& choices) { return make(choices, kind); };
    space.sample = 3000;
    space.fault = "the operand back to front";
    spaces.push_back(std::move(space));
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
