// gather-dynamic-slice: every dim cut or not, starts of every kind, out of range too.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

// Where one dim's slice starts.
struct Start {
  enum Kind : uint8_t {
    kConstant,
    kReplicated,  // a parameter equal on all devices
    kByGroup,     // a table: the same within each group
    kByDevice,    // a table: any value on any device
    kArithmetic,  // partition-id or replica-id times a number
    kParameter,   // unknown on each device
  };
  Kind kind = kConstant;
  std::vector<int64_t> values;  // one, or by device
  ElementType type = ElementType::kS32;
};

Start some_start(Choices& choices, const Grouping& groups, int64_t size) {
  Start start;
  start.kind = static_cast<Start::Kind>(choices.below(6));
  auto value = [&] { return choices.between(0, size + 2) - 1; };
  if (start.kind == Start::kConstant) start.values = {value()};
  if (start.kind == Start::kArithmetic) start.values = {choices.between(0, 2)};
  if (start.kind == Start::kByDevice) {
    for (int64_t i = 0; i < groups.devices(); ++i) start.values.push_back(value());
  }
  if (start.kind == Start::kByGroup) {
    start.values.resize(static_cast<size_t>(groups.devices()));
    for (const auto& group : groups.groups.groups) {
      int64_t common = value();
      for (int64_t member : group) start.values[member] = common;
    }
  }
  if (start.kind == Start::kReplicated && choices.flag()) start.type = ElementType::kU8;
  return start;
}

Value written(Program& p, const Start& start, const Grouping& groups) {
  switch (start.kind) {
    case Start::kConstant:
      return p.integer(start.values[0]);
    case Start::kReplicated:
      return p.replicated(start.type, {});
    case Start::kByGroup:
    case Start::kByDevice:
      return p.by_device(start.values);
    case Start::kArithmetic: {
      Value id = groups.partitions > 1 ? p.partition_id() : p.replica_id();
      return p.elementwise(Opcode::kMultiply, {id, p.integer(start.values[0], ElementType::kU32)});
    }
    case Start::kParameter:
      return p.parameter(start.type, {});
  }
  return hlo::kNoId;
}

struct Sliced {
  Grouping groups;
  ElementType type;
  Dims dims;  // of the shard
  int64_t d;
  std::vector<Start> starts;
  Dims sizes;  // of the slice of the whole

  hlo::Module slice_after() const {
    Program p(groups);
    Value whole = p.all_gather(p.parameter(type, dims), d, groups);
    return p.finish(p.dynamic_slice(whole, indices(p), sizes));
  }
  // Each member slices what it sends; a cut gathered dim is cut into n parts.
  hlo::Module slice_before() const {
    Program p(groups);
    Value x = p.parameter(type, dims);
    Dims local = sizes;
    local[d] /= groups.size();
    return p.finish(p.all_gather(p.dynamic_slice(x, indices(p), local), d, groups));
  }
  std::vector<Value> indices(Program& p) const {
    std::vector<Value> values;
    for (const Start& start : starts) values.push_back(written(p, start, groups));
    return values;
  }
};

std::optional<Case> make(Choices& choices, bool forward) {
  Sliced s;
  s.groups = some_grouping(choices);
  s.dims = some_dims(choices, 1, 4, {2, 3, 1, 4, 6});
  if (hlo::product(s.dims) > 48) return std::nullopt;
  s.d = choices.below(static_cast<int64_t>(s.dims.size()));
  s.type = choices.flag() ? ElementType::kF32 : ElementType::kS32;
  for (size_t i = 0; i < s.dims.size(); ++i) {
    bool gathered = static_cast<int64_t>(i) == s.d;
    int64_t whole = gathered ? s.dims[i] * s.groups.size() : s.dims[i];
    bool cut = choices.below(gathered ? 6 : 2) == 1;
    int64_t size = cut ? choices.between(0, whole) : whole;
    if (gathered && size % s.groups.size() != 0) return std::nullopt;
    s.sizes.push_back(size);
    s.starts.push_back(some_start(choices, s.groups, whole));
  }
  Case made;
  made.module = forward ? s.slice_after() : s.slice_before();
  made.candidates = [=] {
    Modules modules;
    modules.push_back(forward ? s.slice_before() : s.slice_after());
    return modules;
  };
  made.faulty = made.candidates;
  return made;
}

}  // namespace

std::vector<Space> gather_dynamic_slice_spaces() {
  Space space;
  space.rule = "gather-dynamic-slice";
  space.sample = 4000;
  space.fault = "fires whatever the starts are";
  std::vector<Space> spaces;
  for (bool forward : {true, false}) {
    space.direction = forward ? "forward" : "backward";
    space.make = [=](Choices& choices) { return make(choices, forward); };
    spaces.push_back(space);
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
