#include "optimizer/harness/text_programs.h"

#include <algorithm>
#include <map>

#include "optimizer/harness/drawn_program.h"
#include "rules/text/elementwise.h"
#include "rules/text/family.h"
#include "rules/text/reader.h"

namespace flipsat::optimizer {

using hlo::Dims;
using hlo::ElementType;
using hlo::Opcode;
using hlo::ReducerKind;
using hlo::Shape;

namespace {

namespace text = rules::text;
using text::Function;
using text::Groups;
using text::List;
using text::OperatorRow;
using text::Term;
using text::Values;

constexpr int64_t kMaxElements = 512;  // of any value
constexpr int64_t kSample = 2000;

const std::vector<ElementType> kTypes = {ElementType::kF32,  ElementType::kS32, ElementType::kBF16,
                                         ElementType::kPred, ElementType::kS8,  ElementType::kU32,
                                         ElementType::kF16,  ElementType::kU16};
const std::vector<Opcode> kUnary = {Opcode::kNegate, Opcode::kNot, Opcode::kAbs, Opcode::kSign,
                                    Opcode::kSqrt};
const std::vector<Opcode> kBinary = {Opcode::kAdd,     Opcode::kMultiply, Opcode::kSubtract,
                                     Opcode::kMaximum, Opcode::kAnd,      Opcode::kCompare};
const std::vector<Opcode> kTernary = {Opcode::kSelect, Opcode::kClamp};
const std::vector<std::string> kDirections = {"LT", "EQ", "GE", "NE"};

// Reducers and element types that a rule names: programs have those more often.
struct Named {
  std::vector<ReducerKind> reducers;
  std::vector<ElementType> types;

  void add(const text::Expression& expression) {
    if (auto* kind = std::get_if<ReducerKind>(&expression.literal)) reducers.push_back(*kind);
    if (auto* type = std::get_if<text::Type>(&expression.literal)) types.push_back(type->element);
    for (const text::Expression& argument : expression.arguments) add(argument);
  }
  void add(const Term& term) {
    for (const text::Expression& attribute : term.attributes) add(attribute);
    for (const Term& operand : term.operands) add(operand);
  }
};

bool has_collective(const Term& term) {
  if (term.form != Term::Form::kOperation) return false;
  return term.row->is_collective() ||
         std::any_of(term.operands.begin(), term.operands.end(), has_collective);
}

class KnownOfProgram : public text::Known {
 public:
  explicit KnownOfProgram(const Program& program) : program_(program) {}
  int64_t devices() const override { return program_.devices(); }
  Shape shape(text::Operand operand) const override {
    return Shape::array(program_.type(operand.id), program_.dims(operand.id));
  }
  bool uniform(text::Operand, const hlo::DeviceGroups&) const override { return false; }
  const List* values(text::Operand) const override { return nullptr; }

 private:
  const Program& program_;
};

// One case: the term as the result of a program.
class Drawing {
 public:
  Drawing(const text::Direction& direction, const Named& named, Choices& choices)
      : direction_(direction),
        named_(named),
        choices_(choices),
        groupings_{any_grouping(choices)},
        program_(groupings_[0]),
        known_(program_),
        dims_(any_dims(choices)),
        type_(any_type()),
        variables_(direction.rule->variables.size()) {}

  std::optional<hlo::Module> draw() {
    if (!has_collective(*direction_.from)) {
      // Where there is none, no rule looks.
      program_.all_gather(program_.parameter(ElementType::kPred, {1}), 0, groupings_[0]);
    }
    std::optional<Value> root = make(*direction_.from, {});
    if (!root) return std::nullopt;
    return program_.finish(*root);
  }

