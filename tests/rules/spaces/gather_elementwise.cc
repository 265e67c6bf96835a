// gather-elementwise: operands gathered alike and otherwise, uniform ones of every kind, scalars.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct Function {
  Opcode opcode;
  int arity;
};

const std::vector<Function> kFunctions = {
    {Opcode::kAdd, 2},     {Opcode::kNegate, 1},  {Opcode::kSelect, 3}, {Opcode::kMultiply, 2},
    {Opcode::kMaximum, 2}, {Opcode::kCompare, 2}, {Opcode::kClamp, 3},  {Opcode::kSubtract, 2},
    {Opcode::kMinimum, 2}, {Opcode::kAbs, 1},     {Opcode::kSign, 1},
};

// An operand of a function: how the whole comes about, and what a member would hold of it.
struct Operand {
  enum Kind : uint8_t {
    kGathered,           // like the first
    kGatheredApart,      // in other groups or another order
    kGatheredElsewhere,  // along another dim
    kReplicated,         // a parameter equal on all devices
    kReduced,            // equal within each group
    kOwn,                // a parameter of its own on each device
    kSplat,              // a constant
    kSplatOfScalar,      // a scalar that is equal on all devices
    kSplatOfOwn,         // a scalar of each device
    kRow,                // a replicated array without the gathered dim
    kAlong,              // a replicated array along the gathered dim alone
    kScalar,             // predicates and bounds
    kOwnScalar,
  };
  Kind kind;
  ElementType type;
};

struct Mapped {
  Grouping groups, other;
  Dims local;
  int64_t d;
  Function f;
  std::vector<Operand> operands;

  Dims whole() const {
    Dims dims = local;
    dims[d] *= groups.size();
    return dims;
  }

  // The operand as it is, and as its part of a member of a group. `part` where the right side is
  // written: parameters come in the same order on both sides.
  Value value(Program& p, const Operand& operand, bool part) const {
    Dims all = whole();
    const Dims& shape = part ? local : all;
    int64_t rank = static_cast<int64_t>(local.size());
    auto cut = [&](Value x) { return part ? p.own_shard(x, d, groups) : x; };
    switch (operand.kind) {
      case Operand::kGathered: {
        Value x = p.parameter(operand.type, local);
        return part ? x : p.all_gather(x, d, groups);
      }
      case Operand::kGatheredApart:
        return cut(p.all_gather(p.parameter(operand.type, local), d, other));
      case Operand::kGatheredElsewhere: {
        Dims shard = all;
        int64_t e = (d + 1) % rank;
        shard[e] /= groups.size();
        return cut(p.all_gather(p.parameter(operand.type, shard), e, groups));
      }
      case Operand::kReplicated:
        return cut(p.replicated(operand.type, all));
      case Operand::kReduced: {
        auto kind = operand.type == ElementType::kPred ? ReducerKind::kOr : ReducerKind::kMaximum;
        return cut(p.all_reduce(p.parameter(operand.type, all), kind, groups));
      }
      case Operand::kOwn:
        return cut(p.parameter(operand.type, all));
      case Operand::kSplat:
        return p.broadcast(p.number(1, operand.type), {}, shape);
      case Operand::kSplatOfScalar:
        return p.broadcast(p.replicated(operand.type, {}), {}, shape);
      case Operand::kSplatOfOwn:
        return p.broadcast(p.parameter(operand.type, {}), {}, shape);
      case Operand::kRow: {
        Dims row;
        std::vector<int64_t> along;
        for (int64_t i = 0; i < rank; ++i) {
          if (i == d) continue;
          row.push_back(local[i]);
          along.push_back(i);
        }
        return p.broadcast(p.replicated(operand.type, row), along, shape);
      }
      case Operand::kAlong:
        return cut(p.broadcast(p.replicated(operand.type, {all[d]}), {d}, all));
      case Operand::kScalar:
        return p.replicated(operand.type, {});
      case Operand::kOwnScalar:
        return p.parameter(operand.type, {});
    }
    return hlo::kNoId;
  }

  Value map(Program& p, const std::vector<Value>& values) const {
    if (f.opcode == Opcode::kCompare) return p.compare("LT", values[0], values[1]);
    return p.elementwise(f.opcode, values);
  }

  hlo::Module gathers_first() const {
    Program p(groups);
    std::vector<Value> values;
    for (const Operand& operand : operands) values.push_back(value(p, operand, false));
    return p.finish(map(p, values));
  }
  hlo::Module gathers_last() const {
    Program p(groups);
    std::vector<Value> values;
    for (const Operand& operand : operands) values.push_back(value(p, operand, true));
    return p.finish(p.all_gather(map(p, values), d, groups));
  }
};

bool may_be_scalar(Opcode opcode, int operand) {
  return (opcode == Opcode::kSelect && operand == 0) || (opcode == Opcode::kClamp && operand != 1);
}

