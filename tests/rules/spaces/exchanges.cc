// permute-<operation> and all-to-all-<operation>: every operation with operands that are exchanged,
// alike or otherwise, the same everywhere, or each device's own.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

enum class Operand : uint8_t {
  kExchanged,
  kReplicated,
  kBroadcast,       // the same everywhere, and along the exchanged dim
  kOwn,             // another on each device
  kZero,            // scalars
  kNumber,          // scalars: a constant, out of range where it is a start
  kByPair,          // scalars: a table, on a source what it is on its target; on a group alike
  kByDevice,        // scalars: a table
  kExchangedApart,  // between other devices
};

struct Exchanged {
  bool is_permute;
  std::string name;  // of the operation
  Grouping groups;   // all-to-alls; for permutes the devices
  hlo::DevicePairs pairs, other_pairs;
  int64_t d = 0;
  ElementType type, to;
  Dims dims;
  Opcode opcode = Opcode::kAdd;
  std::vector<int64_t> ints;  // permutation, dims
  Dims sizes;                 // of a slice, a reshape
  hlo::SliceDims ranges;
  hlo::PaddingDims padding;
  ReducerKind reducer = ReducerKind::kAdd;
  std::vector<Operand> operands;
  std::vector<Dims> shapes;  // of the operands
  std::vector<std::vector<int64_t>> tables;

  Value exchange(Program& p, Value x, int64_t dim, bool is_other = false) const {
    if (is_permute) return p.collective_permute(x, is_other ? other_pairs : pairs);
    std::optional<Grouping> turned = in_another_order(groups);
    return p.all_to_all(x, dim, is_other && turned ? *turned : groups);
  }

  ElementType type_of(size_t i) const {
    if (opcode == Opcode::kSelect && name == "elementwise" && i == 0) return ElementType::kPred;
    return is_start(i) ? ElementType::kS32 : type;
  }
  bool is_start(size_t i) const {
    return (name == "dynamic-slice" && i > 0) || (name == "dynamic-update-slice" && i > 1);
  }

  Value operand(Program& p, size_t i, int64_t dim, bool is_exchanged_here) const {
    const ElementType of = type_of(i);
    switch (operands[i]) {
      case Operand::kExchanged:
      case Operand::kExchangedApart: {
        Value x = p.parameter(of, shapes[i]);
        if (!is_exchanged_here) return x;
        return exchange(p, x, dim, operands[i] == Operand::kExchangedApart);
      }
      case Operand::kReplicated:
        return p.replicated(of, shapes[i]);
      case Operand::kOwn:
        return p.parameter(of, shapes[i]);
      case Operand::kBroadcast: {
        Dims row;
        std::vector<int64_t> along;
        for (int64_t j = 0; j < static_cast<int64_t>(shapes[i].size()); ++j) {
          if (j == dim) continue;
          row.push_back(shapes[i][j]);
          along.push_back(j);
        }
        return p.broadcast(p.replicated(of, row), along, shapes[i]);
      }
      case Operand::kZero:
        return p.zero(of);
      case Operand::kNumber:
        return p.number(static_cast<double>(tables[i][0]), of);
      case Operand::kByPair:
      case Operand::kByDevice:
        return p.by_device(tables[i]);
    }
    return hlo::kNoId;
  }

  Value apply(Program& p, const std::vector<Value>& x) const {
    if (name == "convert") return p.convert(x[0], to);
    if (name == "reshape") return p.reshape(x[0], sizes);
    if (name == "transpose") return p.transpose(x[0], ints);
    if (name == "broadcast") {
      Dims result(dims.size() + 1, 3);
      for (size_t i = 0; i < dims.size(); ++i) result[ints[i]] = dims[i];
      return p.broadcast(x[0], ints, result);
    }
    if (name == "slice") return p.slice(x[0], ranges);
    if (name == "reverse") return p.reverse(x[0], ints);
    if (name == "pad") return p.pad(x[0], x[1], padding);
    if (name == "concatenate") return p.concatenate(x, ints[0]);
    if (name == "dynamic-slice") return p.dynamic_slice(x[0], {x.begin() + 1, x.end()}, sizes);
    if (name == "dynamic-update-slice") {
      return p.dynamic_update_slice(x[0], x[1], {x.begin() + 2, x.end()});
    }
    if (name == "reduce") return p.reduce(x[0], x[1], ints, reducer);
    if (name == "dot") return p.dot(x[0], x[1], {{1, 0}}, {});
    if (opcode == Opcode::kCompare) return p.compare("LT", x[0], x[1]);
    if (opcode == Opcode::kSelect) {
      return p.elementwise(opcode, x, hlo::Shape::array(p.type(x[1]), p.dims(x[1])));
    }
    return p.elementwise(opcode, x);
  }

