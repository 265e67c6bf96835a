#include "optimizer/harness/text_programs.h"

#include <algorithm>

#include "optimizer/harness/text_makers.h"
#include "rules/text/family.h"
#include "rules/text/reader.h"

namespace flipsat::optimizer {

using hlo::Dims;
using hlo::ElementType;
using hlo::Opcode;
using hlo::Shape;

namespace {

namespace text = rules::text;
using text::Groups;
using text::List;
using text::OperatorRow;
using text::Term;
using text::Values;

constexpr int64_t kMaxElements = 512;  // of any value
constexpr int64_t kSample = 2000;

Dims dims_of(const text::Value& list) {
  return {std::get<List>(list).begin(), std::get<List>(list).end()};
}

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
class Drawing : private Drawer {
 public:
  Drawing(const text::Direction& direction, const NamedInRule& named, Choices& choices)
      : Drawer(named, choices),
        direction_(direction),
        known_(program()),
        dims_(any_dims(choices)),
        type_(any_type()),
        variables_(direction.rule->variables.size()) {}

  std::optional<hlo::Module> draw() {
    if (!has_collective(*direction_.from)) {
      // Where there is none, no rule looks.
      program().all_gather(program().parameter(ElementType::kPred, {1}), 0, first_grouping());
    }
    std::optional<Value> root = make(*direction_.from, {});
    if (!root) return std::nullopt;
    return program().finish(*root);
  }

 private:
  struct Wanted {
    std::optional<Dims> dims;
    std::optional<ElementType> type;
  };

  Shape shape(Value x) const { return known_.shape({x}); }

  Value leaf(const Wanted& wanted) {
    Dims dims = wanted.dims && choices().below(16) != 15 ? *wanted.dims : dims_;
    ElementType type = type_;
    if (choices().below(8) == 7) type = any_type();
    if (wanted.type && choices().below(16) != 15) type = *wanted.type;
    if (!wanted.dims) {
      const int64_t how = choices().below(8);
      if (how == 6) dims = any_sizes(dims);
      if (how == 7) dims = any_dims(choices());
    }
    return any_value(program(), choices(), type, dims);
  }

  std::optional<Value> make(const Term& term, const Wanted& wanted);
  std::optional<std::vector<Value>> make_operands(const Term& term);
  bool settle_attributes(const Term& term, Values& attributes);
  void make_starts(const Term& term, const Values& attributes, std::vector<Value>& operands);

  const text::Direction& direction_;
  KnownOfProgram known_;
  Dims dims_;  // of most parameters
  ElementType type_;
  Values variables_;
};

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
  Value made = maker.build(program(), attributes, groupings, *operands);
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
      if (is_scalar(*term.row, i) || (is_predicate && choices().flag())) here.dims = Dims();
      if (term.row->opcode == Opcode::kDynamicUpdateSlice && i == 1 && here.dims) {
        here.dims = any_sizes(*here.dims);
      }
      std::optional<Value> made = make(operand, here);
      if (!made) return std::nullopt;
      operands[i] = *made;
      if (operands.size() == 1) continue;
      wanted.dims = program().dims(*made);
      if (!is_predicate) wanted.type = program().type(*made);
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
    const Dims whole = program().dims(operands[0]);
    const Dims sizes = attributes.empty() ? program().dims(operands[1]) : dims_of(attributes[0]);
    std::vector<text::Operand> starts;
    for (size_t i = 0; i < whole.size() && i < sizes.size(); ++i) {
      const Grouping& groups = some_grouping();
      starts.push_back({any_start(program(), choices(), groups, whole[i], sizes[i])});
    }
    bound = std::move(starts);
  }
  for (text::Operand start : std::get<std::vector<text::Operand>>(bound)) {
    operands.push_back(start.id);
  }
}

}  // namespace

Space programs_of(const text::Direction& direction) {
  NamedInRule named;
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
