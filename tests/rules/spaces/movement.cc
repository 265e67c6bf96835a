// f(C_d(x), ..) = C_o(f(x, ..)) for each f that moves data and each C: every dim worked on or not,
// what f takes besides the same on all members or not.
#include <algorithm>
#include <map>
#include <optional>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

enum class Through : uint8_t { kGather, kReduce, kScatter };

enum class Movement : uint8_t {
  kTranspose,
  kSlice,
  kDynamicSlice,
  kBroadcast,
  kReverse,
  kPad,
  kReduce,
  kConcatenate,
  kUpdate,
  kSelect,
};

// A scalar, or an array that joins others.
struct Aside {
  enum Kind : uint8_t {
    kZero,
    kOne,
    kReplicated,
    kNumber,    // a constant that is neither
    kOwn,       // a parameter of each device
    kByGroup,   // an index: the same in each group
    kByDevice,  // an index: any on any device
    kCollected,
    kKinds,
  };
  Kind kind = kZero;
  bool is_array = false;  // a predicate of all elements
  std::vector<int64_t> values;
};

// How one dim is worked on.
struct Cut {
  hlo::SliceDim range;
  hlo::PaddingDim padding;
  int64_t size = 0;  // of a dynamic slice or an update
};

struct Moved {
  Through through;
  Movement f;
  Grouping groups;
  ElementType type;
  ReducerKind kind, inner;  // of the collective, and of a reduce
  Dims local;               // of the collective's operand outside
  int64_t d, o;             // its dim there, and after f
  bool has_right_side = true;
  std::vector<int64_t>
      dims;                // permutation; where dims go; reversed or reduced ones; the joined one
  Dims added;              // sizes of new dims, by dim of the result
  std::vector<Cut> cuts;   // by dim, as the whole is cut (going in) or the shard is (going out)
  bool is_drawn_on_whole;  // which of them the cuts are of
  std::vector<Aside> asides;
  bool is_faulty = false;

  int64_t n() const { return groups.size(); }
  Dims outside() const {
    Dims dims = local;
    if (through == Through::kGather) dims[d] *= n();
    if (through == Through::kScatter) dims[d] /= n();
    return dims;
  }
  Value collect(Program& p, Value x, int64_t dim) const {
    switch (through) {
      case Through::kGather:
        return p.all_gather(x, dim, groups);
      case Through::kScatter:
        return p.reduce_scatter(x, dim, kind, groups);
      default:
        return p.all_reduce(x, kind, groups);
    }
  }
  bool is_joint() const {
    return f == Movement::kConcatenate || f == Movement::kUpdate || f == Movement::kSelect;
  }
};

// The range of a dim of another size: all of it, or as large a part.
std::optional<int64_t> scaled(int64_t value, int64_t from, int64_t to) {
  if (from == to || value == 0) return value;
  if (value == from) return to;
  if (value * to % from != 0) return std::nullopt;
  return value * to / from;
}

std::optional<Cut> scaled(const Cut& cut, int64_t from, int64_t to) {
  auto start = scaled(cut.range.start, from, to), limit = scaled(cut.range.limit, from, to),
       size = scaled(cut.size, from, to);
  if (!start || !limit || !size) return std::nullopt;
  return Cut{{*start, *limit, cut.range.stride}, cut.padding, *size};
}

Value scalar(Program& p, const Aside& aside, ElementType type, const std::vector<Value>& given,
             size_t which) {
  switch (aside.kind) {
    case Aside::kZero:
      return p.zero(type);
    case Aside::kOne:
      return p.number(1, type);
    case Aside::kNumber:
      return p.number(type == ElementType::kPred ? 1 : 3, type);
    default:
      return given[which];
  }
}

