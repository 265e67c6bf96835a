// Data movement through gathers and reductions, by candidates alone: what holds when, before any
// rule relies on it. `d` is the collective's dim, `e` the dim that an operation works on; the claim
// is that they differ (an all-reduce has no dim, so it always holds) and that what an operation
// takes besides is the same on all members.
#include <algorithm>
#include <cstdio>

#include "tests/catch.h"
#include "tests/length.h"
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

using optimizer::Counts;

constexpr ReducerKind kSum = ReducerKind::kAdd;

enum class Collective : uint8_t { kGather, kReduce, kScatter };

// One program shape: the collective over groups, along dim d of an array of two dims.
struct Through {
  Collective collective;
  Grouping groups;
  int64_t d, e;

  Value run(Program& p, Value x, int64_t dim) const {
    if (collective == Collective::kGather) return p.all_gather(x, dim, groups);
    if (collective == Collective::kScatter) return p.reduce_scatter(x, dim, kSum, groups);
    return p.all_reduce(x, kSum, groups);
  }
};

using Operation = std::function<Value(Program&, Value)>;

struct Kind {
  const char* name;
  // Draws what the operation needs; `uniform` is set where all members do alike.
  std::function<Operation(Choices&, const Through&, bool& uniform)> make;
};

// Neighbours start apart, which members of a group need not be.
Value start(Program& p, bool everywhere, const Grouping& groups) {
  if (everywhere) return p.integer(1);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < groups.devices(); ++i) values.push_back(i % 2);
  return p.by_device(values);
}
bool is_uniform(bool everywhere, const Grouping& groups) {
  return everywhere ||
         std::all_of(groups.groups.groups.begin(), groups.groups.groups.end(), [](const auto& g) {
           return std::all_of(g.begin(), g.end(),
                              [&](int64_t member) { return member % 2 == g[0] % 2; });
         });
}

std::vector<Value> starts(Program& p, int64_t e, bool everywhere, const Grouping& groups) {
  std::vector<Value> all{p.integer(0), p.integer(0)};
  all[e] = start(p, everywhere, groups);
  return all;
}

Operation reversed(Choices&, const Through& t, bool&) {
  return [e = t.e](Program& p, Value x) { return p.reverse(x, {e}); };
}
// From the first element on, leaving the last out.
Operation sliced(Choices&, const Through& t, bool&) {
  return [e = t.e](Program& p, Value x) {
    hlo::SliceDims ranges{{0, p.dims(x)[0], 1}, {0, p.dims(x)[1], 1}};
    --ranges[e].limit;
    return p.slice(x, ranges);
  };
}
// As long a part as fits on either side.
Operation cut(Choices& choices, const Through& t, bool& uniform) {
  bool everywhere = choices.flag();
  uniform = is_uniform(everywhere, t.groups);
  return [t, everywhere](Program& p, Value x) {
    Dims sizes = p.dims(x);
    --sizes[t.e];
    return p.dynamic_slice(x, starts(p, t.e, everywhere, t.groups), sizes);
  };
}
Operation updated(Choices& choices, const Through& t, bool& uniform) {
  bool everywhere = choices.flag();
  uniform = is_uniform(everywhere, t.groups);
  // The update is zero everywhere: on members that add up it must vanish in the sum.
  return [t, everywhere](Program& p, Value x) {
    Dims sizes = p.dims(x);
    sizes[t.e] = 1;
    Value update = p.broadcast(p.zero(p.type(x)), {}, sizes);
    return p.dynamic_update_slice(x, update, starts(p, t.e, everywhere, t.groups));
  };
}
Operation padded(Choices& choices, const Through& t, bool& uniform) {
  bool zero = choices.flag();
  // A sum of several paddings is theirs, unless they are zero.
  uniform = zero || t.collective == Collective::kGather;
  return [e = t.e, zero](Program& p, Value x) {
    hlo::PaddingDims padding(2);
    padding[e] = {1, 1, 0};
    return p.pad(x, zero ? p.zero(p.type(x)) : p.integer(7, p.type(x)), padding);
  };
}
Operation joined(Choices&, const Through& t, bool&) {
  return [e = t.e](Program& p, Value x) { return p.concatenate({x, x}, e); };
}
Operation added_up(Choices&, const Through& t, bool&) {
  return [e = t.e](Program& p, Value x) { return p.reduce(x, p.zero(p.type(x)), {e}, kSum); };
}

// `collective(op(x)) = op(collective(x))` for every small array, grouping and pair of dims.
Space through(Collective collective, const Kind& kind) {
  Space space;
  space.make = [=](Choices& choices) -> std::optional<Case> {
    Through t;
    t.collective = collective;
    t.groups = choices.of(optimizer::all_groupings());
    t.d = choices.below(2);
    t.e = choices.below(2);
    Dims dims{choices.between(2, 3), choices.between(2, 3)};
    if (collective == Collective::kScatter) dims[t.d] *= t.groups.size();
    bool uniform = true;
    Operation operation = kind.make(choices, t, uniform);
    // A reduced dim is gone: those behind it move up.
    bool drops = std::string(kind.name) == "reduce";
    int64_t d_after = drops && t.e < t.d ? t.d - 1 : t.d;
    if (drops && collective != Collective::kReduce && t.e == t.d) return std::nullopt;
    auto left = [=] {
      Program p(t.groups);
      Value x = p.parameter(ElementType::kS32, dims);
      Modules modules;
      modules.push_back(p.finish(operation(p, t.run(p, x, t.d))));
      return modules;
    };
    auto right = [=] {
      Program p(t.groups);
      Value x = p.parameter(ElementType::kS32, dims);
      Value moved = operation(p, x);
      Modules modules;
      if (collective == Collective::kScatter && p.dims(moved)[d_after] % t.groups.size() != 0) {
        return modules;
      }
      modules.push_back(p.finish(t.run(p, moved, d_after)));
      return modules;
    };
    Case made;
    made.module = std::move(left()[0]);
    made.candidates = right;
    made.claimed = uniform && (collective == Collective::kReduce || t.e != t.d);
    return made;
  };
  return space;
}

const std::vector<Kind> kKinds = {{"reverse", reversed},  {"slice", sliced},
                                  {"dynamic-slice", cut}, {"dynamic-update-slice", updated},
                                  {"pad", padded},        {"concatenate", joined},
                                  {"reduce", added_up}};

const double kScale = flipsat::testing::length<double>({1, 0.5}, {0.1, 0.05});

TEST_CASE("algebra: data movement along another dim passes gathers and reductions") {
  static const char* kNames[] = {"all-gather", "all-reduce", "reduce-scatter"};
  for (Collective collective : {Collective::kGather, Collective::kReduce, Collective::kScatter}) {
    for (const Kind& kind : kKinds) {
      INFO(kNames[static_cast<size_t>(collective)] << " " << kind.name);
      Counts counts = optimizer::check_claims(through(collective, kind), {.scale = kScale});
      std::printf(
          "counted: %-14s %-22s %5ld cases %5ld fired %ld wrong; refused %5ld wrong, %ld right\n",
          kNames[static_cast<size_t>(collective)], kind.name, counts.cases, counts.fired,
          counts.wrong, counts.refused_and_wrong, counts.refused_though_right_in_all());
      CHECK(counts.not_run == 0);
      CHECK((counts.fired > 0 || kScale < 1));
      CHECK(counts.wrong == 0);
      CHECK(counts.refused_though_right_in_all() == 0);
    }
  }
}

}  // namespace
}  // namespace flipsat::rules::testing