  // Exchanges of the operands first: the program of the forward direction.
  hlo::Module exchanges_first(int64_t dim) const {
    Program p(groups);
    std::vector<Value> values;
    for (size_t i = 0; i < operands.size(); ++i) values.push_back(operand(p, i, dim, true));
    return p.finish(apply(p, values));
  }
  // The one exchange last, along `dim` of the result.
  std::optional<hlo::Module> exchange_last(int64_t dim, bool is_other = false) const {
    Program p(groups);
    std::vector<Value> values;
    for (size_t i = 0; i < operands.size(); ++i) values.push_back(operand(p, i, d, false));
    Value result = apply(p, values);
    if (!may_be_exchanged(p.dims(result), dim)) return std::nullopt;
    return p.finish(exchange(p, result, dim, is_other));
  }
  bool may_be_exchanged(const Dims& of, int64_t dim) const {
    if (is_permute) return dim == 0;
    return dim < static_cast<int64_t>(of.size()) && of[dim] % groups.size() == 0;
  }
};

// Some devices send, to others or to themselves; sorted by source.
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

// A value for each device; alike on pairs, or in groups, where asked.
std::vector<int64_t> some_table(Choices& choices, const Exchanged& e, bool alike) {
  std::vector<int64_t> table;
  for (int64_t i = 0; i < e.groups.devices(); ++i) table.push_back(choices.between(0, 3));
  if (!alike) return table;
  if (!e.is_permute) {
    for (const auto& group : e.groups.groups.groups) {
      for (int64_t member : group) table[member] = table[group[0]];
    }
  }
  for (size_t round = 0; e.is_permute && round < table.size(); ++round) {
    for (const auto& [source, target] : e.pairs) table[target] = table[source];
  }
  return table;
}

const std::vector<Opcode> kFunctions = {Opcode::kAdd,         Opcode::kNegate,   Opcode::kMultiply,
                                        Opcode::kSelect,      Opcode::kSubtract, Opcode::kAbs,
                                        Opcode::kCompare,     Opcode::kMaximum,  Opcode::kDivide,
                                        Opcode::kExponential, Opcode::kClamp};

Operand some_operand(Choices& choices) {
  return choices.of<Operand>({Operand::kExchanged, Operand::kExchanged, Operand::kReplicated,
                              Operand::kBroadcast, Operand::kOwn, Operand::kExchangedApart});
}
Operand some_scalar(Choices& choices) {
  return choices.of<Operand>({Operand::kZero, Operand::kReplicated, Operand::kOwn});
}
Operand some_start(Choices& choices) {
  return choices.of<Operand>({Operand::kZero, Operand::kNumber, Operand::kReplicated,
                              Operand::kByPair, Operand::kByDevice, Operand::kOwn});
}