// f on an array of the whole or of a shard; empty where it cannot be written for that.
std::optional<Value> apply(Program& p, const Moved& m, const std::vector<Value>& arrays,
                           const std::vector<Value>& given) {
  Value x = arrays[0];
  const Dims now = p.dims(x);
  const Dims drawn = m.is_drawn_on_whole ? m.outside() : m.local;
  std::vector<Cut> cuts;
  for (size_t i = 0; i < m.cuts.size(); ++i) {
    auto cut = scaled(m.cuts[i], drawn[i], now[i]);
    if (!cut) return std::nullopt;
    cuts.push_back(*cut);
  }
  auto starts = [&] {
    std::vector<Value> values;
    for (size_t i = 0; i < now.size(); ++i) {
      const Aside& aside = m.asides[i];
      bool by_device = aside.kind == Aside::kByGroup || aside.kind == Aside::kByDevice;
      values.push_back(by_device ? p.by_device(aside.values)
                                 : scalar(p, aside, ElementType::kS32, given, i));
    }
    return values;
  };
  Dims sizes;
  for (const Cut& cut : cuts) sizes.push_back(cut.size);
  switch (m.f) {
    case Movement::kTranspose: {
      std::vector<int64_t> permutation = m.dims;
      if (m.is_faulty && m.dims.size() > 1) {
        std::swap(permutation.back(), permutation[permutation.size() - 2]);
      }
      return p.transpose(x, permutation);
    }
    case Movement::kSlice: {
      hlo::SliceDims ranges;
      for (const Cut& cut : cuts) {
        ranges.push_back(cut.range);
        if (!m.is_faulty) continue;
        ranges.back().limit -= cut.range.start;
        ranges.back().start = 0;
      }
      return p.slice(x, ranges);
    }
    case Movement::kDynamicSlice:
      return p.dynamic_slice(x, starts(), sizes);
    case Movement::kBroadcast: {
      Dims to = m.added;
      std::vector<int64_t> along = m.dims;
      if (m.is_faulty) std::reverse(along.begin(), along.end());
      for (size_t i = 0; i < along.size(); ++i) to[along[i]] = now[i];
      return p.broadcast(x, along, to);
    }
    case Movement::kReverse:
      return p.reverse(x, m.dims);
    case Movement::kPad: {
      hlo::PaddingDims padding;
      for (const Cut& cut : cuts) padding.push_back(cut.padding);
      return p.pad(x, scalar(p, m.asides[0], m.type, given, 0), padding);
    }
    case Movement::kReduce:
      return p.reduce(x, scalar(p, m.asides[0], m.type, given, 0), m.dims, m.inner);
    case Movement::kConcatenate:
      return p.concatenate(arrays, m.dims[0]);
    case Movement::kUpdate:
      return p.dynamic_update_slice(x, arrays[1], starts());
    case Movement::kSelect: {
      const Aside& aside = m.asides[0];
      Value predicate = given[0];
      hlo::Shape shape = hlo::Shape::array(m.type, now);
      if (aside.is_array && aside.kind == Aside::kOne) {
        predicate = p.broadcast(predicate, {}, now);
      } else if (aside.is_array && p.dims(predicate) != now) {
        return std::nullopt;
      }
      return p.elementwise(Opcode::kSelect, {predicate, arrays[0], arrays[1]}, shape);
    }
  }
  return std::nullopt;
}

// The dims of each array that f takes, where the first has `dims`.
std::vector<Dims> array_dims(const Moved& m, const Dims& dims) {
  if (!m.is_joint()) return {dims};
  std::vector<Dims> all{dims, dims};
  if (m.f != Movement::kUpdate) return all;
  const Dims drawn = m.is_drawn_on_whole ? m.outside() : m.local;
  for (size_t i = 0; i < dims.size(); ++i) {
    all[1][i] = scaled(m.cuts[i].size, drawn[i], dims[i]).value_or(-1);
  }
  return all;
}