  // ---- for operations ----
  Choices& choices() { return choices_; }
  Program& program() { return program_; }
  ElementType any_type() {
    if (!named_.types.empty() && choices_.flag()) return choices_.of(named_.types);
    return choices_.of(kTypes);
  }
  ReducerKind any_reducer(const Shape& x) {
    if (!named_.reducers.empty() && choices_.below(4) != 0) return choices_.of(named_.reducers);
    static const std::vector<ReducerKind> kLogical = {ReducerKind::kAnd, ReducerKind::kOr};
    static const std::vector<ReducerKind> kOthers = {ReducerKind::kAdd, ReducerKind::kMaximum,
                                                     ReducerKind::kMinimum, ReducerKind::kMultiply};
    return choices_.of(x.type == ElementType::kPred ? kLogical : kOthers);
  }
  Groups any_groups() {
    if (!groups_drawn_) {
      groups_drawn_ = true;
      return groups_at(0);
    }
    groupings_.push_back(some_grouping_like(choices_, groupings_[0]));
    return groups_at(groupings_.size() - 1);
  }
  std::optional<Grouping> grouping_of(const text::Value& groups) const {
    const Groups& wanted = std::get<Groups>(groups);
    const Grouping& drawn = groupings_[wanted.like];
    if (*wanted.members == drawn.groups) return drawn;
    return regrouped(drawn, wanted.members->groups);
  }
  // Each device sends to at most one other, by the ids that a permute without or with a channel
  // has.
  text::Pairs any_pairs() {
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
  int64_t any_dim(const Shape& x) { return choices_.below(std::max<int64_t>(x.rank(), 1)); }
  List any_sizes(const Shape& x) {
    List sizes;
    for (int64_t dim : x.dims) sizes.push_back(any_size(choices_, groupings_.back(), dim));
    return sizes;
  }

 private:
  struct Wanted {
    std::optional<Dims> dims;
    std::optional<ElementType> type;
  };

  Groups groups_at(size_t index) const {
    const Grouping& drawn = groupings_[index];
    return {static_cast<language::CollectiveIndex>(index),
            std::make_shared<const hlo::DeviceGroups>(drawn.groups),
            drawn.mode != hlo::GroupMode::kCrossReplica,
            {}};
  }

  Shape shape(Value x) const { return known_.shape({x}); }

  Dims smaller(Dims dims) {
    for (int64_t& dim : dims) dim = any_size(choices_, groupings_.back(), dim);
    return dims;
  }

  Value leaf(const Wanted& wanted) {
    Dims dims = wanted.dims && choices_.below(16) != 15 ? *wanted.dims : dims_;
    ElementType type = type_;
    if (choices_.below(8) == 7) type = any_type();
    if (wanted.type && choices_.below(16) != 15) type = *wanted.type;
    if (!wanted.dims) {
      const int64_t how = choices_.below(8);
      if (how == 6) dims = smaller(dims);
      if (how == 7) dims = any_dims(choices_);
    }
    return any_value(program_, choices_, type, dims);
  }

  std::optional<Value> make(const Term& term, const Wanted& wanted);
  std::optional<std::vector<Value>> make_operands(const Term& term);
  bool settle_attributes(const Term& term, Values& attributes);
  void make_starts(const Term& term, const Values& attributes, std::vector<Value>& operands);

  const text::Direction& direction_;
  const Named& named_;
  Choices& choices_;
  std::vector<Grouping> groupings_;
  Program program_;
  KnownOfProgram known_;
  Dims dims_;  // of most parameters
  ElementType type_;
  Values variables_;
  bool groups_drawn_ = false;
};

using Operands = const std::vector<Value>&;

// How programs get an operation: attributes drawn for operands of these shapes (none where there
// are none that fit), and the operation.
struct Maker {
  Values (*draw)(Drawing& d, const OperatorRow& row, const std::vector<Shape>& x);
  Value (*build)(Program& p, const Values& a, const std::vector<Grouping>& groups, Operands x);
};

int64_t integer(const text::Value& value) { return std::get<int64_t>(value); }
const List& list(const text::Value& value) { return std::get<List>(value); }
Dims dims(const text::Value& value) { return {list(value).begin(), list(value).end()}; }
ReducerKind reducer(const text::Value& value) { return std::get<ReducerKind>(value); }

Values draw_broadcast(Drawing& d, const OperatorRow&, const std::vector<Shape>& x) {
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

Values draw_slice(Drawing& d, const OperatorRow&, const std::vector<Shape>& x) {
  List start, limit, stride;
  for (int64_t size : x[0].dims) {
    const bool is_whole = d.choices().flag();
    start.push_back(is_whole ? 0 : d.choices().between(0, size));
    limit.push_back(is_whole ? size : d.choices().between(start.back(), size));
    stride.push_back(is_whole ? 1 : d.choices().between(1, 2));
  }
  return {start, limit, stride};
}

Values draw_elementwise(Drawing& d, const OperatorRow& row, const std::vector<Shape>& x) {
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

Values draw_pad(Drawing& d, const OperatorRow&, const std::vector<Shape>& x) {
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
List some_dims(Drawing& d, const Shape& x) {
  List dims;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (d.choices().flag()) dims.push_back(i);
  }
  return dims;
}

// Pairs of dims of equal size, none, contracted or batched.
Values draw_dot(Drawing& d, const OperatorRow&, const std::vector<Shape>& x) {
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
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values {
          return {d.any_dim(x[0]), d.any_groups()};
        },
        [](Program& p, const Values& a, Over g, Operands x) {
          return p.all_gather(x[0], integer(a[0]), g[0]);
        }}},
      {"all-reduce",
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values {
          return {d.any_reducer(x[0]), d.any_groups()};
        },
        [](Program& p, const Values& a, Over g, Operands x) {
          return p.all_reduce(x[0], reducer(a[0]), g[0]);
        }}},
      {"reduce-scatter",
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values {
          return {d.any_dim(x[0]), d.any_reducer(x[0]), d.any_groups()};
        },
        [](Program& p, const Values& a, Over g, Operands x) {
          return p.reduce_scatter(x[0], integer(a[0]), reducer(a[1]), g[0]);
        }}},
      {"convert",
       {[](Drawing& d, const OperatorRow&, Shapes) -> Values { return {text::Type{d.any_type()}}; },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.convert(x[0], std::get<text::Type>(a[0]).element);
        }}},
      {"reshape",
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values {
          Dims to = any_dims_of(d.choices(), x[0].element_count(), 3);
          return {List(to.begin(), to.end())};
        },
        [](Program& p, const Values& a, Over, Operands x) { return p.reshape(x[0], dims(a[0])); }}},
      {"transpose",
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values {
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
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values {
          // Its ids are of replicas or of partitions: programs with one alone.
          if (d.program().replicas() > 1 && d.program().partitions() > 1) return {};
          return {d.any_dim(x[0]), d.any_groups()};
        },
        [](Program& p, const Values& a, Over g, Operands x) {
          return p.all_to_all(x[0], integer(a[0]), g[0]);
        }}},
      {"collective-permute",
       {[](Drawing& d, const OperatorRow&, Shapes) -> Values { return {d.any_pairs()}; },
        build_permute}},
      {"reverse",
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values { return {some_dims(d, x[0])}; },
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
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values { return {d.any_dim(x[0])}; },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.concatenate({x[0], x[1]}, integer(a[0]));
        }}},
      {"reduce",
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values {
          return {some_dims(d, x[0]), d.any_reducer(x[0])};
        },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.reduce(x[0], x[1], list(a[0]), reducer(a[1]));
        }}},
      {"dot", {draw_dot, build_dot}},
      {"dynamic-update-slice",
       {[](Drawing&, const OperatorRow&, Shapes) -> Values { return {}; },
        [](Program& p, const Values&, Over, Operands x) {
          return p.dynamic_update_slice(x[0], x[1], {x.begin() + 2, x.end()});
        }}},
      {"dynamic-slice",
       {[](Drawing& d, const OperatorRow&, Shapes x) -> Values { return {d.any_sizes(x[0])}; },
        [](Program& p, const Values& a, Over, Operands x) {
          return p.dynamic_slice(x[0], {x.begin() + 1, x.end()}, dims(a[0]));
        }}},
      {"constant",
       {[](Drawing& d, const OperatorRow&, Shapes) -> Values {
          return {d.choices().between(0, 3), text::Type{d.any_type()}};
        },
        [](Program& p, const Values& a, Over, Operands) {
          return p.number(static_cast<double>(integer(a[0])), std::get<text::Type>(a[1]).element);
        }}},
  };
  return kMakers;
}