bool draw(Choices& choices, Exchanged& e) {
  const auto rank = static_cast<int64_t>(e.dims.size());
  e.operands = {Operand::kExchanged};
  e.shapes = {e.dims};
  auto add = [&](Operand operand, Dims shape) {
    e.operands.push_back(operand);
    e.shapes.push_back(std::move(shape));
  };
  if (e.name == "convert") {
    e.to = choices.of<ElementType>({ElementType::kBF16, ElementType::kS8, ElementType::kPred,
                                    ElementType::kF32, ElementType::kF8E4M3FN});
  } else if (e.name == "reshape") {
    e.sizes = some_reshape(choices, hlo::product(e.dims), 3);
  } else if (e.name == "transpose") {
    e.ints = some_permutation(choices, static_cast<int>(rank));
  } else if (e.name == "broadcast") {
    const int64_t at = choices.between(0, rank);
    for (int64_t i = 0; i < rank; ++i) e.ints.push_back(i < at ? i : i + 1);
  } else if (e.name == "slice") {
    for (int64_t size : e.dims) {
      const int64_t start = choices.flag() ? choices.between(0, size) : 0;
      e.ranges.push_back({start, choices.flag() ? choices.between(start, size) : size,
                          choices.below(4) == 3 ? 2 : 1});
    }
  } else if (e.name == "reverse") {
    for (int64_t i = 0; i < rank; ++i) {
      if (choices.flag()) e.ints.push_back(i);
    }
  } else if (e.name == "pad") {
    for (int64_t size : e.dims) {
      e.padding.push_back({choices.of<int64_t>({0, 0, 1}),
                           choices.of<int64_t>({0, 0, 1, size > 0 ? -1 : 0}),
                           choices.of<int64_t>({0, 0, 1})});
    }
    add(some_scalar(choices), {});
  } else if (e.name == "concatenate") {
    e.ints = {choices.below(rank)};
    Dims other = e.dims;
    other[e.ints[0]] = choices.of<int64_t>({1, 2, 4});
    add(some_operand(choices), other);
    if (choices.below(3) == 2) add(some_operand(choices), e.dims);
  } else if (e.name == "dynamic-slice" || e.name == "dynamic-update-slice") {
    Dims sizes;
    for (int64_t size : e.dims) sizes.push_back(choices.flag() ? choices.between(0, size) : size);
    if (e.name == "dynamic-update-slice") add(some_operand(choices), sizes);
    e.sizes = sizes;
    for (int64_t i = 0; i < rank; ++i) add(some_start(choices), {});
  } else if (e.name == "reduce") {
    for (int64_t i = 0; i < rank; ++i) {
      if (choices.flag()) e.ints.push_back(i);
    }
    e.reducer = choices.flag() ? ReducerKind::kMaximum : ReducerKind::kAdd;
    add(some_scalar(choices), {});
  } else if (e.name == "dot") {
    e.dims = {choices.between(1, 2), choices.between(1, 3)};
    e.shapes = {e.dims};
    e.operands = {some_operand(choices)};
    add(some_operand(choices), {e.dims[1], 2});
  } else {
    e.opcode = choices.of(kFunctions);
    const int arity = hlo::elementwise_arity(e.opcode);
    if (e.opcode == Opcode::kExponential && e.type == ElementType::kS32) return false;
    e.operands.clear();
    e.shapes.clear();
    for (int i = 0; i < arity; ++i) add(some_operand(choices), e.dims);
    if (e.opcode == Opcode::kSelect && choices.below(4) == 3) {
      e.operands[0] = choices.of<Operand>({Operand::kReplicated, Operand::kOwn});
      e.shapes[0] = {};
    }
  }
  // What everybody has may be cut by what is sent.
  if (e.operands.size() > 1 && choices.below(4) == 3) e.operands[0] = Operand::kReplicated;
  for (size_t i = 0; i < e.operands.size(); ++i) {
    e.tables.push_back(some_table(choices, e, e.operands[i] == Operand::kByPair));
    const bool is_exchanged =
        e.operands[i] == Operand::kExchanged || e.operands[i] == Operand::kExchangedApart;
    if (is_exchanged && !e.is_permute && !e.may_be_exchanged(e.shapes[i], e.d)) return false;
    if (e.operands[i] == Operand::kBroadcast && e.d >= static_cast<int64_t>(e.shapes[i].size())) {
      return false;
    }
  }
  return true;
}

