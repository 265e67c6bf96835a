#include "rules/text/matched.h"

#include "rules/text/elementwise.h"

namespace flipsat::rules::text {
namespace {

class KnownOfGraph : public Known {
 public:
  explicit KnownOfGraph(const HloGraph& hlo) : hlo_(hlo) {}
  int64_t devices() const override { return hlo_.counts().devices(); }
  hlo::Shape shape(Operand operand) const override { return hlo_.shape(operand.id); }
  bool uniform(Operand operand, const hlo::DeviceGroups& groups) const override {
    return hlo_.uniform(operand.id, groups);
  }
  const List* values(Operand operand) const override { return hlo_.values(operand.id); }

 private:
  const HloGraph& hlo_;
};

// Two attributes of matched operations, or one and what it must be. An all-reduce has its members
// sorted, whatever their order elsewhere.
bool agrees(const OperatorRow& row, const Value& attribute, const Value& wanted) {
  const Groups* groups = std::get_if<Groups>(&wanted);
  if (!groups || row.has_order()) return attribute == wanted;
  return attribute == Value(groups->with_members(groups->members->without_order()));
}

// A collective over the groups or pairs of a matched one; nullopt where no mode can say them.
std::optional<language::CollectiveIndex> collective_of(language::CollectiveTable& table,
                                                       const OperatorRow& row,
                                                       const Values& attributes,
                                                       hlo::ElementType type) {
  std::optional<hlo::Reducer> reducer;
  std::optional<language::CollectiveIndex> index;
  for (const Value& value : attributes) {
    if (auto* kind = std::get_if<hlo::ReducerKind>(&value)) reducer = {*kind, type};
    if (auto* pairs = std::get_if<Pairs>(&value))
      index = table.as_permute(pairs->like, pairs->pairs);
    auto* groups = std::get_if<Groups>(&value);
    if (!groups) continue;
    const hlo::DeviceGroups members =
        row.has_order() ? *groups->members : groups->members->without_order();
    const bool is_exchange = row.kind == Kind::kAllToAll;
    if (table[groups->like].is_exchange == is_exchange) {
      index = table.with_groups(groups->like, members);
    } else if (is_exchange) {
      index = table.as_all_to_all(groups->like, members);
    } else {
      index = table.as_gather(groups->like, members);
    }
  }
  return index ? table.with_reducer(*index, reducer) : index;
}

}  // namespace

Matched::Matched(const HloGraph& hlo, const Direction& direction, const PatternNames& names,
                 const Match& match)
    : hlo_(hlo),
      direction_(direction),
      match_(match),
      known_(std::make_unique<KnownOfGraph>(hlo)),
      variables_(direction.rule->variables.size()) {
  for (int variable : direction.operands) {
    variables_[variable] = Operand{match[ClassVar{names.operands[variable]}]};
  }
  for (const StartNames& starts : names.starts) {
    std::vector<Operand> operands;
    for (const std::string& name : starts.names) operands.push_back({match[ClassVar{name}]});
    variables_[starts.variable] = std::move(operands);
  }
}

const char* Matched::bind() {
  for (const Step& step : direction_.steps) {
    if (const char* reason = take(step)) return reason;
  }
  return nullptr;
}

const char* Matched::take(const Step& step) {
  const char* reason = step.reason.c_str();
  if (step.kind == Step::Kind::kDefine || step.kind == Step::Kind::kAsk) {
    Value value = evaluate(*step.expression, *known_, variables_);
    if (!is_known(value)) return reason;
    if (step.kind == Step::Kind::kAsk) return std::get<bool>(value) ? nullptr : reason;
    variables_[step.variable] = std::move(value);
    return nullptr;
  }
  const Term& term = *direction_.nodes[step.node].term;
  Value attribute = read_slot(hlo_, node(step.node), term.row->slots[step.slot]);
  if (!is_known(attribute)) return "an attribute is of no kind that text rules know";
  switch (step.kind) {
    case Step::Kind::kBind:
      variables_[step.variable] = std::move(attribute);
      return nullptr;
    case Step::Kind::kAgree:
      return agrees(*term.row, attribute, variables_[step.variable]) ? nullptr : reason;
    default: {
      Value wanted = evaluate(*step.expression, *known_, variables_);
      return is_known(wanted) && agrees(*term.row, attribute, wanted) ? nullptr : reason;
    }
  }
}

std::optional<Values> Matched::attributes_of(const Term& term) const {
  Values values;
  for (const Expression& attribute : term.attributes) {
    values.push_back(evaluate(attribute, *known_, variables_));
  }
  if (term.row->is_named_elementwise()) {
    if (values.empty()) values.push_back(function_like(term));
    const Function* f = std::get_if<Function>(&values[0]);
    if (!f || f->opcode != *term.row->opcode) return std::nullopt;
  }
  for (const Value& value : values) {
    if (!is_known(value)) return std::nullopt;
  }
  return values;
}

// What an operation without a written function is: as on the matched side, if it stands there
// (several must then be alike), else with no attributes.
Value Matched::function_like(const Term& term) const {
  Value found;
  for (size_t i = 0; i < direction_.nodes.size(); ++i) {
    if (direction_.nodes[i].term->row != term.row) continue;
    Value here = read_slot(hlo_, node(i), term.row->slots[0]);
    if (is_known(found) && !(found == here)) return {};
    if (!is_known(found)) found = std::move(here);
  }
  if (!is_known(found)) found = Function{*term.row->opcode, {}, {}, {}};
  return found;
}

std::optional<hlo::Shape> Matched::shape(const Term& term) const {
  if (term.form == Term::Form::kOperand) {
    return hlo_.shape(std::get<Operand>(variables_[term.variable]).id);
  }
  std::optional<Values> attributes = attributes_of(term);
  if (!attributes) return std::nullopt;
  std::vector<hlo::Shape> operands;
  for (const Term& operand : term.operands) {
    if (operand.form == Term::Form::kStarts) {
      for (Operand start : std::get<std::vector<Operand>>(variables_[operand.variable])) {
        operands.push_back(hlo_.shape(start.id));
      }
      continue;
    }
    std::optional<hlo::Shape> of_operand = shape(operand);
    if (!of_operand) return std::nullopt;
    operands.push_back(std::move(*of_operand));
  }
  return term.row->shape(*attributes, operands);
}

std::optional<ClassId> Matched::add(HloGraph& hlo, const Term& term) const {
  if (term.form == Term::Form::kOperand) {
    return hlo.graph().find(std::get<Operand>(variables_[term.variable]).id);
  }
  std::vector<ClassId> operands;
  for (const Term& operand : term.operands) {
    if (operand.form == Term::Form::kStarts) {
      for (Operand start : std::get<std::vector<Operand>>(variables_[operand.variable])) {
        operands.push_back(start.id);
      }
      continue;
    }
    std::optional<ClassId> added = add(hlo, operand);
    if (!added) return std::nullopt;
    operands.push_back(*added);
  }
  std::optional<Values> attributes = attributes_of(term);
  if (!attributes) return std::nullopt;
  return add_operation(hlo, term, *attributes, operands);
}

std::optional<ClassId> Matched::add_operation(HloGraph& hlo, const Term& term,
                                              const Values& attributes,
                                              const std::vector<ClassId>& operands) const {
  const OperatorRow& row = *term.row;
  if (row.is_right_only()) {
    return hlo.own_shard(operands[0], static_cast<int>(std::get<int64_t>(attributes[0])),
                         *std::get<Groups>(attributes[1]).members);
  }
  std::vector<hlo::Shape> shapes;
  for (ClassId operand : operands) shapes.push_back(hlo.shape(operand));
  std::optional<hlo::Shape> shape = row.shape(attributes, shapes);
  if (!shape) return std::nullopt;
  Operator op;
  op.kind = row.kind;
  op.opcode = row.opcode.value_or(hlo::Opcode::kAdd);
  op.region = hlo.facts_of(match_.root()).region;
  op.shape = std::move(*shape);
  write_attributes(row, attributes, op);
  if (row.is_collective()) {
    std::optional<language::CollectiveIndex> index =
        collective_of(hlo.collectives(), row, attributes, op.shape.type);
    if (!index) return std::nullopt;
    op.collective = *index;
    return hlo.add_collective(std::move(op), operands[0], sources_of(term));
  }
  const NodeId model = model_of(term, op.opcode);
  if (model == egraph::kNoId) return hlo.add(std::move(op), operands);
  if (!row.is_elementwise()) op.steering = hlo.op(model).steering;
  return hlo.add_like(model, std::move(op), operands);
}

// The matched collectives that the new one stands for: those of its own kind, if any, of which its
// groups are made.
std::vector<NodeId> Matched::sources_of(const Term& term) const {
  std::vector<NodeId> all, alike;
  for (size_t i = 0; i < term.attributes.size(); ++i) {
    const Sort sort = term.row->slots[i].sort;
    if (sort != Sort::kGroups && sort != Sort::kPairs) continue;
    each_variable(term.attributes[i], [&](int variable) {
      for (size_t index : direction_.collectives[variable]) {
        all.push_back(node(index));
        if (direction_.nodes[index].term->row == term.row) alike.push_back(node(index));
      }
    });
  }
  return alike.empty() ? all : alike;
}

// The matched operation that a new one takes its metadata and steering from.
NodeId Matched::model_of(const Term& term, hlo::Opcode opcode) const {
  for (size_t i = 0; i < direction_.nodes.size(); ++i) {
    if (direction_.nodes[i].term->row->kind != term.row->kind) continue;
    if (hlo_.op(node(i)).opcode == opcode) return node(i);
  }
  return egraph::kNoId;
}

}  // namespace flipsat::rules::text