const Maker& maker_of(const OperatorRow& row) {
  if (row.is_elementwise()) return kElementwise;
  return makers().at(row.name);
}

std::optional<Value> Drawing::make(const Term& term, const Wanted& wanted) {
  if (term.form == Term::Form::kOperand) {
    text::Value& bound = variables_[term.variable];
    if (!text::is_known(bound)) bound = text::Operand{leaf(wanted)};
    return std::get<text::Operand>(bound).id;
  }
  std::optional<std::vector<Value>> operands = make_operands(term);
  if (!operands) return std::nullopt;
  std::vector<Shape> shapes;
  for (Value operand : *operands) shapes.push_back(shape(operand));
  const Maker& maker = maker_of(*term.row);
  Values attributes = maker.draw(*this, *term.row, shapes);
  if (attributes.size() != term.row->slots.size()) return std::nullopt;
  if (!settle_attributes(term, attributes)) return std::nullopt;
  if (term.row->has_starts) {
    make_starts(term, attributes, *operands);
    shapes.clear();
    for (Value operand : *operands) shapes.push_back(shape(operand));
  }
  std::optional<Shape> result = term.row->shape(attributes, shapes);
  if (!result || result->element_count() > kMaxElements) return std::nullopt;
  std::vector<Grouping> groupings;
  for (const text::Value& value : attributes) {
    if (!std::holds_alternative<Groups>(value)) continue;
    std::optional<Grouping> groups = grouping_of(value);
    if (!groups) return std::nullopt;
    groupings.push_back(std::move(*groups));
  }
  Value made = maker.build(program_, attributes, groupings, *operands);
  if (term.variable >= 0) variables_[term.variable] = text::Operand{made};
  return made;
}

