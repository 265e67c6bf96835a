// Permutes and all-to-alls among themselves.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct Devices {
  Grouping groups;
  hlo::DevicePairs first, second;
};

hlo::DevicePairs some_pairs(Choices& choices, int64_t devices) {
  std::vector<int64_t> targets = some_permutation(choices, static_cast<int>(devices));
  const bool all = choices.flag();
  hlo::DevicePairs pairs;
  for (int64_t source = 0; source < devices; ++source) {
    if (all || choices.flag()) pairs.emplace_back(source, targets[source]);
  }
  if (pairs.empty()) pairs.emplace_back(0, devices - 1);
  return pairs;
}

std::optional<Devices> some_devices(Choices& choices) {
  Devices d;
  d.groups = choices.of(optimizer::all_groupings());
  if (d.groups.replicas > 1 && d.groups.partitions > 1) return std::nullopt;
  d.first = some_pairs(choices, d.groups.devices());
  d.second = some_pairs(choices, d.groups.devices());
  return d;
}

// What the first sends and the second sends on: by the device that sent it.
hlo::DevicePairs composed(const Devices& d) {
  hlo::DevicePairs pairs;
  for (int64_t source = 0; source < d.groups.devices(); ++source) {
    auto next = [](const hlo::DevicePairs& pairs, int64_t from) {
      for (const auto& [sender, target] : pairs) {
        if (sender == from) return target;
      }
      return int64_t{-1};
    };
    const int64_t middle = next(d.first, source);
    const int64_t target = middle < 0 ? -1 : next(d.second, middle);
    if (target >= 0) pairs.emplace_back(source, target);
  }
  return pairs;
}

Modules one(hlo::Module module) {
  Modules modules;
  modules.push_back(std::move(module));
  return modules;
}

std::optional<Case> joined(Choices& choices) {
  std::optional<Devices> d = some_devices(choices);
  if (!d) return std::nullopt;
  const ElementType type = choices.of(kSomeTypes);
  const Dims dims = some_dims(choices, 0, 2, {2, 1, 3});
  auto nested = [=](const hlo::DevicePairs& inner, const hlo::DevicePairs& outer) {
    Program p(d->groups);
    return p.finish(
        p.collective_permute(p.collective_permute(p.parameter(type, dims), inner), outer));
  };
  Case made;
  made.module = nested(d->first, d->second);
  made.candidates = [=]() -> Modules {
    const hlo::DevicePairs pairs = composed(*d);
    Program p(d->groups);
    Value x = p.parameter(type, dims);
    if (pairs.empty()) return one(p.finish(p.broadcast(p.zero(type), {}, dims)));
    return one(p.finish(p.collective_permute(x, pairs)));
  };
  made.faulty = [=] { return one(nested(d->second, d->first)); };
  return made;
}

std::optional<Case> of_uniform(Choices& choices) {
  std::optional<Devices> d = some_devices(choices);
  if (!d) return std::nullopt;
  if (choices.flag()) {
    // Each device to itself.
    d->first.clear();
    for (int64_t i = 0; i < d->groups.devices(); ++i) d->first.emplace_back(i, i);
  }
  const ElementType type = choices.of(kSomeTypes);
  const Dims dims = some_dims(choices, 0, 2, {2, 1, 3});
  const bool replicated = choices.flag();
  Program p(d->groups);
  Value x = replicated ? p.replicated(type, dims) : p.parameter(type, dims);
  Case made;
  made.module = p.finish(p.collective_permute(x, d->first));
  made.candidates = [=] {
    Program q(d->groups);
    return one(q.finish(replicated ? q.replicated(type, dims) : q.parameter(type, dims)));
  };
  made.faulty = made.candidates;
  return made;
}

