// reduce-scatter-gather: gathers of scattered sums over the same devices in all orders, and sums of
// which a device keeps its shard, or something near it, of what is made of them.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct Sum {
  Grouping groups, gathering;
  ElementType type;
  ReducerKind kind;
  Dims dims;
  int64_t d = 0, gathered = 0;
};

std::optional<Sum> some_sum(Choices& choices) {
  Sum s;
  s.groups = some_grouping(choices);
  s.type = choices.of<ElementType>({ElementType::kS32, ElementType::kF32, ElementType::kPred});
  s.kind = choices.of<ReducerKind>({ReducerKind::kAdd, ReducerKind::kMinimum});
  if (s.type == ElementType::kPred) s.kind = ReducerKind::kAnd;
  s.dims = some_dims(choices, 1, 3, {1, 2, 3});
  s.d = choices.below(static_cast<int64_t>(s.dims.size()));
  s.dims[s.d] *= s.groups.size();
  if (hlo::product(s.dims) > 72) return std::nullopt;
  return s;
}

std::optional<Case> gather_of_scatter(Choices& choices) {
  auto s = some_sum(choices);
  if (!s) return std::nullopt;
  s->gathering = s->groups;
  s->gathered = s->d;
  if (choices.below(3) == 2) {
    auto turned = in_another_order(s->groups);
    if (!turned) return std::nullopt;
    s->gathering = *turned;
  }
  if (choices.below(6) == 5) s->gathered = choices.below(static_cast<int64_t>(s->dims.size()));
  Case made;
  Program p(s->groups);
  Value part = p.reduce_scatter(p.parameter(s->type, s->dims), s->d, s->kind, s->groups);
  made.module = p.finish(p.all_gather(part, s->gathered, s->gathering));
  made.candidates = [s = *s] {
    Modules modules;
    if (s.gathered != s.d) return modules;
    Program q(s.groups);
    modules.push_back(q.finish(q.all_reduce(q.parameter(s.type, s.dims), s.kind, s.groups)));
    return modules;
  };
  made.faulty = made.candidates;
  return made;
}

// transpose(f(AR(x))), cut by device; only the sum is defined anew.
std::optional<Case> part_of_sum(Choices& choices) {
  auto s = some_sum(choices);
  if (!s) return std::nullopt;
  auto permutation = some_permutation(choices, static_cast<int>(s->dims.size()));
  int64_t cut_at = 0;
  while (permutation[cut_at] != s->d) ++cut_at;
  // At the own shard in another order of members, not by device, or beside it.
  int64_t how = choices.below(6);
  auto ordered = how == 1 ? in_another_order(s->groups) : std::optional(s->groups);
  if (!ordered) return std::nullopt;
  s->gathering = *ordered;
  int64_t block = s->dims[s->d] / s->groups.size();
  std::vector<int64_t> starts;
  for (int64_t device = 0; device < s->groups.devices(); ++device) {
    starts.push_back(how == 4 ? 0 : s->gathering.position(device) * block + (how == 5 ? 1 : 0));
  }
  bool is_gathered_beside = how == 3 && hlo::product(s->dims) > 0;
  auto module_of = [=, s = *s](bool apart, bool in_order) {
    Program p(s.groups);
    Value x = p.parameter(s.type, s.dims), sum = x;
    if (apart) {
      auto other = in_order ? std::optional(s.gathering) : in_another_order(s.gathering);
      if (!other) return Modules{};
      sum = p.all_gather(p.reduce_scatter(x, s.d, s.kind, s.gathering), s.d, *other);
    } else {
      sum = p.all_reduce(x, s.kind, s.groups);
    }
    Value all = p.elementwise(s.type == ElementType::kPred ? Opcode::kNot : Opcode::kNegate, {sum});
    Modules modules;
    if (is_gathered_beside) {
      Dims local = s.dims;
      local[s.d] = block;
      Value beside = p.all_gather(p.parameter(s.type, local), s.d, s.gathering);
      modules.push_back(p.finish(p.elementwise(
          s.type == ElementType::kPred ? Opcode::kAnd : Opcode::kMaximum, {all, beside})));
      return modules;
    }
    all = p.transpose(all, permutation);
    Dims sizes = p.dims(all);
    sizes[cut_at] = block;
    std::vector<Value> indices;
    for (size_t i = 0; i < sizes.size(); ++i) indices.push_back(p.integer(0));
    indices[cut_at] = p.by_device(starts);
    modules.push_back(p.finish(p.dynamic_slice(all, indices, sizes)));
    return modules;
  };
  Case made;
  made.module = std::move(module_of(false, true)[0]);
  made.candidates = [=] { return module_of(true, true); };
  made.faulty = [=] { return module_of(true, false); };
  return made;
}

}  // namespace

std::vector<Space> reduce_scatter_gather_spaces() {
  Space merge;
  merge.rule = "reduce-scatter-gather";
  merge.direction = "merge";
  merge.make = gather_of_scatter;
  merge.sample = 2000;
  merge.promise = Promise::kOrderOpen;
  merge.fault = "whatever the order of the members";
  merge.explained = {{"what is gathered was scattered over other groups",
                      "of pred, the parts are often equal by chance"}};
  Space split = merge;
  split.direction = "split";
  split.make = part_of_sum;
  split.fault = "gathered in another order than scattered";
  split.explained = {{"nothing is made of the sum of which a part is enough",
                      "on purpose: always right, but without a partner every sum would be two "
                      "collectives along each of its dims"}};
  return {merge, split};
}

}  // namespace flipsat::rules::testing