// One side of the equation: f outside or inside the collective. Parameters come first, in one
// order.
std::optional<hlo::Module> side(const Moved& m, bool f_outside, bool with_partner) {
  Program p(m.groups);
  const Dims whole = m.outside();
  const std::vector<Dims> locals = array_dims(m, m.local), wholes = array_dims(m, whole);
  // Arrays of their own have the dims of the side that was drawn; all others are what a member has.
  std::vector<Value> parameters;
  const size_t first = m.asides.size() - locals.size();
  for (size_t i = 0; i < locals.size(); ++i) {
    const Aside& aside = m.asides[first + i];
    for (int64_t size : locals[i]) {
      if (size < 0) return std::nullopt;
    }
    const Dims& dims =
        m.is_drawn_on_whole && aside.kind != Aside::kCollected ? wholes[i] : locals[i];
    if (aside.kind == Aside::kReplicated)
      parameters.push_back(p.replicated(m.type, dims));
    else
      parameters.push_back(p.parameter(m.type, dims));
  }
  std::vector<Value> given;
  for (size_t i = 0; i < first; ++i) {
    const Aside& aside = m.asides[i];
    ElementType type = m.f == Movement::kSelect                            ? ElementType::kPred
                       : m.f == Movement::kPad || m.f == Movement::kReduce ? m.type
                                                                           : ElementType::kS32;
    Dims dims;
    if (aside.is_array && aside.kind != Aside::kOne) dims = m.is_drawn_on_whole ? whole : m.local;
    given.push_back(aside.kind == Aside::kOwn ? p.parameter(type, dims) : p.replicated(type, dims));
  }
  std::vector<Value> arrays;
  for (size_t i = 0; i < locals.size(); ++i) {
    const Aside& aside = m.asides[first + i];
    const Dims& dims = f_outside ? wholes[i] : locals[i];
    for (int64_t size : dims) {
      if (size < 0) return std::nullopt;
    }
    if (aside.kind == Aside::kCollected) {
      arrays.push_back(f_outside ? m.collect(p, parameters[i], m.d) : parameters[i]);
    } else if (aside.kind == Aside::kZero || aside.kind == Aside::kOne ||
               aside.kind == Aside::kNumber) {
      arrays.push_back(p.broadcast(scalar(p, aside, m.type, {}, 0), {}, dims));
    } else if (m.is_drawn_on_whole == f_outside || p.dims(parameters[i]) == dims) {
      arrays.push_back(parameters[i]);
    } else if (m.through == Through::kGather && m.is_drawn_on_whole) {
      arrays.push_back(p.own_shard(parameters[i], m.d, m.groups));
    } else if (m.through != Through::kReduce) {
      arrays.push_back(m.collect(p, parameters[i], m.d));
    }
    if (arrays.size() != i + 1 || p.dims(arrays.back()) != dims) return std::nullopt;
  }
  std::optional<Value> result = apply(p, m, arrays, given);
  if (!result) return std::nullopt;
  if (!f_outside) {
    if (m.o >= static_cast<int64_t>(p.dims(*result).size()) && m.through != Through::kReduce) {
      return std::nullopt;
    }
    if (m.through == Through::kScatter && p.dims(*result)[m.o] % m.n() != 0) return std::nullopt;
    result = m.collect(p, *result, m.o);
  }
  if (with_partner) result = p.tuple({*result, m.collect(p, parameters[0], m.d)});
  return p.finish(*result);
}

// ---- what is drawn ----

Aside::Kind some_kind(Choices& choices, const std::vector<Aside::Kind>& kinds) {
  return choices.of(kinds);
}

Aside some_start(Choices& choices, const Grouping& groups) {
  Aside start;
  start.kind = some_kind(choices, {Aside::kZero, Aside::kOne, Aside::kReplicated, Aside::kOwn,
                                   Aside::kByGroup, Aside::kByDevice});
  start.values.resize(static_cast<size_t>(groups.devices()));
  for (const auto& group : groups.groups.groups) {
    const int64_t common = choices.below(4) - 1;
    for (int64_t member : group) {
      start.values[member] = start.kind == Aside::kByGroup ? common : choices.below(4) - 1;
    }
  }
  return start;
}

void draw_cuts(Choices& choices, Moved& m, const Dims& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    Cut cut{{0, dims[i], 1}, {}, dims[i]};
    const bool own = m.through != Through::kReduce && static_cast<int64_t>(i) == m.d;
    if (choices.below(own ? 5 : 2) == 1) {
      cut.range.start = choices.between(0, dims[i]);
      cut.range.limit = choices.between(cut.range.start, dims[i]);
      cut.range.stride = choices.between(1, 2);
      cut.padding = {choices.between(0, 2) - 1, choices.between(0, 1), choices.between(0, 1)};
      cut.size = choices.between(0, dims[i]);
      if (dims[i] == 0) cut.padding.low = 0;
    }
    m.cuts.push_back(cut);
  }
}

