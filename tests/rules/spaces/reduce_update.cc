// reduce-update: updates of a filled array at every kind of place, under every reduction.
#include <algorithm>
#include <limits>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct Updated {
  Grouping groups;
  ElementType type;
  ReducerKind kind;
  Dims block;
  int64_t d;
  double fill;
  std::vector<int64_t> starts;
  int64_t spare;  // rows that no block fills

  Value base(Program& p) const {
    Dims whole = block;
    whole[d] = block[d] * groups.size() + spare;
    return p.broadcast(p.number(fill, type), {}, whole);
  }
  hlo::Module all_reduce() const {
    Program p(groups);
    Value x = p.parameter(type, block);
    std::vector<Value> at(block.size(), p.integer(0));
    at[d] = p.by_device(starts);
    return p.finish(p.all_reduce(p.dynamic_update_slice(base(p), x, at), kind, groups));
  }
  // Members sorted by where they update.
  std::optional<hlo::Module> all_gather() const {
    hlo::ReplicaGroups sorted = groups.groups.groups;
    for (auto& group : sorted) {
      std::ranges::stable_sort(group, {}, [&](int64_t member) { return starts[member]; });
    }
    std::optional<Grouping> regrouped = optimizer::regrouped(groups, sorted);
    if (!regrouped || spare != 0) return std::nullopt;
    Program p(*regrouped);
    return p.finish(p.all_gather(p.parameter(type, block), d, *regrouped));
  }
};

// What leaves values as they are, what nearly does, and what does not.
double some_fill(Choices& choices, ReducerKind kind, ElementType type) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool is_float = hlo::is_float(type);
  switch (kind) {
    case ReducerKind::kAdd:
      return choices.of(is_float ? std::vector<double>{-0.0, 0.0, 1.0}
                                 : std::vector<double>{0.0, 0.0, 1.0});
    case ReducerKind::kMultiply:
      return choices.of(std::vector<double>{1.0, 0.0});
    case ReducerKind::kMaximum:
      return choices.of(is_float ? std::vector<double>{-infinity, 0.0}
                                 : std::vector<double>{-2147483648.0, 0.0});
    default:
      return choices.of(is_float ? std::vector<double>{infinity, 0.0}
                                 : std::vector<double>{2147483647.0, 0.0});
  }
}

std::optional<Case> make(Choices& choices) {
  Updated u;
  u.groups = some_grouping(choices);
  u.type = choices.of(std::vector{ElementType::kS32, ElementType::kF32, ElementType::kBF16});
  u.kind = choices.of(std::vector{ReducerKind::kAdd, ReducerKind::kMaximum, ReducerKind::kMinimum,
                                  ReducerKind::kMultiply});
  u.block = some_dims(choices, 1, 2, {2, 1, 3});
  u.d = choices.below(static_cast<int64_t>(u.block.size()));
  u.fill = some_fill(choices, u.kind, u.type);
  u.spare = choices.below(6) == 5 ? 1 : 0;
  const int64_t block = u.block[u.d];
  const int64_t form = choices.below(4);
  for (int64_t device = 0; device < u.groups.devices(); ++device) {
    int64_t place = u.groups.position(device);
    if (form == 1) place = u.groups.size() - 1 - place;
    if (form == 2) place = choices.below(u.groups.size());
    u.starts.push_back(place * block + (form == 3 && place + 1 == u.groups.size() ? 1 : 0));
  }
  Case made;
  made.module = u.all_reduce();
  made.candidates = [=] {
    Modules modules;
    if (auto gathered = u.all_gather()) modules.push_back(std::move(*gathered));
    return modules;
  };
  made.faulty = made.candidates;  // wherever updates fall, whatever they are added to
  return made;
}

}  // namespace

std::vector<Space> reduce_update_spaces() {
  Space exact;
  exact.rule = "reduce-update";
  exact.make = make;
  exact.sample = 3000;
  exact.fault = "fires whatever is updated, and wherever";
  exact.explained = {
      {"-0.0 added to +0.0 changes its sign (--numerics reassoc)",
       "bits that no sample's zeros tell apart"},
  };
  Space reassoc = exact;
  reassoc.numerics = hlo::Numerics::kReassoc;
  reassoc.promise = Promise::kReassoc;
  return {exact, reassoc};
}

}  // namespace flipsat::rules::testing
