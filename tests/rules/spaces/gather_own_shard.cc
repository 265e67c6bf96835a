// gather-own-shard: every way to cut a gather by device, and gathers of parts of one value.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

// Where each device cuts: mostly at its own shard, else moved, exchanged, or anywhere.
std::vector<int64_t> some_starts(Choices& choices, const Grouping& groups, int64_t block) {
  int64_t kind = choices.below(5);
  std::vector<int64_t> starts;
  for (int64_t device = 0; device < groups.devices(); ++device) {
    int64_t own = groups.position(device) * block;
    if (kind == 2) own = device * block;  // as if there were one group
    if (kind == 3) own = choices.between(0, groups.size()) * block - 1;
    if (kind == 4 && own == 0) own = -choices.below(3);  // clamps to its own
    starts.push_back(own);
  }
  if (kind == 1) std::reverse(starts.begin(), starts.end());
  return starts;
}

struct Cut {
  Grouping groups;
  ElementType type;
  Dims dims;  // of the shard; of the whole where it is cut first
  int64_t d;
  Dims sizes;
  std::vector<int64_t> starts;  // along d, by device
  bool unknown;                 // the start is a parameter
  std::vector<int64_t> others;  // starts of other dims

  std::vector<Value> indices(Program& p) const {
    std::vector<Value> values;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (static_cast<int64_t>(i) != d) {
        values.push_back(p.integer(others[i]));
      } else {
        values.push_back(unknown ? p.parameter(ElementType::kS32, {}) : p.by_device(starts));
      }
    }
    return values;
  }
};

std::optional<Case> of_gather(Choices& choices) {
  Cut c;
  c.groups = some_grouping(choices);
  c.type = choices.of(kSomeTypes);
  c.dims = some_dims(choices, 1, 3, {2, 1, 3});
  c.d = choices.below(static_cast<int64_t>(c.dims.size()));
  int64_t block = c.dims[c.d];
  c.sizes = c.dims;
  if (choices.below(6) == 5) c.sizes[c.d] = choices.between(0, block);
  for (size_t i = 0; i < c.dims.size(); ++i) {
    c.others.push_back(choices.between(0, 2));
    if (static_cast<int64_t>(i) != c.d && choices.flag())
      c.sizes[i] = choices.between(0, c.dims[i]);
  }
  c.starts = some_starts(choices, c.groups, block);
  // Inside a shard, or several shards of a group whose size they divide; now and then elsewhere.
  int64_t shards = choices.of<int64_t>({1, 1, 2});
  if (shards > 1 && block > 0 && c.groups.size() % shards == 0) {
    c.sizes[c.d] = shards * block;
    for (int64_t& start : c.starts) start -= choices.below(8) == 7 ? 0 : start % (shards * block);
  } else if (choices.flag()) {
    for (int64_t& start : c.starts) start += choices.between(0, block - c.sizes[c.d] + 1) % 3;
  }
  c.unknown = choices.below(8) == 7;
  Case made;
  Program p(c.groups);
  Value x = p.parameter(c.type, c.dims);
  made.module = p.finish(p.dynamic_slice(p.all_gather(x, c.d, c.groups), c.indices(p), c.sizes));
  // The operand, or what the devices whose shards are kept gather, with what is cut of other dims;
  // of its own dim where the start falls inside.
  made.candidates = [=] {
    Program q(c.groups);
    Value own = q.parameter(c.type, c.dims);
    Cut rest = c;
    rest.unknown = false;
    if (c.unknown) q.parameter(ElementType::kS32, {});
    Modules modules;
    const int64_t kept = c.sizes[c.d];
    for (int64_t device = 0; device < c.groups.devices(); ++device) {
      int64_t start = std::clamp<int64_t>(c.starts[device], 0, block * c.groups.size() - kept);
      rest.starts[device] = start - c.groups.position(device) * block;
    }
    if (kept > block) {
      if (block == 0 || kept % block != 0 || kept == block * c.groups.size()) return modules;
      hlo::ReplicaGroups fewer;
      for (const auto& group : c.groups.groups.groups) {
        for (size_t i = 0; i < group.size(); i += kept / block) {
          fewer.emplace_back(group.begin() + i, group.begin() + i + kept / block);
        }
      }
      auto over = optimizer::regrouped(c.groups, fewer);
      if (!over) return modules;
      own = q.all_gather(own, c.d, *over);
      std::fill(rest.starts.begin(), rest.starts.end(), 0);
    }
    modules.push_back(q.finish(q.dynamic_slice(own, rest.indices(q), c.sizes)));
    return modules;
  };
  made.faulty = made.candidates;
  return made;
}

std::optional<Case> of_uniform(Choices& choices) {
  Cut c;
  c.groups = some_grouping(choices);
  c.type = choices.of(kSomeTypes);
  Dims block = some_dims(choices, 1, 3, {2, 1, 3});
  c.d = choices.below(static_cast<int64_t>(block.size()));
  c.sizes = block;
  c.dims = block;
  c.dims[c.d] *= c.groups.size();
  c.others.assign(block.size(), 0);
  if (choices.below(6) == 5) c.dims[(c.d + 1) % static_cast<int64_t>(block.size())] += 1;
  c.starts = some_starts(choices, c.groups, block[c.d]);
  c.unknown = choices.below(8) == 7;
  // The value: equal on all devices, on all of a group because it was reduced there, or not.
  int64_t kind = choices.below(3);
  auto value = [=](Program& p) {
    if (kind == 0) return p.replicated(c.type, c.dims);
    Value own = p.parameter(c.type, c.dims);
    if (kind == 2) return own;
    auto reducer = c.type == ElementType::kPred ? ReducerKind::kOr : ReducerKind::kMaximum;
    return p.all_reduce(own, reducer, c.groups);
  };
  Case made;
  Program p(c.groups);
  Value x = value(p);
  made.module = p.finish(p.all_gather(p.dynamic_slice(x, c.indices(p), c.sizes), c.d, c.groups));
  made.candidates = [=] {
    Modules modules;
    Dims gathered = c.sizes;
    gathered[c.d] *= c.groups.size();
    if (gathered != c.dims) return modules;
    Program q(c.groups);
    Value all = value(q);
    if (c.unknown) q.parameter(ElementType::kS32, {});
    modules.push_back(q.finish(all));
    return modules;
  };
  made.faulty = made.candidates;
  return made;
}

}  // namespace

std::vector<Space> gather_own_shard_spaces() {
  Space gathered;
  gathered.rule = "gather-own-shard";
  gathered.direction = "rank";
  gathered.make = of_gather;
  gathered.sample = 4000;
  gathered.fault = "fires wherever a device starts, in its own shard or not";
  gathered.explained = {};
  Space uniform = gathered;
  uniform.direction = "of-uniform";
  uniform.make = of_uniform;
  uniform.fault = "fires wherever the shape stays";
  uniform.explained = {};
  return {gathered, uniform};
}

}  // namespace flipsat::rules::testing