std::optional<Moved> draw(Choices& choices, Movement f, const std::vector<Through>& throughs,
                          bool forward) {
  Moved m;
  m.f = f;
  m.through = choices.of(throughs);
  m.groups = some_grouping(choices);
  m.type = choices.of<ElementType>(
      {ElementType::kS32, ElementType::kF32, ElementType::kPred, ElementType::kBF16});
  auto some_reducer = [&] {
    if (m.type == ElementType::kPred) {
      return choices.of<ReducerKind>({ReducerKind::kAnd, ReducerKind::kOr});
    }
    return choices.of<ReducerKind>(
        {ReducerKind::kAdd, ReducerKind::kMaximum, ReducerKind::kMinimum, ReducerKind::kMultiply});
  };
  m.kind = some_reducer();
  m.inner = choices.below(3) == 2 ? some_reducer() : m.kind;
  m.local = some_dims(choices, 1, 3, {2, 3, 1});
  const int64_t rank = static_cast<int64_t>(m.local.size());
  m.d = choices.below(rank);
  // Often dims that are all of one size, so that exchanging them keeps the shape.
  const bool is_permuted = f == Movement::kTranspose || f == Movement::kBroadcast;
  if (is_permuted && choices.below(3) != 0) {
    const bool gathers = m.through == Through::kGather;
    for (int64_t& size : m.local) size = gathers ? std::max<int64_t>(m.n(), 2) : 2;
    if (gathers && m.n() > 1) m.local[m.d] = 1;
  }
  if (m.through == Through::kScatter) m.local[m.d] *= m.n();
  m.is_drawn_on_whole = forward;
  const Dims drawn = forward ? m.outside() : m.local;
  if (hlo::product(drawn) > 60) return std::nullopt;
  m.o = m.d;
  Aside collected;
  collected.kind = Aside::kCollected;
  auto some_array = [&] {
    Aside array = collected;
    const bool may_be_own = forward;
    if (choices.below(3) == 2) {
      array.kind = Aside::Kind(choices.below(may_be_own ? Aside::kOwn + 1 : Aside::kNumber + 1));
      if (!may_be_own && array.kind == Aside::kReplicated) array.kind = Aside::kZero;
      if (array.kind == Aside::kOne && m.type == ElementType::kPred) array.kind = Aside::kNumber;
    }
    return array;
  };
  switch (f) {
    case Movement::kTranspose:
      m.dims = some_permutation(choices, static_cast<int>(rank));
      m.o = std::find(m.dims.begin(), m.dims.end(), m.d) - m.dims.begin();
      break;
    case Movement::kBroadcast: {
      const int64_t more = choices.between(0, 2);
      const std::vector<int64_t> all = some_permutation(choices, static_cast<int>(rank + more));
      m.dims.assign(all.begin(), all.begin() + rank);
      m.added.resize(static_cast<size_t>(rank + more));
      for (size_t i = static_cast<size_t>(rank); i < all.size(); ++i) {
        m.added[all[i]] = choices.between(1, 2) * (m.through == Through::kScatter ? m.n() : 1);
      }
      m.o = m.dims[m.d];
      // Along a new dim: no right side.
      if (!forward && more > 0 && choices.below(4) == 3) {
        m.o = all[rank];
        m.has_right_side = false;
      }
      break;
    }
    case Movement::kReverse:
      for (int64_t i = 0; i < rank; ++i) {
        const bool own = m.through != Through::kReduce && i == m.d;
        if (choices.below(own ? 4 : 2) == 1) m.dims.push_back(i);
      }
      break;
    case Movement::kSlice:
    case Movement::kPad:
    case Movement::kDynamicSlice:
    case Movement::kUpdate:
      draw_cuts(choices, m, drawn);
      break;
    case Movement::kConcatenate:
      m.dims = {choices.below(rank)};
      break;
    case Movement::kReduce: {
      bool is_gone = false;
      for (int64_t i = 0; i < rank; ++i) {
        const bool own = m.through != Through::kReduce && i == m.d;
        if (choices.below(own ? 5 : 2) != 1) continue;
        m.dims.push_back(i);
        is_gone |= own;
        if (i < m.d) --m.o;
      }
      m.has_right_side = !is_gone;
      if (is_gone && !forward) return std::nullopt;
      break;
    }
    case Movement::kSelect:
      break;
  }
  if (f == Movement::kPad || f == Movement::kReduce) {
    Aside number;
    number.kind = some_kind(
        choices, {Aside::kZero, Aside::kOne, Aside::kReplicated, Aside::kNumber, Aside::kOwn});
    m.asides.push_back(number);
  }
  if (f == Movement::kDynamicSlice || f == Movement::kUpdate) {
    for (int64_t i = 0; i < rank; ++i) m.asides.push_back(some_start(choices, m.groups));
  }
  if (f == Movement::kSelect) {
    Aside predicate;
    predicate.kind = some_kind(choices, {Aside::kReplicated, Aside::kOwn, Aside::kOne});
    predicate.is_array = choices.flag();
    m.asides.push_back(predicate);
  }
  m.asides.push_back(m.is_joint() ? some_array() : collected);
  if (m.is_joint()) {
    m.asides.push_back(some_array());
    const bool is_any = m.asides.back().kind == Aside::kCollected ||
                        m.asides[m.asides.size() - 2].kind == Aside::kCollected;
    if (!is_any) return std::nullopt;
  }
  return m;
}

