#include "optimizer/harness/text_makers.h"

#include <algorithm>
#include <map>

#include "rules/text/elementwise.h"

namespace flipsat::optimizer {

using hlo::Dims;
using hlo::ElementType;
using hlo::Opcode;
using hlo::ReducerKind;
using hlo::Shape;

namespace text = rules::text;
using text::Function;
using text::Groups;
using text::List;
using text::OperatorRow;
using text::Values;

namespace {

const std::vector<ElementType> kTypes = {ElementType::kF32,  ElementType::kS32, ElementType::kBF16,
                                         ElementType::kPred, ElementType::kS8,  ElementType::kU32,
                                         ElementType::kF16,  ElementType::kU16};
const std::vector<Opcode> kUnary = {Opcode::kNegate, Opcode::kNot, Opcode::kAbs, Opcode::kSign,
                                    Opcode::kSqrt};
const std::vector<Opcode> kBinary = {Opcode::kAdd,     Opcode::kMultiply, Opcode::kSubtract,
                                     Opcode::kMaximum, Opcode::kAnd,      Opcode::kCompare};
const std::vector<Opcode> kTernary = {Opcode::kSelect, Opcode::kClamp};
const std::vector<std::string> kDirections = {"LT", "EQ", "GE", "NE"};

using Operands = const std::vector<Value>&;

int64_t integer(const text::Value& value) { return std::get<int64_t>(value); }
const List& list(const text::Value& value) { return std::get<List>(value); }
Dims dims(const text::Value& value) { return {list(value).begin(), list(value).end()}; }
ReducerKind reducer(const text::Value& value) { return std::get<ReducerKind>(value); }

Values draw_broadcast(Drawer& d, const OperatorRow&, const std::vector<Shape>& x) {
  List along;
  List to(x[0].dims.begin(), x[0].dims.end());
  for (int64_t i = 0; i < x[0].rank(); ++i) along.push_back(i);
  for (int64_t more = d.choices().below(3); more > 0; --more) {
    int64_t at = d.choices().below(static_cast<int64_t>(to.size()) + 1);
    to.insert(to.begin() + at, d.choices().between(1, 3));
    for (int64_t& place : along) place += place >= at;
  }
  return {along, to};
}

Values draw_slice(Drawer& d, const OperatorRow&, const std::vector<Shape>& x) {
  List start, limit, stride;
  for (int64_t size : x[0].dims) {
    const bool is_whole = d.choices().flag();
    start.push_back(is_whole ? 0 : d.choices().between(0, size));
    limit.push_back(is_whole ? size : d.choices().between(start.back(), size));
    stride.push_back(is_whole ? 1 : d.choices().between(1, 2));
  }
  return {start, limit, stride};
}

Values draw_elementwise(Drawer& d, const OperatorRow& row, const std::vector<Shape>& x) {
  const std::vector<Opcode>& all = x.size() == 1 ? kUnary : x.size() == 2 ? kBinary : kTernary;
  Function f;
  f.opcode = row.opcode ? *row.opcode : d.choices().of(all);
  if (f.opcode == Opcode::kCompare) f.steering = d.choices().of(kDirections);
  return {f};
}

Value build_elementwise(Program& p, const Values& a, const std::vector<Grouping>&, Operands x) {
  const Function& f = std::get<Function>(a[0]);
  if (f.opcode == Opcode::kCompare) return p.compare(f.steering, x[0], x[1]);
  std::vector<Shape> shapes;
  for (Value operand : x) shapes.push_back(Shape::array(p.type(operand), p.dims(operand)));
  return p.elementwise(f.opcode, x, *text::elementwise_shape(f, shapes));
}

Values draw_pad(Drawer& d, const OperatorRow&, const std::vector<Shape>& x) {
  List low, high, interior;
  for (int64_t i = 0; i < x[0].rank(); ++i) {
    const bool is_padded = d.choices().flag();
    low.push_back(is_padded ? d.choices().between(0, 3) - 1 : 0);
    high.push_back(is_padded ? d.choices().between(0, 2) : 0);
    interior.push_back(is_padded ? d.choices().below(2) : 0);
  }
  return {low, high, interior};
}

// A few dims of x, in order.
List some_dims(Drawer& d, const Shape& x) {
  List dims;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (d.choices().flag()) dims.push_back(i);
  }
  return dims;
}

// Pairs of dims of equal size, none, contracted or batched.
Values draw_dot(Drawer& d, const OperatorRow&, const std::vector<Shape>& x) {
  List lists[4];
  std::vector<bool> is_used(static_cast<size_t>(x[1].rank()));
  for (int64_t i = 0; i < x[0].rank(); ++i) {
    for (int64_t j = 0; j < x[1].rank(); ++j) {
      if (is_used[j] || x[0].dims[i] != x[1].dims[j] || d.choices().below(3) == 2) continue;
      const size_t list = d.choices().below(3) == 2 ? 2 : 0;
      lists[list].push_back(i);
      lists[list + 1].push_back(j);
      is_used[j] = true;
      break;
    }
  }
  ElementType type = x[0].type == ElementType::kBF16 ? d.any_type() : x[0].type;
  return {lists[0], lists[1], lists[2], lists[3], text::Type{type}};
}

Value build_dot(Program& p, const Values& a, const std::vector<Grouping>&, Operands x) {
  using hlo::AttributeKey;
  const language::DotDims over = {list(a[0]), list(a[1]), list(a[2]), list(a[3])};
  Shape shape = Shape::array(std::get<text::Type>(a[4]).element,
                             language::dot_result(p.dims(x[0]), p.dims(x[1]), over));
  return p.instruction(Opcode::kDot, std::move(shape), x,
                       {{AttributeKey::kLhsContractingDims, over.lhs_contracting},
                        {AttributeKey::kRhsContractingDims, over.rhs_contracting},
                        {AttributeKey::kLhsBatchDims, over.lhs_batch},
                        {AttributeKey::kRhsBatchDims, over.rhs_batch}});
}

Value build_permute(Program& p, const Values& a, const std::vector<Grouping>&, Operands x) {
  const text::Pairs& pairs = std::get<text::Pairs>(a[0]);
  hlo::DeviceCounts counts;
  counts.replicas = p.replicas();
  counts.partitions = p.partitions();
  std::vector<std::pair<hlo::AttributeKey, hlo::AttributeValue>> attributes = {
      {hlo::AttributeKey::kSourceTargetPairs,
       *hlo::spell_pairs(pairs.pairs, pairs.has_channel, counts)}};
  if (pairs.has_channel) attributes.emplace_back(hlo::AttributeKey::kChannelId, int64_t{1});
  return p.instruction(Opcode::kCollectivePermute, Shape::array(p.type(x[0]), p.dims(x[0])), x,
                       std::move(attributes));
}

const Maker kElementwise = {draw_elementwise, build_elementwise};

const std::map<std::string, Maker>& makers() {
  using Shapes = const std::vector<Shape>&;
  using Over = const std::vector<Grouping>&;
  static const std::map<std::string, Maker> kMakers = {
      {"all-gather",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values {
          return {d.any_dim(x[0]), d.any_groups()};
        },
        [](Program& p, const Values& a, Over g, Operands x) {
          return p.all_gather(x[0], integer(a[0]), g[0]);
        }}},
      {"all-reduce",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values {
          return {d.any_reducer(x[0]), d.any_groups()};
        },
        [](Program& p, const Values& a, Over g, Operands x) {
          return p.all_reduce(x[0], reducer(a[0]), g[0]);
        }}},
      {"reduce-scatter",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values {
          return {d.any_dim(x[0]), d.any_reducer(x[0]), d.any_groups()};
        },
        [](Program& p, const Values& a, Over g, Operands x) {
          return p.reduce_scatter(x[0], integer(a[0]), reducer(a[1]), g[0]);
        }}},
      {"convert",
       {[](Drawer& d, const OperatorRow&, Shapes) -> Values { return {text::Type{d.any_type()}}; },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.convert(x[0], std::get<text::Type>(a[0]).element);
        }}},
      {"reshape",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values {
          Dims to = any_dims_of(d.choices(), x[0].element_count(), 3);
          return {List(to.begin(), to.end())};
        },
        [](Program& p, const Values& a, Over, Operands x) { return p.reshape(x[0], dims(a[0])); }}},
      {"transpose",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values {
          return {any_permutation(d.choices(), x[0].rank())};
        },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.transpose(x[0], list(a[0]));
        }}},
      {"broadcast",
       {draw_broadcast, [](Program& p, const Values& a, Over,
                           Operands x) { return p.broadcast(x[0], list(a[0]), dims(a[1])); }}},
      {"slice",
       {draw_slice,
        [](Program& p, const Values& a, Over, Operands x) {
          hlo::SliceDims ranges;
          for (size_t i = 0; i < list(a[0]).size(); ++i) {
            ranges.push_back({list(a[0])[i], list(a[1])[i], list(a[2])[i]});
          }
          return p.slice(x[0], ranges);
        }}},
      {"all-to-all",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values {
          // Its ids are of replicas or of partitions: programs with one alone.
          if (d.program().replicas() > 1 && d.program().partitions() > 1) return {};
          return {d.any_dim(x[0]), d.any_groups()};
        },
        [](Program& p, const Values& a, Over g, Operands x) {
          return p.all_to_all(x[0], integer(a[0]), g[0]);
        }}},
      {"collective-permute",
       {[](Drawer& d, const OperatorRow&, Shapes) -> Values { return {d.any_pairs()}; },
        build_permute}},
      {"reverse",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values { return {some_dims(d, x[0])}; },
        [](Program& p, const Values& a, Over, Operands x) { return p.reverse(x[0], list(a[0])); }}},
      {"pad",
       {draw_pad,
        [](Program& p, const Values& a, Over, Operands x) {
          hlo::PaddingDims padding;
          for (size_t i = 0; i < list(a[0]).size(); ++i) {
            padding.push_back({list(a[0])[i], list(a[1])[i], list(a[2])[i]});
          }
          return p.pad(x[0], x[1], padding);
        }}},
      {"concatenate",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values { return {d.any_dim(x[0])}; },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.concatenate({x[0], x[1]}, integer(a[0]));
        }}},
      {"reduce",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values {
          return {some_dims(d, x[0]), d.any_reducer(x[0])};
        },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.reduce(x[0], x[1], list(a[0]), reducer(a[1]));
        }}},
      {"dot", {draw_dot, build_dot}},
      {"dynamic-update-slice",
       {[](Drawer&, const OperatorRow&, Shapes) -> Values { return {}; },
        [](Program& p, const Values&, Over, Operands x) {
          return p.dynamic_update_slice(x[0], x[1], {x.begin() + 2, x.end()});
        }}},
      {"dynamic-slice",
       {[](Drawer& d, const OperatorRow&, Shapes x) -> Values {
          Dims sizes = d.any_sizes(x[0].dims);
          return {List(sizes.begin(), sizes.end())};
        },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.dynamic_slice(x[0], {x.begin() + 1, x.end()}, dims(a[0]));
        }}},
      {"constant",
       {[](Drawer& d, const OperatorRow&, Shapes) -> Values {
          return {d.choices().between(0, 3), text::Type{d.any_type()}};
        },
        [](Program& p, const Values& a, Over, Operands) {
          return p.number(static_cast<double>(integer(a[0])), std::get<text::Type>(a[1]).element);
        }}},
  };
  return kMakers;
}

}  // namespace

