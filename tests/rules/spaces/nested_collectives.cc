// reduce-reduce, scatter-reduce, scatter-scatter, gather-gather, gather-reduce: one collective of
// another, over all pairs of groupings of few devices and some of more, in one mode or two.
#include <algorithm>
#include <map>
#include <set>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

enum class Op { kGather, kReduce, kScatter };

struct Layer {
  Op op;
  Grouping groups;
  int64_t d = 0;
  ReducerKind kind = ReducerKind::kAdd;

  Value apply(Program& p, Value x) const {
    if (op == Op::kGather) return p.all_gather(x, d, groups);
    if (op == Op::kReduce) return p.all_reduce(x, kind, groups);
    return p.reduce_scatter(x, d, kind, groups);
  }
};

struct Nested {
  ElementType type;
  Dims dims;
  Layer inner, outer;

  hlo::Module module(const std::vector<Layer>& layers) const {
    Program p(inner.groups);
    Value x = p.parameter(type, dims);
    for (const Layer& layer : layers) x = layer.apply(p, x);
    return p.finish(x);
  }
};

const std::vector<int64_t>& group_of(const Grouping& grouping, int64_t device) {
  return grouping.groups.groups[grouping.groups.position_of(device).first];
}

// The members that a device hears of, through the outer group and then the inner ones; empty where
// these lists are no groups.
hlo::ReplicaGroups heard_of(const Nested& n, bool outer_is_major) {
  const Grouping &inner = n.inner.groups, &outer = n.outer.groups;
  std::set<std::vector<int64_t>> lists;
  for (int64_t device = 0; device < inner.devices(); ++device) {
    std::vector<int64_t> list;
    for (int64_t member : group_of(outer, device)) {
      const auto& of = group_of(inner, member);
      list.insert(list.end(), of.begin(), of.end());
    }
    if (n.inner.op != Op::kGather || !outer_is_major) {
      std::sort(list.begin(), list.end(), [&](int64_t a, int64_t b) {
        if (n.inner.op == Op::kReduce) return a < b;
        return std::pair(inner.position(a), outer.position(a)) <
               std::pair(inner.position(b), outer.position(b));
      });
    }
    if (n.inner.op == Op::kScatter && !outer_is_major) {
      std::sort(list.begin(), list.end(), [&](int64_t a, int64_t b) {
        return std::pair(outer.position(a), inner.position(a)) <
               std::pair(outer.position(b), inner.position(b));
      });
    }
    if (n.inner.op == Op::kReduce) list.erase(std::unique(list.begin(), list.end()), list.end());
    lists.insert(std::move(list));
  }
  std::set<int64_t> members;
  size_t count = 0;
  for (const auto& list : lists) {
    if (list.size() != lists.begin()->size()) return {};
    members.insert(list.begin(), list.end());
    count += list.size();
  }
  if (count != static_cast<size_t>(inner.devices()) || members.size() != count) return {};
  return {lists.begin(), lists.end()};
}

// Both as one; `right` or with the other one major.
Modules merged(const Nested& n, bool right) {
  Modules modules;
  hlo::ReplicaGroups groups = heard_of(n, right);
  if (!right && n.inner.op == Op::kReduce) groups = n.inner.groups.groups.groups;
  auto over = groups.empty() ? std::nullopt : optimizer::regrouped(n.outer.groups, groups);
  if (!over) return modules;
  Layer one = n.outer;
  one.groups = *over;
  if (one.op == Op::kScatter && n.dims[one.d] % over->size() != 0) return modules;
  modules.push_back(n.module({one}));
  return modules;
}

Modules exchanged(const Nested& n) {
  Modules modules;
  modules.push_back(n.module({n.outer, n.inner}));
  return modules;
}

// Two groupings of the same devices.
std::pair<Grouping, Grouping> some_pair(Choices& choices) {
  static const auto kByCounts = [] {
    std::map<std::pair<int64_t, int64_t>, std::vector<Grouping>> by_counts;
    for (const auto* all : {&optimizer::all_groupings(), &optimizer::large_groupings()}) {
      for (const Grouping& one : *all) {
        by_counts[{one.replicas, one.partitions}].push_back(one);
      }
    }
    return std::vector(by_counts.begin(), by_counts.end());
  }();
  const auto& [counts, all] = choices.of(kByCounts);
  return {choices.of(all), choices.of(all)};
}

struct Data {
  ElementType type;
  ReducerKind kind;
};

const std::vector<Data> kExact = {
    {ElementType::kS32, ReducerKind::kAdd},      {ElementType::kF32, ReducerKind::kMaximum},
    {ElementType::kPred, ReducerKind::kOr},      {ElementType::kS8, ReducerKind::kAdd},
    {ElementType::kBF16, ReducerKind::kMinimum}, {ElementType::kF32, ReducerKind::kAdd}};
const std::vector<Data> kFloats = {{ElementType::kF32, ReducerKind::kAdd},
                                   {ElementType::kBF16, ReducerKind::kAdd},
                                   {ElementType::kF32, ReducerKind::kMultiply}};