std::optional<Case> make(Choices& choices, Movement f, const std::vector<Through>& throughs,
                         bool forward) {
  std::optional<Moved> m = draw(choices, f, throughs, forward);
  if (!m) return std::nullopt;
  // A partner, where going out needs one.
  const bool with_partner = !forward && choices.below(4) != 3;
  std::optional<hlo::Module> module = side(*m, forward, with_partner);
  if (!module) return std::nullopt;
  auto other = [=](bool is_faulty) {
    return [=] {
      Modules modules;
      if (!m->has_right_side) return modules;
      Moved there = *m;
      there.is_faulty = is_faulty;
      std::optional<hlo::Module> written = side(there, !forward, with_partner);
      if (!written) return modules;
      const hlo::Module& left = *module;
      const auto shape = [](const hlo::Module& of) {
        return of[of.entry_computation().root].shape;
      };
      if (shape(*written).same_value_shape(shape(left))) modules.push_back(std::move(*written));
      return modules;
    };
  };
  Case made;
  made.module = *module;
  made.candidates = other(false);
  made.faulty = other(true);
  return made;
}

std::map<std::string, std::string> explanations(Movement f, bool forward) {
  std::map<std::string, std::string> all = {
      {"a start index differs inside a group",
       "a slice or an update of nothing, or of what is there already; or starts that are not known "
       "and all clamp to the same place"},
      {"a scalar operand differs in a group", "what it adds does not show"},
      {"a scalar operand would be reduced with itself", "what it adds does not show"},
      {"a member's own block cannot be written",
       "replicas and partitions at once leave no single number to read a table by"},
      {"an operand is neither collected alike nor the same before and after",
       "it has no elements, or none that is left; or a number that the reduction happens to keep"},
      {"the reduce is not by the same operation",
       "an initial value that decides the result, as zero in a product; or a reduce of no dims"},
      {"the predicate differs inside a group", "both sides of the select are the same"},
      {"the predicate differs along the array", "both sides of the select are the same"},
      {"a float sum is made in another order (--numerics reassoc)",
       "a sum of one element, or one that rounds the same in any order"},
  };
  const std::string own_dim =
      f == Movement::kPad ? "padding between the elements of a dim of one, or that is cut off again"
                          : "a stride that takes the same of every shard, or nothing is left";
  for (const char* reason :
       {"the gathered dim is cut", "the scattered dim is cut", "the gathered dim is not left whole",
        "the scattered dim is not left whole", "the collective's own dim is not left whole"}) {
    all[reason] = own_dim;
  }
  if (forward) return all;
  all["the whole is not collected alike"] =
      "on purpose: always right, but the collective grows, which only one that is there anyhow "
      "makes up for";
  all["no operand gains by being collected alone"] =
      "on purpose: always right, but one collective becomes several, which only one that is there "
      "anyhow makes up for";
  return all;
}

std::string fault_of(Movement f) {
  switch (f) {
    case Movement::kTranspose:
      return "the last two dims exchanged";
    case Movement::kBroadcast:
      return "dims in the other order";
    case Movement::kSlice:
      return "cuts at the front";
    default:
      return "fires whatever the dims and the other operands are";
  }
}

Space space(const std::string& rule, Movement f, const std::vector<Through>& throughs,
            bool forward) {
  Space space;
  space.rule = rule;
  space.direction = forward ? "forward" : "backward";
  space.make = [=](Choices& choices) { return make(choices, f, throughs, forward); };
  space.sample = 1000;
  space.fault = fault_of(f);
  space.explained = explanations(f, forward);
  return space;
}

}  // namespace

std::vector<Space> movement_spaces() {
  struct Row {
    std::string name;
    Movement f;
  };
  const std::vector<Row> rows = {{"transpose", Movement::kTranspose},
                                 {"slice", Movement::kSlice},
                                 {"broadcast", Movement::kBroadcast},
                                 {"reverse", Movement::kReverse},
                                 {"pad", Movement::kPad},
                                 {"concatenate", Movement::kConcatenate},
                                 {"dynamic-update-slice", Movement::kUpdate},
                                 {"reduce-dims", Movement::kReduce},
                                 {"dynamic-slice", Movement::kDynamicSlice},
                                 {"select", Movement::kSelect}};
  std::vector<Space> spaces;
  for (bool forward : {true, false}) {
    for (const Row& row : rows) {
      if (row.f != Movement::kDynamicSlice && row.f != Movement::kSelect) {
        spaces.push_back(space("gather-" + row.name, row.f, {Through::kGather}, forward));
      }
      std::vector<Through> reductions{Through::kReduce, Through::kScatter};
      if (row.f == Movement::kTranspose) reductions = {Through::kReduce};
      spaces.push_back(space("reduce-" + row.name, row.f, reductions, forward));
      if (row.f != Movement::kReduce) continue;
      spaces.push_back(spaces.back());
      spaces.back().numerics = hlo::Numerics::kReassoc;
      spaces.back().promise = Promise::kReassoc;
    }
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