ElementType Drawer::any_type() {
  if (!named_.types.empty() && choices_.flag()) return choices_.of(named_.types);
  return choices_.of(kTypes);
}

ReducerKind Drawer::any_reducer(const Shape& x) {
  if (!named_.reducers.empty() && choices_.below(4) != 0) return choices_.of(named_.reducers);
  static const std::vector<ReducerKind> kLogical = {ReducerKind::kAnd, ReducerKind::kOr};
  static const std::vector<ReducerKind> kOthers = {ReducerKind::kAdd, ReducerKind::kMaximum,
                                                   ReducerKind::kMinimum, ReducerKind::kMultiply};
  return choices_.of(x.type == ElementType::kPred ? kLogical : kOthers);
}

Groups Drawer::any_groups() {
  if (!groups_drawn_) {
    groups_drawn_ = true;
    return groups_at(0);
  }
  groupings_.push_back(some_grouping_like(choices_, groupings_[0]));
  return groups_at(groupings_.size() - 1);
}

Groups Drawer::groups_at(size_t index) const {
  const Grouping& drawn = groupings_[index];
  return {static_cast<language::CollectiveIndex>(index),
          std::make_shared<const hlo::DeviceGroups>(drawn.groups),
          drawn.mode != hlo::GroupMode::kCrossReplica,
          {}};
}

