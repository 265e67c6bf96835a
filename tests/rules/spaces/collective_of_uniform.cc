// collective-of-uniform: collectives of values that are the same on all devices, on
// those of a group, or on none.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct OfUniform {
  Grouping groups;
  std::string kind;  // of the collective
  ElementType type;
  ReducerKind reducer;
  Dims dims;
  int64_t d = 0;
  int64_t known = 0;  // the same on all devices, on those of a group, on none

  Value operand(Program& p) const {
    if (known == 0) return p.replicated(type, dims);
    Value own = p.parameter(type, dims);
    if (known == 2) return own;
    return p.all_reduce(own, type == ElementType::kPred ? ReducerKind::kOr : ReducerKind::kMaximum,
                        groups);
  }
  hlo::Module module() const {
    Program p(groups);
    Value x = operand(p);
    if (kind == "all-gather") return p.finish(p.all_gather(x, d, groups));
    if (kind == "all-reduce") return p.finish(p.all_reduce(x, reducer, groups));
    return p.finish(p.reduce_scatter(x, d, reducer, groups));
  }
  // Without the collective; `faulty` does not count the members, or repeats elements one by one.
  Modules without(bool faulty) const {
    Program p(groups);
    Value x = operand(p);
    const int64_t n = groups.size();
    if (kind == "all-gather") {
      Dims apart = dims, joined = dims;
      apart.insert(apart.begin() + (faulty ? d + 1 : d), n);
      joined[d] *= n;
      std::vector<int64_t> along;
      for (int64_t i = 0; i < static_cast<int64_t>(dims.size()); ++i) {
        along.push_back(i < d || (faulty && i == d) ? i : i + 1);
      }
      x = p.reshape(p.broadcast(x, along, apart), joined);
    } else {
      if (kind == "reduce-scatter") x = p.own_shard(x, d, groups);
      if (reducer == ReducerKind::kAdd && !faulty) {
        Value factor = p.broadcast(p.number(static_cast<double>(n), type), {}, p.dims(x));
        x = p.elementwise(Opcode::kMultiply, {x, factor});
      }
    }
    Modules modules;
    modules.push_back(p.finish(x));
    return modules;
  }
};

std::optional<Case> make(Choices& choices, const std::string& kind) {
  OfUniform u;
  u.groups = some_grouping(choices);
  u.kind = kind;
  u.type = choices.of<ElementType>({ElementType::kS32, ElementType::kF32, ElementType::kPred,
                                    ElementType::kU8, ElementType::kBF16});
  u.reducer = choices.of<ReducerKind>({ReducerKind::kAdd, ReducerKind::kMaximum});
  if (u.type == ElementType::kPred) u.reducer = ReducerKind::kAnd;
  u.dims = some_dims(choices, kind == "all-reduce" ? 0 : 1, 2, {1, 2, 3});
  if (!u.dims.empty()) u.d = choices.below(static_cast<int64_t>(u.dims.size()));
  if (kind == "reduce-scatter") u.dims[u.d] *= u.groups.size();
  u.known = choices.below(3);
  Case made;
  made.module = u.module();
  made.candidates = [=] { return u.without(false); };
  made.faulty = [=] { return u.without(true); };
  return made;
}

Space space_of(const std::string& kind) {
  Space space;
  space.rule = "collective-of-uniform";
  space.direction = kind;
  space.make = [=](Choices& choices) { return make(choices, kind); };
  space.sample = 1500;
  space.fault = kind == "all-gather" ? "every element repeated in place" : "not times the members";
  space.explained = {
      {"the reduction of equal terms is not one of them, nor an integer sum",
       "sums of few equal floats are their product: no rule, since nobody adds such up"},
      {"the operand differs inside a group",
       "said of the maximum whose float sum is tried: that sum is sum-of-uniform"},
      {"every order of the sum may round (--numerics reassoc)",
       "not on the numbers that were tried"}};
  return space;
}

}  // namespace

std::vector<Space> collective_of_uniform_spaces() {
  std::vector<Space> spaces;
  for (std::string kind : {"all-reduce", "reduce-scatter", "all-gather"}) {
    spaces.push_back(space_of(kind));
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
