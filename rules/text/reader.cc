#include "rules/text/reader.h"

#include <algorithm>
#include <set>

#include "egraph/io/input_error.h"
#include "rules/catalogue.h"
#include "rules/text/direction.h"
#include "rules/text/parser.h"

namespace flipsat::rules::text {
namespace {

using egraph::in_quotes;
using Form = Expression::Form;

[[noreturn]] void fail(const hlo::Place& at, const std::string& message) {
  throw hlo::InputError(at, message);
}

Sort sort_of(const Value& literal) {
  if (std::holds_alternative<int64_t>(literal)) return Sort::kInteger;
  if (std::holds_alternative<hlo::ReducerKind>(literal)) return Sort::kReducer;
  return Sort::kType;
}

// Gives every variable and expression its sort, every call its function.
class Resolver {
 public:
  explicit Resolver(TextRule& rule) : rule_(rule) {}

  void run() {
    declare_slots(rule_.left);
    declare_slots(rule_.right);
    for (Expression& condition : rule_.conditions) resolve_condition(condition);
    resolve_slots(rule_.left);
    resolve_slots(rule_.right);
  }

 private:
  // A variable alone in an attribute has the attribute's sort.
  void declare_slots(Term& term) {
    for (size_t i = 0; i < term.attributes.size(); ++i) {
      if (term.attributes[i].form == Form::kVariable) {
        declare(term.attributes[i], term.row->slots[i].sort);
      }
    }
    for (Term& operand : term.operands) declare_slots(operand);
  }

  void declare(Expression& expression, Sort sort) {
    const Variable* known = find_variable(rule_, expression.word);
    if (!known) {
      rule_.variables.push_back({expression.word, sort, expression.at});
      known = &rule_.variables.back();
    }
    if (known->sort != sort) {
      fail(expression.at, in_quotes(expression.word) + " stands for " +
                              std::string(to_string(known->sort)) + ", and " +
                              std::string(to_string(sort)) + " must stand here");
    }
    expression.variable = static_cast<int>(known - rule_.variables.data());
    expression.sort = sort;
  }

  void resolve_slots(Term& term) {
    for (size_t i = 0; i < term.attributes.size(); ++i) {
      resolve(term.attributes[i]);
      const Slot& slot = term.row->slots[i];
      if (term.attributes[i].sort == slot.sort) continue;
      fail(term.attributes[i].at, "the " + std::string(slot.name) + " of " + term.row->name +
                                      " is " + std::string(to_string(slot.sort)) + ", not " +
                                      std::string(to_string(term.attributes[i].sort)));
    }
    for (Term& operand : term.operands) resolve_slots(operand);
  }

  // `v == e` names a new variable, if nothing else has.
  void resolve_condition(Expression& condition) {
    if (condition.form == Form::kCall && condition.word == "==") {
      for (int side : {0, 1}) {
        Expression& named = condition.arguments[side];
        Expression& value = condition.arguments[1 - side];
        if (named.form != Form::kVariable || find_variable(rule_, named.word)) continue;
        resolve(value);
        declare(named, value.sort);
      }
    }
    resolve(condition);
    if (condition.sort != Sort::kTruth) {
      fail(condition.at,
           "a condition must stand here, not " + std::string(to_string(condition.sort)));
    }
  }

  void resolve(Expression& expression) {
    switch (expression.form) {
      case Form::kLiteral:
        expression.sort = sort_of(expression.literal);
        return;
      case Form::kVariable: {
        const Variable* known = find_variable(rule_, expression.word);
        if (!known && expression.variable < 0) fail_unknown(expression);
        if (!known) return;  // a `_`, declared by its slot
        expression.variable = static_cast<int>(known - rule_.variables.data());
        expression.sort = known->sort;
        return;
      }
      case Form::kCall:
        for (Expression& argument : expression.arguments) resolve(argument);
        choose_function(expression);
        return;
    }
  }

  [[noreturn]] static void fail_unknown(const Expression& expression) {
    std::string hint = expression.word.find('-') == std::string::npos
                           ? ""
                           : " (a difference wants blanks around its minus)";
    fail(expression.at, in_quotes(expression.word) + " stands nowhere in the equation" + hint);
  }

  static bool takes(const FunctionRow& row, const std::vector<Expression>& arguments) {
    if (row.is_variadic ? arguments.size() + 1 < row.arguments.size()
                        : arguments.size() != row.arguments.size()) {
      return false;
    }
    Sort any = Sort::kNone;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Sort sort = arguments[i].sort;
      const Sort wanted = row.arguments[std::min(i, row.arguments.size() - 1)];
      if (wanted != Sort::kAny) {
        if (sort != wanted) return false;
        continue;
      }
      if (any == Sort::kNone) any = sort;
      if (sort != any) return false;
    }
    return true;
  }

  static void choose_function(Expression& call) {
    std::string known;
    for (const FunctionRow& row : function_table()) {
      if (row.name != call.word) continue;
      if (takes(row, call.arguments)) {
        call.function = &row;
        call.sort = row.result;
        return;
      }
      std::string signature;
      for (Sort sort : row.arguments) {
        signature += (signature.empty() ? "" : ", ") +
                     (sort == Sort::kAny ? "values of one sort" : std::string(to_string(sort)));
      }
      known += (known.empty() ? "" : "; or ") + signature;
    }
    if (known.empty()) fail(call.at, "there is no function " + in_quotes(call.word));
    std::string given;
    for (const Expression& argument : call.arguments) {
      given += (given.empty() ? "" : ", ") + std::string(to_string(argument.sort));
    }
    fail(call.at, in_quotes(call.word) + " is of " + known + "; here of " +
                      (given.empty() ? "nothing" : given));
  }

  TextRule& rule_;
};

}  // namespace

std::vector<TextRuleRef> read_rules(std::string_view text, const std::string& file) {
  std::set<std::string> names;
  for (const RuleInfo& info : catalogue()) names.insert(info.name);
  std::vector<TextRuleRef> rules;
  Parser parser(text, file);
  while (!parser.at_end()) {
    auto rule = std::make_shared<TextRule>(parser.rule());
    if (!names.insert(rule->name).second) {
      fail(rule->at, "there is a rule " + in_quotes(rule->name) + " already");
    }
    Resolver(*rule).run();
    directions_of(rule);
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace flipsat::rules::text