std::optional<Grouping> Drawer::grouping_of(const text::Value& groups) const {
  const Groups& wanted = std::get<Groups>(groups);
  const Grouping& drawn = groupings_[wanted.like];
  if (*wanted.members == drawn.groups) return drawn;
  return regrouped(drawn, wanted.members->groups);
}

text::Pairs Drawer::any_pairs() {
  const Grouping& counts = groupings_[0];
  const bool of_partitions = counts.partitions > 1;
  const int64_t count = of_partitions ? counts.partitions : counts.replicas;
  const int64_t others = of_partitions ? counts.replicas : counts.partitions;
  const List targets = any_permutation(choices_, static_cast<int>(count));
  text::Pairs result;
  result.has_channel = of_partitions;
  for (int64_t source = 0; source < count; ++source) {
    if (choices_.below(6) == 5) continue;
    for (int64_t other = 0; other < others; ++other) {
      auto device = [&](int64_t id) {
        return of_partitions ? other * counts.partitions + id : id * counts.partitions + other;
      };
      result.pairs.emplace_back(device(source), device(targets[source]));
    }
  }
  std::sort(result.pairs.begin(), result.pairs.end());
  return result;
}

int64_t Drawer::any_dim(const Shape& x) { return choices_.below(std::max<int64_t>(x.rank(), 1)); }

Dims Drawer::any_sizes(const Dims& whole) {
  Dims sizes;
  for (int64_t dim : whole) sizes.push_back(any_size(choices_, groupings_.back(), dim));
  return sizes;
}

const Maker& maker_of(const OperatorRow& row) {
  if (row.is_elementwise()) return kElementwise;
  return makers().at(row.name);
}

}  // namespace flipsat::optimizer
