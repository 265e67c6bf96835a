#include "rules/text/direction.h"

#include <algorithm>

#include "egraph/io/input_error.h"

namespace flipsat::rules::text {
namespace {

using egraph::in_quotes;
using Form = Expression::Form;

[[noreturn]] void fail(const hlo::Place& at, const std::string& message) {
  throw hlo::InputError(at, message);
}

class Planner {
 public:
  Planner(const TextRuleRef& rule, bool is_forward) : rule_(*rule) {
    result_.rule = rule;
    result_.name = is_forward ? "forward" : "backward";
    result_.from = is_forward ? &rule_.left : &rule_.right;
    result_.to = is_forward ? &rule_.right : &rule_.left;
    reading_ = is_forward ? "from left to right" : "from right to left";
    is_bound_.assign(rule_.variables.size(), false);
    result_.collectives.resize(rule_.variables.size());
  }

  Direction plan() {
    if (result_.from->form != Term::Form::kOperation) {
      fail(result_.from->at, "a variable alone would match everything, read " + reading_ +
                                 " ('=>' has one direction)");
    }
    add_nodes(*result_.from);
    bind_slots();
    agree_slots();
    take_conditions();
    check_right(*result_.to);
    return std::move(result_);
  }

 private:
  void add_nodes(const Term& term) {
    if (term.variable >= 0 && !is_bound_[term.variable]) {
      is_bound_[term.variable] = true;
      const bool is_starts = term.form == Term::Form::kStarts;
      (is_starts ? result_.starts : result_.operands).push_back(term.variable);
      if (result_.starts.size() > kMaxStarts) fail(term.at, "start indices of a third kind");
    }
    if (term.form != Term::Form::kOperation) return;
    if (term.row->is_right_only()) {
      fail(term.at, term.row->name + " cannot be matched, read " + reading_);
    }
    result_.nodes.push_back({&term, "n" + std::to_string(result_.nodes.size())});
    for (const Term& operand : term.operands) add_nodes(operand);
  }

  // First those that say the order of a group's members, then those that do not.
  void bind_slots() {
    for (bool has_order : {true, false}) {
      for (size_t node = 0; node < result_.nodes.size(); ++node) {
        const Term& term = *result_.nodes[node].term;
        if (term.row->has_order() != has_order) continue;
        for (size_t slot = 0; slot < term.attributes.size(); ++slot) {
          const Expression& attribute = term.attributes[slot];
          if (attribute.form != Form::kVariable) continue;
          const int variable = attribute.variable;
          if (attribute.sort == Sort::kGroups || attribute.sort == Sort::kPairs) {
            result_.collectives[variable].push_back(node);
          }
          if (is_bound_[variable]) continue;
          is_bound_[variable] = true;
          binds_.emplace_back(node, slot);
          result_.steps.push_back({Step::Kind::kBind, variable, node, slot, nullptr, {}});
        }
      }
    }
  }

  void agree_slots() {
    for (size_t node = 0; node < result_.nodes.size(); ++node) {
      const Term& term = *result_.nodes[node].term;
      for (size_t slot = 0; slot < term.attributes.size(); ++slot) {
        const Expression& attribute = term.attributes[slot];
        if (attribute.form != Form::kVariable) {
          later_.push_back({Step::Kind::kEqual, -1, node, slot, &attribute,
                            "the " + std::string(term.row->slots[slot].name) + " of " +
                                term.row->name + " is not " + attribute.text});
          continue;
        }
        if (std::find(binds_.begin(), binds_.end(), std::pair(node, slot)) != binds_.end()) {
          continue;
        }
        result_.steps.push_back({Step::Kind::kAgree, attribute.variable, node, slot, nullptr,
                                 "'" + attribute.word + "' is not the same everywhere"});
      }
    }
  }

  bool is_computable(const Expression& expression) const {
    bool all = true;
    each_variable(expression, [&](int variable) { all &= is_bound_[variable]; });
    return all;
  }

