// reduce-reshape: every way to take the elements apart again, every scattered dim.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct Reshaped {
  Grouping groups;
  ElementType type;
  ReducerKind kind;
  bool scatters;
  Dims from;  // of the reduction's operand where it comes first, else of the reshape's

  Value reduced(Program& p, Value x, int64_t dim) const {
    return scatters ? p.reduce_scatter(x, dim, kind, groups) : p.all_reduce(x, kind, groups);
  }
  hlo::Module reshape_after(int64_t d, const Dims& result) const {
    Program p(groups);
    return p.finish(p.reshape(reduced(p, p.parameter(type, from), d), result));
  }
  hlo::Module reshape_before(const Dims& to, int64_t o) const {
    Program p(groups);
    return p.finish(reduced(p, p.reshape(p.parameter(type, from), to), o));
  }
  // Along any dim that can be cut.
  Modules all_after(const Dims& result, int64_t only = -1) const {
    Modules modules;
    if (!scatters) modules.push_back(reshape_after(0, result));
    for (size_t d = 0; scatters && d < from.size(); ++d) {
      if (from[d] % groups.size() != 0 || (only >= 0 && from[d] != only)) continue;
      modules.push_back(reshape_after(static_cast<int64_t>(d), result));
    }
    return modules;
  }
  Modules all_before(const Dims& result, int64_t only = -1) const {
    Modules modules;
    if (!scatters) modules.push_back(reshape_before(result, 0));
    for (size_t o = 0; scatters && o < result.size(); ++o) {
      if (only >= 0 && result[o] != only) continue;
      Dims to = result;
      to[o] *= groups.size();
      modules.push_back(reshape_before(to, static_cast<int64_t>(o)));
    }
    return modules;
  }
};

Reshaped some_reduction(Choices& choices) {
  Reshaped r;
  r.groups = some_grouping(choices);
  r.type = choices.of<ElementType>({ElementType::kS32, ElementType::kF32});
  r.kind = choices.of<ReducerKind>({ReducerKind::kAdd, ReducerKind::kMaximum});
  r.scatters = choices.below(4) != 0;
  return r;
}

std::optional<Case> forward(Choices& choices) {
  Reshaped r = some_reduction(choices);
  Dims shard = some_dims(choices, 1, 4, {2, 1, 3, 4});
  const int64_t elements = hlo::product(shard);
  if (elements * r.groups.size() > 200) return std::nullopt;
  const int64_t d = choices.below(static_cast<int64_t>(shard.size()));
  r.from = shard;
  if (r.scatters) r.from[d] *= r.groups.size();
  const Dims to = some_reshape(choices, elements, 4);
  Case made;
  made.module = r.reshape_after(d, to);
  made.candidates = [=] { return r.all_before(to); };
  made.faulty = [=] { return r.all_before(to, shard[d]); };
  return made;
}

std::optional<Case> backward(Choices& choices) {
  Reshaped r = some_reduction(choices);
  Dims to = some_dims(choices, 1, 4, {2, 1, 3, 4});
  const int64_t o = choices.below(static_cast<int64_t>(to.size()));
  Dims result = to;
  if (r.scatters) to[o] *= r.groups.size();
  const int64_t elements = hlo::product(to);
  if (elements > 200) return std::nullopt;
  r.from = some_reshape(choices, elements, 4);
  Case made;
  made.module = r.reshape_before(to, o);
  made.candidates = [=] { return r.all_after(result); };
  made.faulty = [=] { return r.all_after(result, to[o]); };
  return made;
}

}  // namespace

std::vector<Space> reduce_reshape_spaces() {
  Space there;
  there.rule = "reduce-reshape";
  there.direction = "forward";
  there.make = forward;
  there.sample = 4000;
  there.fault = "the dim of the scattered size, wherever it stands";
  Space back = there;
  back.direction = "backward";
  back.make = backward;
  return {there, back};
}

}  // namespace flipsat::rules::testing