// What pad and reduce fill with or begin with.
bool is_scalar(const OperatorRow& row, size_t operand) {
  return operand == 1 && (row.opcode == Opcode::kPad || row.opcode == Opcode::kReduce);
}

// Without start indices. Operations first: parameters beside them are made to fit.
std::optional<std::vector<Value>> Drawing::make_operands(const Term& term) {
  std::vector<Value> operands(static_cast<size_t>(term.row->operands));
  Wanted wanted;
  for (bool is_operation : {true, false}) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const Term& operand = term.operands[i];
      if ((operand.form == Term::Form::kOperation) != is_operation) continue;
      const bool is_predicate = term.row->opcode == Opcode::kSelect && i == 0;
      Wanted here = wanted;
      if (is_predicate) here.type = ElementType::kPred;
      if (is_scalar(*term.row, i) || (is_predicate && choices_.flag())) here.dims = Dims();
      if (term.row->opcode == Opcode::kDynamicUpdateSlice && i == 1 && here.dims) {
        here.dims = smaller(*here.dims);
      }
      std::optional<Value> made = make(operand, here);
      if (!made) return std::nullopt;
      operands[i] = *made;
      if (operands.size() == 1) continue;
      wanted.dims = program_.dims(*made);
      if (!is_predicate) wanted.type = program_.type(*made);
    }
  }
  return operands;
}

// What is drawn binds a variable that is not bound yet; all else is what the term says.
bool Drawing::settle_attributes(const Term& term, Values& attributes) {
  for (size_t i = 0; i < term.attributes.size(); ++i) {
    const text::Expression& attribute = term.attributes[i];
    const bool is_variable = attribute.form == text::Expression::Form::kVariable;
    if (is_variable && !text::is_known(variables_[attribute.variable])) {
      variables_[attribute.variable] = attributes[i];
      continue;
    }
    attributes[i] = text::evaluate(attribute, known_, variables_);
    if (!text::is_known(attributes[i])) return false;
  }
  return true;
}

void Drawing::make_starts(const Term& term, const Values& attributes,
                          std::vector<Value>& operands) {
  text::Value& bound = variables_[term.operands.back().variable];
  if (!text::is_known(bound)) {
    const Dims whole = program_.dims(operands[0]);
    const Dims sizes = attributes.empty() ? program_.dims(operands[1]) : dims(attributes[0]);
    std::vector<text::Operand> starts;
    for (size_t i = 0; i < whole.size() && i < sizes.size(); ++i) {
      const Grouping& groups = choices_.of(groupings_);
      starts.push_back({any_start(program_, choices_, groups, whole[i], sizes[i])});
    }
    bound = std::move(starts);
  }
  for (text::Operand start : std::get<std::vector<text::Operand>>(bound)) {
    operands.push_back(start.id);
  }
}

}  // namespace

Space programs_of(const text::Direction& direction) {
  Named named;
  named.add(direction.rule->left);
  named.add(direction.rule->right);
  for (const text::Expression& condition : direction.rule->conditions) named.add(condition);
  Space space;
  space.rule = direction.rule->name;
  space.direction = direction.name;
  space.numerics = direction.rule->numerics;
  space.sample = kSample;
  space.make = [direction, named](Choices& choices) -> std::optional<Case> {
    std::optional<hlo::Module> module = Drawing(direction, named, choices).draw();
    if (!module) return std::nullopt;
    Case made;
    made.module = std::move(*module);
    return made;
  };
  return space;
}

Space programs_of(const std::string& side) {
  const text::TextRuleRef rule = text::read_rules("rule any " + side + " as y => y", side).at(0);
  return programs_of(text::directions_of(rule).at(0));
}

Rewriter text_rewriter(const text::Direction& direction) {
  egraph::Limits limits;
  limits.iterations = 3;  // one application, and what a rule makes of its own results
  limits.nodes = 2000;
  return rule_rewriter(text::family_of(direction.rule), direction.name, direction.rule->numerics,
                       limits);
}

}  // namespace flipsat::optimizer
