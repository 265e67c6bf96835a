// reduce-own-shard: slices of a sum at every kind of place, one shard each or not.
#include <algorithm>
#include <map>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct KeptShards {
  Grouping groups;
  ElementType type;
  ReducerKind kind;
  Dims dims;
  Dims sizes;
  int64_t d;
  std::vector<int64_t> starts;  // along d, by device, as written
  int64_t how;                  // a table, arithmetic, or a parameter
  std::vector<int64_t> others;  // starts of other dims

  int64_t devices() const { return groups.devices(); }
  int64_t clamped(int64_t device) const {
    return std::clamp<int64_t>(starts[device], 0, dims[d] - sizes[d]);
  }

  Value start(Program& p) const {
    if (how == 2) return p.parameter(ElementType::kS32, {});
    if (how == 0) return p.by_device(starts);
    Value id = groups.partitions > 1 ? p.partition_id() : p.replica_id();
    return p.elementwise(Opcode::kMultiply, {id, p.integer(sizes[d], ElementType::kU32)});
  }
  std::vector<Value> indices(Program& p, Value along) const {
    std::vector<Value> values;
    for (size_t i = 0; i < dims.size(); ++i) {
      values.push_back(static_cast<int64_t>(i) == d ? along : p.integer(others[i]));
    }
    return values;
  }

  hlo::Module reduced() const {
    Program p(groups);
    Value sum = p.all_reduce(p.parameter(type, dims), kind, groups);
    return p.finish(p.dynamic_slice(sum, indices(p, start(p)), sizes));
  }
  // RS of the group's range, members sorted by where they cut, or in the order they have, and AR of
  // those that cut alike; nullopt where the groups cannot be said or the range is too long.
  std::optional<hlo::Module> scattered(bool sorted) const {
    hlo::ReplicaGroups scattering, reducing;
    std::vector<int64_t> base(static_cast<size_t>(devices()));
    size_t shards = 0, times = 0;
    for (const auto& group : groups.groups.groups) {
      std::map<int64_t, std::vector<int64_t>> keepers;  // by where they cut
      for (int64_t member : group) keepers[clamped(member)].push_back(member);
      for (int64_t member : group) base[member] = keepers.begin()->first;
      if (shards == 0) {
        shards = keepers.size();
        times = group.size() / shards;
      }
      if (keepers.size() != shards) return std::nullopt;
      for (size_t i = 0; i < times; ++i) {
        scattering.emplace_back();
        for (const auto& [start, members] : keepers) {
          if (members.size() != times) return std::nullopt;
          scattering.back().push_back(members[i]);
        }
        auto& last = scattering.back();
        if (!sorted) std::rotate(last.begin(), last.begin() + 1, last.end());
      }
      for (const auto& [start, members] : keepers) reducing.push_back(members);
    }
    auto over = optimizer::regrouped(groups, scattering);
    auto alike = optimizer::regrouped(groups, reducing);
    int64_t length = sizes[d] * static_cast<int64_t>(shards);
    if (!over || !alike || shards < 2 || length > dims[d]) return std::nullopt;
    Program p(groups);
    Value x = p.parameter(type, dims);
    if (how == 2) p.parameter(ElementType::kS32, {});
    if (length < dims[d]) {
      Dims range = dims;
      range[d] = length;
      std::vector<Value> zeros;
      for (size_t i = 0; i < dims.size(); ++i) zeros.push_back(p.integer(0));
      zeros[d] = p.by_device(base);
      x = p.dynamic_slice(x, zeros, range);
    }
    Value kept = p.reduce_scatter(x, d, kind, *over);
    if (times > 1) kept = p.all_reduce(kept, kind, *alike);
    return p.finish(p.dynamic_slice(kept, indices(p, p.integer(0)), sizes));
  }
};

// One shard for each member or for several, a permutation of that, from a base of the group's own,
// the same for all, or anywhere.
std::vector<int64_t> some_starts(Choices& choices, const KeptShards& k, int64_t shards) {
  int64_t pattern = choices.below(6);
  std::vector<int64_t> starts(static_cast<size_t>(k.devices()));
  int64_t room = k.dims[k.d] - k.sizes[k.d];
  for (const auto& group : k.groups.groups.groups) {
    auto order = some_permutation(choices, pattern == 1 || pattern == 3 ? group.size() : 0);
    int64_t base =
        pattern == 2 || pattern == 3 ? choices.between(0, std::max<int64_t>(room, 0)) : 0;
    for (size_t i = 0; i < group.size(); ++i) {
      int64_t place = order.empty() ? static_cast<int64_t>(i) : order[i];
      int64_t at = base + place % shards * k.sizes[k.d];
      if (pattern == 4) at = choices.between(0, room + 2) - 1;
      if (pattern == 5 && i + 1 == group.size()) at += choices.between(0, 3) - 1;
      starts[group[i]] = at;
    }
  }
  return starts;
}

std::optional<Case> make(Choices& choices) {
  KeptShards k;
  k.groups = choices.below(8) == 7 ? choices.of(optimizer::large_groupings())
                                   : choices.of(optimizer::all_groupings());
  k.type = choices.of<ElementType>({ElementType::kS32, ElementType::kF32, ElementType::kPred,
                                    ElementType::kBF16, ElementType::kS8});
  k.kind = k.type == ElementType::kPred
               ? choices.of<ReducerKind>({ReducerKind::kOr, ReducerKind::kAnd})
               : choices.of<ReducerKind>({ReducerKind::kAdd, ReducerKind::kMaximum,
                                          ReducerKind::kMultiply, ReducerKind::kMinimum});
  Dims shard = some_dims(choices, 1, 3, {2, 1, 3});
  k.d = choices.below(static_cast<int64_t>(shard.size()));
  k.sizes = shard;
  k.dims = shard;
  int64_t shards = std::max<int64_t>(k.groups.size() / choices.of<int64_t>({1, 1, 2}), 1);
  k.dims[k.d] = shard[k.d] * (shards + std::max<int64_t>(choices.below(5) - 2, 0));
  if (choices.below(8) == 7) k.dims[k.d] += 1;
  if (hlo::product(k.dims) > 72) return std::nullopt;
  for (size_t i = 0; i < shard.size(); ++i) {
    k.others.push_back(choices.between(0, 2));
    if (static_cast<int64_t>(i) != k.d && choices.flag()) k.sizes[i] = choices.between(0, shard[i]);
  }
  k.how = choices.of<int64_t>({0, 0, 0, 1, 1, 2});
  k.starts = some_starts(choices, k, shards);
  if (k.how == 1) {
    for (int64_t i = 0; i < k.devices(); ++i) {
      int64_t id = k.groups.partitions > 1 ? i % k.groups.partitions : i / k.groups.partitions;
      k.starts[i] = id * k.sizes[k.d];
    }
  }
  Case made;
  made.module = k.reduced();
  auto right_side = [=](bool sorted) {
    Modules modules;
    if (auto module = k.scattered(sorted)) modules.push_back(std::move(*module));
    return modules;
  };
  made.candidates = [=] { return right_side(true); };
  // Members in an order that is not that of the shards they keep.
  made.faulty = [=] { return right_side(false); };
  return made;
}

}  // namespace

std::vector<Space> reduce_own_shard_spaces() {
  Space space;
  space.rule = "reduce-own-shard";
  space.make = make;
  space.sample = 4000;
  space.promise = Promise::kOrderOpen;
  space.fault = "members not sorted by the shard that they keep";
  space.explained = {};
  return {space};
}

}  // namespace flipsat::rules::testing