std::optional<Nested> some_nested(Choices& choices, Op inner, Op outer, bool same_dim,
                                  const std::vector<Data>& data) {
  Nested n;
  auto [first, second] = some_pair(choices);
  const Data& of = choices.of(data);
  n.type = of.type;
  n.inner = {inner, first, 0, of.kind};
  n.outer = {outer, second, same_dim ? 0 : 1, of.kind};
  bool both_reduce = inner != Op::kGather && outer != Op::kGather;
  if (both_reduce && of.type != ElementType::kPred && choices.below(12) == 11) {
    n.outer.kind = ReducerKind::kMaximum;
  }
  n.dims = {choices.of<int64_t>({1, 2}), choices.of<int64_t>({1, 2, 3})};
  for (const Layer* layer : {&n.inner, &n.outer}) {
    if (layer->op == Op::kScatter) n.dims[layer->d] *= layer->groups.size();
  }
  if (choices.flag()) {
    std::swap(n.dims[0], n.dims[1]);
    n.inner.d = 1 - n.inner.d;
    n.outer.d = 1 - n.outer.d;
  }
  int64_t gathered = hlo::product(n.dims);
  for (const Layer* layer : {&n.inner, &n.outer}) {
    if (layer->op == Op::kGather) gathered *= layer->groups.size();
  }
  if (gathered > 96) return std::nullopt;
  return n;
}

const std::string kOneChannel = "one collective has a channel, the other none";
const std::string kReduceApart = "the collectives reduce differently";
const std::string kRegrouped = "float sums would be added up in other groups (--numerics reassoc)";
const std::string kMadeTwice = "a float sum would be made more than once (--numerics reassoc)";

Space space_of(const std::string& rule, const std::string& direction, Op inner, Op outer,
               bool same_dim, bool merges, const std::vector<Data>& data) {
  Space space;
  space.rule = rule;
  space.direction = direction;
  space.sample = 1000;
  space.make = [=](Choices& choices) -> std::optional<Case> {
    auto n = some_nested(choices, inner, outer, same_dim, data);
    if (!n) return std::nullopt;
    Case made;
    made.module = n->module({n->inner, n->outer});
    made.candidates = [n = *n, merges] { return merges ? merged(n, true) : exchanged(n); };
    made.faulty = [n = *n, merges] { return merges ? merged(n, false) : exchanged(n); };
    return made;
  };
  space.fault = merges ? "the other one is major, or groups of the first alone"
                       : "wherever the groups are, without a condition";
  space.explained = {
      {kOneChannel,
       "a channel would be given to what had none, or taken from what had one: another mode"},
      {kReduceApart, "a group of one reduces nothing, so its reducer says nothing"},
      {kRegrouped, "of two or three terms the order does not show on the numbers that were tried"},
      {kMadeTwice, "the same sums, but every group makes them anew, each in an order of its own"}};
  return space;
}

Space in_reassoc(Space space) {
  space.numerics = hlo::Numerics::kReassoc;
  space.promise = Promise::kReassoc;
  return space;
}

}  // namespace

std::vector<Space> nested_collective_spaces() {
  std::vector<Space> spaces;
  auto add = [&](const std::string& rule, const std::string& direction, Op inner, Op outer,
                 bool same_dim, bool merges) -> Space& {
    spaces.push_back(space_of(rule, direction, inner, outer, same_dim, merges, kExact));
    return spaces.back();
  };
  auto add_floats = [&](const std::string& rule, const std::string& direction, Op inner, Op outer,
                        bool same_dim, bool merges) {
    spaces.push_back(
        in_reassoc(space_of(rule, direction, inner, outer, same_dim, merges, kFloats)));
  };
  add("reduce-reduce", "merge", Op::kReduce, Op::kReduce, true, true);
  add_floats("reduce-reduce", "merge", Op::kReduce, Op::kReduce, true, true);
  add("scatter-reduce", "forward", Op::kReduce, Op::kScatter, true, false);
  add("scatter-reduce", "backward", Op::kScatter, Op::kReduce, true, false);
  add_floats("scatter-reduce", "forward", Op::kReduce, Op::kScatter, true, false);
  add("scatter-scatter", "merge", Op::kScatter, Op::kScatter, true, true);
  add("scatter-scatter", "exchange", Op::kScatter, Op::kScatter, false, false);
  add_floats("scatter-scatter", "merge", Op::kScatter, Op::kScatter, true, true);
  add("gather-gather", "merge", Op::kGather, Op::kGather, true, true);
  add("gather-gather", "exchange", Op::kGather, Op::kGather, false, false);
  for (bool scatters : {false, true}) {
    const std::string kind = scatters ? "/reduce-scatter" : "/all-reduce";
    const Op op = scatters ? Op::kScatter : Op::kReduce;
    add("gather-reduce", "forward" + kind, op, Op::kGather, false, false).promise =
        Promise::kOrderOpen;
    add("gather-reduce", "backward" + kind, Op::kGather, op, false, false).promise =
        Promise::kOrderOpen;
    add_floats("gather-reduce", "forward" + kind, op, Op::kGather, false, false);
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
