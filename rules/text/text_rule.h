// A rule written as text, read and resolved: terms over operators, expressions over variables.
//
//   rule gather-slice
//     dynamic-slice[s](all-gather[d, G](x), i...) = all-gather[d, G](dynamic-slice[t](x, i...))
//     where t == set(s, d, dims(x)[d]), s == set(t, d, dims(x)[d] * size(G)),
//           uniform(i, G, dims(x), t)
//
// docs/writing-a-rule.md describes the language.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/input_error.h"
#include "hlo/numerics.h"
#include "rules/text/functions.h"
#include "rules/text/operators.h"

namespace flipsat::rules::text {

struct Expression {
  enum class Form : uint8_t { kLiteral, kVariable, kCall };
  Form form = Form::kLiteral;
  Sort sort = Sort::kNone;
  hlo::Place at;
  Value literal;
  int variable = -1;
  std::string word;  // of a variable or function
  const FunctionRow* function = nullptr;
  std::vector<Expression> arguments;
  std::string text;  // as written, of attributes and conditions
};

struct Term {
  enum class Form : uint8_t { kOperand, kStarts, kOperation };
  Form form = Form::kOperand;
  hlo::Place at;
  int variable = -1;  // the operand or the starts; of an operation: its name, if `as` gives one
  const OperatorRow* row = nullptr;
  std::vector<Expression> attributes;  // by the row's slots
  std::vector<Term> operands;
  std::string text;  // an operation as written
};

struct Variable {
  std::string name;
  Sort sort = Sort::kNone;
  hlo::Place at;
};

enum class Relation : uint8_t { kEqual, kOneWay, kRefined };

struct TextRule {
  std::string name;
  hlo::Place at;
  hlo::Numerics numerics = hlo::Numerics::kExact;
  bool order_open = false;
  Relation relation = Relation::kEqual;
  Term left, right;
  std::vector<Expression> conditions;
  std::vector<Variable> variables;
  std::string equation, condition;  // as written, on one line each
};

using TextRuleRef = std::shared_ptr<const TextRule>;

}  // namespace flipsat::rules::text
