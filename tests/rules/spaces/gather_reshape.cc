// gather-reshape: every gathered dim, every way to take the elements apart again.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

// reshape(AG_d(x)), x of `dims`, and AG_o(reshape(x)).
hlo::Module reshape_after(const Grouping& groups, ElementType type, const Dims& dims, int64_t d,
                          const Dims& to) {
  Program p(groups);
  return p.finish(p.reshape(p.all_gather(p.parameter(type, dims), d, groups), to));
}
hlo::Module reshape_before(const Grouping& groups, ElementType type, const Dims& dims,
                           const Dims& to, int64_t o) {
  Program p(groups);
  return p.finish(p.all_gather(p.reshape(p.parameter(type, dims), to), o, groups));
}

// AG_o for every dim of the result that can be cut into n parts.
Modules gathers_of_reshape(const Grouping& groups, ElementType type, const Dims& dims,
                           const Dims& result) {
  Modules modules;
  for (size_t o = 0; o < result.size(); ++o) {
    Dims local = result;
    if (local[o] % groups.size() != 0) continue;
    local[o] /= groups.size();
    if (hlo::product(local) != hlo::product(dims)) continue;
    modules.push_back(reshape_before(groups, type, dims, local, static_cast<int64_t>(o)));
  }
  return modules;
}

Modules reshapes_of_gather(const Grouping& groups, ElementType type, const Dims& dims,
                           const Dims& result) {
  Modules modules;
  for (size_t d = 0; d < dims.size(); ++d) {
    modules.push_back(reshape_after(groups, type, dims, static_cast<int64_t>(d), result));
  }
  return modules;
}

// The guard that a greedy pass is tempted to have: the gathered dim keeps its size, or is merged
// with its neighbours in any order.
Modules by_size_alone(const Grouping& groups, ElementType type, const Dims& dims, int64_t d,
                      const Dims& result) {
  Modules modules;
  int64_t whole = dims[d] * groups.size();
  for (size_t o = 0; o < result.size(); ++o) {
    if (result[o] != whole && result[o] != hlo::product(dims) * groups.size()) continue;
    Dims local = result;
    local[o] /= groups.size();
    if (hlo::product(local) != hlo::product(dims)) continue;
    modules.push_back(reshape_before(groups, type, dims, local, static_cast<int64_t>(o)));
    break;
  }
  return modules;
}

std::optional<Case> forward(Choices& choices) {
  Grouping groups = some_grouping(choices);
  Dims dims = some_dims(choices, 1, 4, {1, 2, 3, 4, 6});
  int64_t d = choices.below(static_cast<int64_t>(dims.size()));
  int64_t elements = hlo::product(dims) * groups.size();
  if (elements > 300) return std::nullopt;
  Dims to = some_reshape(choices, elements, 4);
  ElementType type = choices.flag() ? ElementType::kF32 : ElementType::kS32;
  Case made;
  made.module = reshape_after(groups, type, dims, d, to);
  made.candidates = [=] { return gathers_of_reshape(groups, type, dims, to); };
  made.faulty = [=] { return by_size_alone(groups, type, dims, d, to); };
  return made;
}

std::optional<Case> backward(Choices& choices) {
  Grouping groups = some_grouping(choices);
  Dims dims = some_dims(choices, 0, 4, {1, 2, 3, 4, 6});
  int64_t elements = hlo::product(dims);
  if (elements * groups.size() > 300) return std::nullopt;
  Dims to = some_reshape(choices, elements, 4);
  if (to.empty()) return std::nullopt;
  int64_t o = choices.below(static_cast<int64_t>(to.size()));
  ElementType type = choices.flag() ? ElementType::kF32 : ElementType::kS32;
  Dims result = to;
  result[o] *= groups.size();
  Case made;
  made.module = reshape_before(groups, type, dims, to, o);
  made.candidates = [=] { return reshapes_of_gather(groups, type, dims, result); };
  // Any dim of the gathered one's size.
  made.faulty = [=] {
    Modules modules;
    for (size_t d = 0; d < dims.size() && modules.empty(); ++d) {
      if (dims[d] != to[o]) continue;
      modules.push_back(reshape_after(groups, type, dims, static_cast<int64_t>(d), result));
    }
    return modules;
  };
  return made;
}

}  // namespace

std::vector<Space> gather_reshape_spaces() {
  Space there;
  there.rule = "gather-reshape";
  there.direction = "forward";
  there.make = forward;
  there.sample = 5000;
  there.fault = "the dim of the gathered size, wherever it stands";
  Space back = there;
  back.direction = "backward";
  back.make = backward;
  return {there, back};
}

}  // namespace flipsat::rules::testing