std::optional<Case> make(Choices& choices, bool is_permute, const std::string& name) {
  Exchanged e;
  e.is_permute = is_permute;
  e.name = name;
  e.groups = choices.of(optimizer::all_groupings());
  if (e.groups.replicas > 1 && e.groups.partitions > 1) return std::nullopt;
  e.type = choices.of<ElementType>({ElementType::kF32, ElementType::kS32, ElementType::kBF16});
  e.dims =
      some_dims(choices, 1, 3,
                is_permute ? std::vector<int64_t>{2, 1, 3} : std::vector<int64_t>{2, 1, 4, 3, 6});
  if (hlo::product(e.dims) > 48) return std::nullopt;
  if (is_permute) {
    e.pairs = some_pairs(choices, e.groups.devices());
    e.other_pairs = e.pairs;
    for (auto& [source, target] : e.other_pairs) target = (target + 1) % e.groups.devices();
  } else {
    e.d = choices.below(static_cast<int64_t>(e.dims.size()));
  }
  if (!draw(choices, e)) return std::nullopt;
  const bool forward = choices.flag();
  Case made;
  // Along every dim of the result that may be exchanged; permutes have one way.
  auto last = [e](bool is_other) {
    Modules modules;
    for (int64_t dim = 0; dim < 4; ++dim) {
      if (auto module = e.exchange_last(dim, is_other)) modules.push_back(std::move(*module));
    }
    return modules;
  };
  if (forward) {
    made.module = e.exchanges_first(e.d);
    made.candidates = [=] { return last(false); };
    made.faulty = [=] { return last(true); };
    return made;
  }
  const int64_t after = choices.below(e.is_permute ? 1 : 4);
  std::optional<hlo::Module> module = e.exchange_last(after);
  if (!module) return std::nullopt;
  made.module = std::move(*module);
  auto first = [=](bool is_other) {
    Modules modules;
    for (int64_t dim = 0; dim < static_cast<int64_t>(e.dims.size()); ++dim) {
      Exchanged other = e;
      if (is_other) {
        std::replace(other.operands.begin(), other.operands.end(), Operand::kExchanged,
                     Operand::kExchangedApart);
      } else {
        std::replace(other.operands.begin(), other.operands.end(), Operand::kExchangedApart,
                     Operand::kExchanged);
      }
      bool fits = e.is_permute ? dim == 0 : true;
      for (size_t i = 0; i < other.operands.size(); ++i) {
        const bool is_exchanged = other.operands[i] == Operand::kExchanged ||
                                  other.operands[i] == Operand::kExchangedApart;
        fits &= !is_exchanged || other.is_permute || other.may_be_exchanged(other.shapes[i], dim);
        fits &= other.operands[i] != Operand::kBroadcast || dim == e.d;
      }
      if (fits) modules.push_back(other.exchanges_first(dim));
    }
    return modules;
  };
  made.candidates = [=] { return first(false); };
  made.faulty = [=] { return first(true); };
  return made;
}

std::map<std::string, std::string> explained(bool is_permute) {
  const std::string unusual = "of three parts one that stays: not looked for";
  const std::string chance = "by chance: on these devices it makes no difference";
  if (is_permute) {
    return {{"an operand differs between a source and its target",
             "what is not known to be the same may be, or nothing of it is used"},
            {"a device that is no target would not get zeros",
             "the function makes +0 of zeros but is not known to, or by chance, as zero times a "
             "number"},
            {"no match", unusual},
            {"a start index differs", "an index is not sent in the place of what it cuts"},
            {"the operands are not exchanged alike", chance},
            {"no operand is exchanged elsewhere",
             "on purpose: several exchanges for one never pay unless one is there already"}};
  }
  return {
      {"the exchanged parts are cut or mixed", "parts that are cut alike could be exchanged"},
      {"no dim of the operand holds the same parts", "parts that are cut alike could be exchanged"},
      {"the group size does not divide an operand's dim", chance},
      {"an operand is neither exchanged nor the same in all parts",
       "what is not known to be the same may be, or nothing of it is used"},
      {"the operands are not exchanged alike", chance},
      {"no match", unusual},
      {"a start index differs", "an index is not sent in the place of what it cuts"},
      {"no operand is exchanged elsewhere",
       "on purpose: several exchanges for one never pay unless one is there already"}};
}

}  // namespace

std::vector<Space> exchange_spaces() {
  const std::vector<std::string> both = {
      "convert", "reshape",    "transpose",   "broadcast",     "slice",
      "reverse", "pad",        "concatenate", "dynamic-slice", "dynamic-update-slice",
      "reduce",  "elementwise"};
  std::vector<Space> spaces;
  for (bool is_permute : {true, false}) {
    std::vector<std::string> names = both;
    if (is_permute) names.push_back("dot");
    for (const std::string& name : names) {
      Space space;
      space.rule = (is_permute ? "permute-" : "all-to-all-") + name;
      space.sample = 1000;
      space.explained = explained(is_permute);
      space.fault = is_permute ? "sends to other devices" : "members in another order";
      space.make = [=](Choices& choices) { return make(choices, is_permute, name); };
      spaces.push_back(std::move(space));
    }
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