  // `v == e`, with v not bound and e computable.
  const Expression* definition(const Expression& condition, int& variable) const {
    if (condition.word != "==" || condition.form != Form::kCall) return nullptr;
    for (int side : {0, 1}) {
      const Expression& named = condition.arguments[side];
      if (named.form != Form::kVariable || is_bound_[named.variable]) continue;
      if (!is_computable(condition.arguments[1 - side])) continue;
      variable = named.variable;
      return &condition.arguments[1 - side];
    }
    return nullptr;
  }

  void take_conditions() {
    for (const Expression& condition : rule_.conditions) {
      later_.push_back({Step::Kind::kAsk, -1, 0, 0, &condition, "not shown: " + condition.text});
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto step = later_.begin(); step != later_.end();) {
        if (!take(*step)) {
          ++step;
          continue;
        }
        step = later_.erase(step);
        changed = true;
      }
    }
    for (const Step& step : later_) {
      each_variable(*step.expression, [&](int variable) { require_bound(variable, nullptr); });
    }
  }

  bool take(const Step& step) {
    if (is_computable(*step.expression)) {
      result_.steps.push_back(step);
      return true;
    }
    if (step.kind != Step::Kind::kAsk) return false;
    int variable = -1;
    const Expression* value = definition(*step.expression, variable);
    if (!value) return false;
    is_bound_[variable] = true;
    std::vector<size_t>& collectives = result_.collectives[variable];
    each_variable(*value, [&](int used) {
      const std::vector<size_t>& more = result_.collectives[used];
      collectives.insert(collectives.end(), more.begin(), more.end());
    });
    result_.steps.push_back(
        {Step::Kind::kDefine, variable, 0, 0, value, "no value: " + step.expression->text});
    return true;
  }

  void require_bound(int variable, const hlo::Place* at) const {
    if (is_bound_[variable]) return;
    const Variable& unbound = rule_.variables[variable];
    fail(at ? *at : unbound.at,
         in_quotes(unbound.name) + " is not bound when the rule is read " + reading_);
  }

  void check_right(const Term& term) const {
    if (term.form != Term::Form::kOperation) return require_bound(term.variable, &term.at);
    for (const Expression& attribute : term.attributes) {
      each_variable(attribute, [&](int variable) { require_bound(variable, &attribute.at); });
    }
    if (term.attributes.empty() && needs_function(*term.row->opcode)) {
      for (const MatchedNode& node : result_.nodes) {
        if (node.term->row == term.row) return check_operands(term);
      }
      fail(term.at, "which " + term.row->name + " must be said: " + term.row->name + "[f]");
    }
    check_operands(term);
  }

  void check_operands(const Term& term) const {
    for (const Term& operand : term.operands) check_right(operand);
  }

  static constexpr size_t kMaxStarts = 2;

  const TextRule& rule_;
  Direction result_;
  std::string reading_;
  std::vector<bool> is_bound_;                    // by variable
  std::vector<std::pair<size_t, size_t>> binds_;  // node, slot
  std::vector<Step> later_;                       // what waits for variables
};

}  // namespace

std::vector<Direction> directions_of(const TextRuleRef& rule) {
  std::vector<Direction> directions;
  directions.push_back(Planner(rule, true).plan());
  if (rule->relation == Relation::kEqual) directions.push_back(Planner(rule, false).plan());
  return directions;
}

void each_variable(const Expression& expression, const std::function<void(int)>& visit) {
  if (expression.form == Form::kVariable) visit(expression.variable);
  for (const Expression& argument : expression.arguments) each_variable(argument, visit);
}

Value evaluate(const Expression& expression, const Known& known, std::span<const Value> variables) {
  if (expression.form == Form::kLiteral) return expression.literal;
  if (expression.form == Form::kVariable) return variables[expression.variable];
  Values arguments;
  for (const Expression& argument : expression.arguments) {
    arguments.push_back(evaluate(argument, known, variables));
    if (!is_known(arguments.back())) return {};
  }
  return expression.function->evaluate(known, arguments);
}

}  // namespace flipsat::rules::text
