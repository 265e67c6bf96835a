// One direction of a text rule, made ready to run: which attributes of the matched operations bind
// which variables, and in which order conditions define others or are asked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rules/text/text_rule.h"

namespace flipsat::rules::text {

// An operation of the side that is matched, in pre-order.
struct MatchedNode {
  const Term* term;
  std::string name;  // of the pattern's node
};

// In the order of the list.
struct Step {
  enum class Kind : uint8_t {
    kBind,    // the variable is the attribute
    kAgree,   // the attribute must be the variable's value
    kEqual,   // the attribute must be the expression's value
    kDefine,  // the variable is the expression's value
    kAsk,     // the condition must hold
  };
  Kind kind;
  int variable = -1;
  size_t node = 0, slot = 0;
  const Expression* expression = nullptr;
  std::string reason;  // to refuse
};

struct Direction {
  TextRuleRef rule;  // keeps all that follows alive
  std::string name;  // "forward"
  const Term* from = nullptr;
  const Term* to = nullptr;
  std::vector<MatchedNode> nodes;
  std::vector<Step> steps;
  // By variable: the matched collectives whose groups it comes from.
  std::vector<std::vector<size_t>> collectives;
  // Variables of the matched side, each once.
  std::vector<int> operands, starts;
};

// Forward, and backward where the rule is an equality. Throws hlo::InputError where a direction
// needs what it does not bind.
std::vector<Direction> directions_of(const TextRuleRef& rule);

// Nothing where some part has no value.
Value evaluate(const Expression& expression, const Known& known, std::span<const Value> variables);

// Every variable of an expression.
void each_variable(const Expression& expression, const std::function<void(int)>& visit);

}  // namespace flipsat::rules::text