std::optional<Case> sum(Choices& choices) {
  std::optional<Devices> d = some_devices(choices);
  if (!d) return std::nullopt;
  if (choices.flag()) {
    // What the first leaves.
    std::erase_if(d->second, [&](const auto& pair) {
      return std::any_of(d->first.begin(), d->first.end(), [&](const auto& other) {
        return other.first == pair.first || other.second == pair.second;
      });
    });
    if (d->second.empty()) return std::nullopt;
  }
  const ElementType type = choices.of<ElementType>({ElementType::kS32, ElementType::kF32});
  const Dims dims = some_dims(choices, 0, 2, {2, 1, 3});
  auto united = [=](bool first_alone) {
    Program p(d->groups);
    hlo::DevicePairs pairs = d->first;
    for (const auto& pair : d->second) {
      const bool is_free = std::none_of(pairs.begin(), pairs.end(), [&](const auto& other) {
        return other.first == pair.first || other.second == pair.second;
      });
      if (is_free && !first_alone) pairs.push_back(pair);
    }
    std::sort(pairs.begin(), pairs.end());
    return one(p.finish(p.collective_permute(p.parameter(type, dims), pairs)));
  };
  Case made;
  Program p(d->groups);
  Value x = p.parameter(type, dims);
  made.module = p.finish(p.elementwise(
      Opcode::kAdd, {p.collective_permute(x, d->first), p.collective_permute(x, d->second)}));
  made.candidates = [=] { return united(false); };
  made.faulty = [=] { return united(true); };
  return made;
}

std::optional<Case> inverse(Choices& choices) {
  const Grouping groups = choices.of(optimizer::all_groupings());
  if (groups.replicas > 1 && groups.partitions > 1) return std::nullopt;
  const ElementType type = choices.of(kSomeTypes);
  const Dims dims = some_dims(choices, 1, 3, {4, 2, 6, 1});
  const int64_t inner = choices.below(static_cast<int64_t>(dims.size()));
  const int64_t outer = choices.flag() ? inner : choices.below(static_cast<int64_t>(dims.size()));
  if (dims[inner] % groups.size() != 0 || dims[outer] % groups.size() != 0) return std::nullopt;
  Grouping other = groups;
  if (choices.below(3) == 2) {
    auto turned = in_another_order(groups);
    if (!turned) return std::nullopt;
    other = *turned;
  }
  Program p(groups);
  Value x = p.parameter(type, dims);
  Case made;
  made.module = p.finish(p.all_to_all(p.all_to_all(x, inner, groups), outer, other));
  made.candidates = [=] {
    Program q(groups);
    return one(q.finish(q.parameter(type, dims)));
  };
  made.faulty = made.candidates;
  return made;
}

std::optional<Case> copies(Choices& choices) {
  const Grouping groups = choices.of(optimizer::all_groupings());
  if (groups.replicas > 1 && groups.partitions > 1) return std::nullopt;
  const ElementType type = choices.of(kSomeTypes);
  const Dims dims = some_dims(choices, 1, 3, {4, 2, 6, 1});
  const int64_t dim = choices.below(static_cast<int64_t>(dims.size()));
  if (dims[dim] % groups.size() != 0) return std::nullopt;
  const bool replicated = choices.flag();
  auto input = [=](Program& p) {
    return replicated ? p.replicated(type, dims) : p.parameter(type, dims);
  };
  Program p(groups);
  Case made;
  made.module = p.finish(p.all_to_all(input(p), dim, groups));
  auto side_by_side = [=](bool is_own) {
    Program q(groups);
    Value x = input(q);
    Value part = q.own_shard(x, dim, groups);
    if (!is_own) part = q.own_shard(x, dim, in_another_order(groups).value_or(groups));
    std::vector<Value> parts(static_cast<size_t>(groups.size()), part);
    return one(q.finish(q.concatenate(parts, dim)));
  };
  made.candidates = [=] { return side_by_side(true); };
  made.faulty = [=] { return side_by_side(false); };
  return made;
}

}  // namespace

std::vector<Space> exchange_algebra_spaces() {
  std::vector<Space> spaces;
  auto add = [&](const char* rule, std::optional<Case> (*make)(Choices&), const char* fault) {
    Space space;
    space.rule = rule;
    space.make = make;
    space.sample = 500;
    space.fault = fault;
    spaces.push_back(std::move(space));
  };
  add("permute-permute", joined, "in the wrong order");
  add("permute-of-uniform", of_uniform, "whatever is sent");
  add("permute-sum", sum, "the first alone");
  spaces.back().explained = {
      {"the sign of a zero may differ (--numerics reassoc)",
       "bits agree where no zero of sign minus is sent; the rule is of the class that it names"},
      {"a device sends or receives in both", "by chance: what is added is zero"}};
  Space loose = spaces.back();
  loose.numerics = hlo::Numerics::kReassoc;
  loose.promise = Promise::kReassoc;
  spaces.push_back(loose);
  add("all-to-all-inverse", inverse, "whatever the groups");
  add("all-to-all-of-uniform", copies, "another member's part");
  return spaces;
}

}  // namespace flipsat::rules::testing