std::optional<Mapped> some_function(Choices& choices) {
  Mapped m;
  m.groups = some_grouping(choices);
  m.local = some_dims(choices, 1, 3, {2, 1, 3, 4});
  if (hlo::product(m.local) > 24) return std::nullopt;
  m.d = choices.below(static_cast<int64_t>(m.local.size()));
  m.f = choices.of(kFunctions);
  ElementType type = choices.of<ElementType>(
      {ElementType::kF32, ElementType::kS32, ElementType::kBF16, ElementType::kF8E5M2});
  m.other = m.groups;
  for (int i = 0; i < m.f.arity; ++i) {
    Operand operand;
    operand.type = m.f.opcode == Opcode::kSelect && i == 0 ? ElementType::kPred : type;
    int64_t kinds = may_be_scalar(m.f.opcode, i) ? 13 : 11;
    operand.kind = choices.flag() ? Operand::kGathered : Operand::Kind(choices.below(kinds));
    m.operands.push_back(operand);
  }
  // Operands of one shape: scalars only where the others allow it.
  if (m.f.opcode == Opcode::kClamp) {
    auto is_scalar = [&](int i) { return m.operands[i].kind >= Operand::kScalar; };
    if (is_scalar(0) != is_scalar(2)) return std::nullopt;
  }
  return m;
}

std::optional<Case> forward(Choices& choices) {
  std::optional<Mapped> m = some_function(choices);
  if (!m) return std::nullopt;
  bool gathered = false;
  for (const Operand& operand : m->operands) {
    gathered |= operand.kind == Operand::kGathered;
    if (operand.kind == Operand::kGatheredElsewhere) {
      int64_t e = (m->d + 1) % static_cast<int64_t>(m->local.size());
      if (e == m->d || m->local[e] % m->groups.size() != 0) return std::nullopt;
    }
    if (operand.kind != Operand::kGatheredApart) continue;
    // Of the groupings of as many devices, one with groups of the same size.
    std::vector<Grouping> others;
    for (const Grouping& other : optimizer::all_groupings()) {
      if (other.replicas == m->groups.replicas && other.partitions == m->groups.partitions &&
          other.size() == m->groups.size() && other.groups.groups != m->groups.groups.groups) {
        others.push_back(other);
      }
    }
    if (others.empty()) return std::nullopt;
    m->other = choices.of(others);
  }
  if (!gathered) return std::nullopt;
  Case made;
  made.module = m->gathers_first();
  made.candidates = [m = *m] {
    Modules modules;
    modules.push_back(m.gathers_last());
    return modules;
  };
  made.faulty = made.candidates;
  return made;
}

// AG(f(..)) taken apart: operands of the function are shards, converts of shards, shards that are
// gathered elsewhere as well, or scalars.
std::optional<Case> backward(Choices& choices) {
  Mapped m;
  m.groups = some_grouping(choices);
  m.local = some_dims(choices, 1, 3, {2, 1, 3});
  m.d = choices.below(static_cast<int64_t>(m.local.size()));
  m.f = choices.of(kFunctions);
  struct Shard {
    int64_t kind;  // shard, convert, shared, scalar, scalar of each device
    ElementType type;
  };
  std::vector<Shard> shards;
  for (int i = 0; i < m.f.arity; ++i) {
    bool predicate = m.f.opcode == Opcode::kSelect && i == 0;
    int64_t kind = choices.below(may_be_scalar(m.f.opcode, i) ? 5 : 3);
    if (predicate && kind == 1) return std::nullopt;
    shards.push_back({kind, predicate ? ElementType::kPred : ElementType::kF32});
  }
  if (m.f.opcode == Opcode::kClamp && (shards[0].kind >= 3) != (shards[2].kind >= 3)) {
    return std::nullopt;
  }
  auto write = [=](bool gather_last) {
    Program p(m.groups);
    std::vector<Value> values;
    Value aside = hlo::kNoId;
    for (const Shard& shard : shards) {
      Value x = hlo::kNoId;
      if (shard.kind == 3) x = p.replicated(shard.type, {});
      if (shard.kind == 4) x = p.parameter(shard.type, {});
      if (shard.kind < 3)
        x = p.parameter(shard.kind == 1 ? ElementType::kBF16 : shard.type, m.local);
      if (shard.kind == 1) x = p.convert(x, shard.type);
      if (shard.kind == 2) aside = p.all_gather(x, m.d, m.groups);
      if (shard.kind < 3 && !gather_last) x = p.all_gather(x, m.d, m.groups);
      values.push_back(x);
    }
    Value result = m.map(p, values);
    if (gather_last) result = p.all_gather(result, m.d, m.groups);
    if (aside != hlo::kNoId) result = p.tuple({result, aside});
    return p.finish(result);
  };
  Case made;
  made.module = write(true);
  made.candidates = [=] {
    Modules modules;
    modules.push_back(write(false));
    return modules;
  };
  made.faulty = made.candidates;
  return made;
}

}  // namespace

std::vector<Space> gather_elementwise_spaces() {
  Space there;
  there.rule = "gather-elementwise";
  there.direction = "forward";
  there.make = forward;
  there.sample = 5000;
  there.fault = "takes any operand's own shard";
  there.explained = {
      {"the operands are gathered in other groups",
       "the other gather is uniform all the same, and its own block would do, but replicas and "
       "partitions at once leave no single number to read a table by"},
      {"the operands are gathered along other dims", "as in other groups"},
      {"an operand is neither gathered nor the same on all members",
       "a select by a constant never looks at it"},
      {"a member's own block cannot be written",
       "replicas and partitions at once leave no single number to read a table by"}};
  Space back = there;
  back.direction = "backward";
  back.make = backward;
  back.fault = "gathers beside a scalar that differs";
  back.explained = {
      {"no operand gains by being gathered alone",
       "on purpose: always right, but without a partner it only costs; it would pull whole "
       "optimizers through a gather"}};
  return {there, back};
}

}  // namespace flipsat::rules::testing
