#include "rules/text/parser.h"

#include <algorithm>
#include <charconv>

#include "egraph/io/input_error.h"

namespace flipsat::rules::text {
namespace {

using egraph::in_quotes;

constexpr int kMaxDepth = 32;
constexpr int kMaxOperations = 24;  // of a side
constexpr size_t kMaxConditions = 64;

constexpr std::string_view kReserved[] = {"rule", "class", "order-open", "where", "as", "in"};

constexpr std::pair<std::string_view, hlo::ReducerKind> kReducers[] = {
    {"add", hlo::ReducerKind::kAdd},         {"multiply", hlo::ReducerKind::kMultiply},
    {"minimum", hlo::ReducerKind::kMinimum}, {"maximum", hlo::ReducerKind::kMaximum},
    {"and", hlo::ReducerKind::kAnd},         {"or", hlo::ReducerKind::kOr}};

bool is_reserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

// A reducer or an element type; monostate for other names.
Value literal_of(std::string_view name) {
  for (const auto& [spelling, kind] : kReducers) {
    if (spelling == name) return kind;
  }
  auto type = hlo::element_type_from_string(name);
  if (type && hlo::is_array_type(*type)) return Type{*type};
  return {};
}

}  // namespace

const Variable* find_variable(const TextRule& rule, std::string_view name) {
  for (const Variable& variable : rule.variables) {
    if (variable.name == name && name != "_") return &variable;
  }
  return nullptr;
}

TextRule Parser::rule() {
  TextRule rule;
  lexer_.expect("rule");
  Token named = name("the rule's name");
  rule.name = named.text;
  rule.at = lexer_.place(named.at);
  header(rule);
  const size_t begin = lexer_.peek().at;
  side(rule, rule.left);
  if (lexer_.take_if("=>")) {
    rule.relation = Relation::kOneWay;
  } else if (lexer_.take_if("~>")) {
    rule.relation = Relation::kRefined;
  } else if (!lexer_.take_if("=")) {
    lexer_.fail_expected("'=', '=>' or '~>'");
  }
  side(rule, rule.right);
  rule.equation = lexer_.text_since(begin);
  if (lexer_.take_if("where")) {
    const size_t where = lexer_.peek().at;
    do {
      if (rule.conditions.size() == kMaxConditions) {
        lexer_.fail(lexer_.peek().at, "too many conditions");
      }
      rule.conditions.push_back(condition());
    } while (lexer_.take_if(","));
    rule.condition = lexer_.text_since(where);
  }
  if (!at_end() && !lexer_.is("rule")) {
    lexer_.fail_expected(rule.conditions.empty() ? "'where' or the next 'rule'"
                                                 : "',' or the next 'rule'");
  }
  return rule;
}

void Parser::header(TextRule& rule) {
  while (true) {
    if (lexer_.take_if("order-open")) {
      rule.order_open = true;
    } else if (lexer_.take_if("class")) {
      Token word = name("exact, precise or reassoc");
      auto numerics = hlo::numerics_from_string(word.text);
      if (!numerics || *numerics == hlo::Numerics::kFast) {
        lexer_.fail(word.at,
                    "there is no class " + in_quotes(word.text) + " (exact, precise or reassoc)");
      }
      rule.numerics = *numerics;
    } else {
      return;
    }
  }
}

void Parser::side(TextRule& rule, Term& term) {
  operations_ = 0;
  term = this->term(rule, 0);
}

void Parser::check_depth(int depth) const {
  if (depth > kMaxDepth) lexer_.fail(lexer_.peek().at, "nested too deep");
}

Term Parser::term(TextRule& rule, int depth) {
  check_depth(depth);
  Term term;
  Token word = name("an operation or a variable");
  term.at = lexer_.place(word.at);
  if (!lexer_.is("[") && !lexer_.is("(")) {
    const bool is_starts = lexer_.take_if("...");
    term.form = is_starts ? Term::Form::kStarts : Term::Form::kOperand;
    term.variable = declare(rule, word, is_starts ? Sort::kOperands : Sort::kOperand);
    return term;
  }
  term.form = Term::Form::kOperation;
  term.row = find_operator(word.text);
  if (!term.row) lexer_.fail(word.at, "there is no operation " + in_quotes(word.text));
  if (++operations_ > kMaxOperations) lexer_.fail(word.at, "too many operations on one side");
  attributes(term);
  operands(rule, term, depth);
  term.text = lexer_.text_since(word.at);
  if (lexer_.take_if("as")) {
    Token named = name("a name");
    if (find_variable(rule, named.text)) {
      lexer_.fail(named.at, in_quotes(named.text) + " stands for something else already");
    }
    term.variable = declare(rule, named, Sort::kOperand);
  }
  return term;
}

void Parser::attributes(Term& term) {
  const std::vector<Slot>& slots = term.row->slots;
  const size_t at = lexer_.peek().at;
  if (lexer_.take_if("[")) term.attributes = list_until("]", 0);
  if (term.attributes.empty() && term.row->is_named_elementwise()) return;
  if (term.attributes.size() == slots.size()) return;
  std::string names;
  for (const Slot& slot : slots) names += (names.empty() ? "" : ", ") + std::string(slot.name);
  lexer_.fail(at, term.row->name + " has " + std::to_string(slots.size()) +
                      (slots.size() == 1 ? " attribute [" : " attributes [") + names + "], not " +
                      std::to_string(term.attributes.size()));
}

void Parser::operands(TextRule& rule, Term& term, int depth) {
  const size_t at = lexer_.peek().at;
  if (term.row->operands == 0 && !lexer_.is("(")) return;
  lexer_.expect("(");
  while (!lexer_.is(")")) {
    if (!term.operands.empty()) lexer_.expect(",");
    const size_t here = lexer_.peek().at;
    term.operands.push_back(this->term(rule, depth + 1));
    const bool is_last = term.operands.size() == static_cast<size_t>(term.row->operands) + 1;
    const bool is_starts = term.operands.back().form == Term::Form::kStarts;
    if (is_starts && !(term.row->has_starts && is_last)) {
      lexer_.fail(here, "start indices are the last operand of a dynamic-slice");
    }
    if (!is_starts && term.row->has_starts && is_last) {
      lexer_.fail(here, "the start indices must stand here, as 'i...'");
    }
  }
  lexer_.expect(")");
  size_t wanted = static_cast<size_t>(term.row->operands) + (term.row->has_starts ? 1 : 0);
  if (term.operands.size() == wanted) return;
  lexer_.fail(at, term.row->name + " has " + std::to_string(wanted) +
                      (wanted == 1 ? " operand, not " : " operands, not ") +
                      std::to_string(term.operands.size()));
}

Expression Parser::call(std::string_view name, size_t at, std::vector<Expression> arguments) const {
  Expression result;
  result.form = Expression::Form::kCall;
  result.at = lexer_.place(at);
  result.word = name;
  result.arguments = std::move(arguments);
  return result;
}

Expression Parser::condition() {
  const size_t begin = lexer_.peek().at;
  Expression result = sum(0);
  for (std::string_view mark : {"==", "!=", "<=", ">=", "<", ">"}) {
    if (!lexer_.is(mark)) continue;
    const size_t at = lexer_.take().at;
    std::vector<Expression> both;
    both.push_back(std::move(result));
    both.push_back(sum(0));
    if (mark[0] == '>') std::swap(both[0], both[1]);
    const std::string_view names[] = {mark, mark == ">" ? "<" : "<="};
    result = call(names[mark[0] == '>'], at, std::move(both));
    break;
  }
  if (lexer_.is("in") || lexer_.is("not")) one_of(result);
  result.text = lexer_.text_since(begin);
  return result;
}

void Parser::one_of(Expression& test) {
  const size_t at = lexer_.peek().at;
  const bool is_not = lexer_.take_if("not");
  lexer_.expect("in");
  std::vector<Expression> arguments;
  arguments.push_back(std::move(test));
  if (lexer_.take_if("[")) {
    for (Expression& one : list_until("]", 0)) arguments.push_back(std::move(one));
  } else {
    arguments.push_back(sum(0));
  }
  test = call(is_not ? "not in" : "in", at, std::move(arguments));
}

Expression Parser::sum(int depth) {
  check_depth(depth);
  return chain({"+", "-"}, &Parser::product, depth);
}

Expression Parser::product(int depth) { return chain({"*", "/", "%"}, &Parser::indexed, depth); }

// Operands with marks in between, from left to right.
Expression Parser::chain(std::initializer_list<const char*> marks,
                         Expression (Parser::*operand)(int), int depth) {
  auto is_next = [&] {
    return std::ranges::any_of(marks, [&](const char* mark) { return lexer_.is(mark); });
  };
  Expression result = (this->*operand)(depth);
  for (int operands = 0; is_next(); ++operands) {
    check_depth(operands);
    Token mark = lexer_.take();
    std::vector<Expression> both;
    both.push_back(std::move(result));
    both.push_back((this->*operand)(depth));
    result = call(mark.text, mark.at, std::move(both));
  }
  return result;
}

Expression Parser::indexed(int depth) {
  Expression result = primary(depth);
  for (int indices = 0; lexer_.is("["); ++indices) {
    check_depth(indices);
    const size_t at = lexer_.take().at;
    std::vector<Expression> both;
    both.push_back(std::move(result));
    both.push_back(sum(depth + 1));
    lexer_.expect("]");
    result = call("[]", at, std::move(both));
  }
  return result;
}

Expression Parser::primary(int depth) {
  const size_t begin = lexer_.peek().at;
  if (lexer_.take_if("(")) {
    Expression result = sum(depth + 1);
    lexer_.expect(")");
    return result;
  }
  if (lexer_.take_if("[")) return call("list", begin, list_until("]", depth + 1));
  Expression result;
  result.at = lexer_.place(begin);
  if (lexer_.is("-") || lexer_.peek().kind == Token::Kind::kNumber) {
    const bool is_negative = lexer_.take_if("-");
    if (lexer_.peek().kind != Token::Kind::kNumber) lexer_.fail_expected("a number");
    Token number = lexer_.take();
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(number.text.data(), number.text.data() + number.text.size(), value);
    if (error != std::errc() || end != number.text.data() + number.text.size()) {
      lexer_.fail(number.at, "no number: " + in_quotes(number.text));
    }
    result.literal = is_negative ? -value : value;
    return result;
  }
  Token word = name("a number, a name or a list");
  if (lexer_.take_if("(")) return call(word.text, word.at, list_until(")", depth + 1));
  result.word = word.text;
  result.literal = literal_of(word.text);
  if (is_known(result.literal)) return result;
  result.form = Expression::Form::kVariable;
  lexer_.take_if("...");
  return result;
}

// What stands between the opening mark, taken already, and `end`.
std::vector<Expression> Parser::list_until(std::string_view end, int depth) {
  check_depth(depth);
  std::vector<Expression> result;
  while (!lexer_.is(end)) {
    if (!result.empty()) lexer_.expect(",");
    const size_t begin = lexer_.peek().at;
    result.push_back(sum(depth + 1));
    result.back().text = lexer_.text_since(begin);
  }
  lexer_.expect(end);
  return result;
}

Token Parser::name(const std::string& what) {
  if (lexer_.peek().kind != Token::Kind::kName || is_reserved(lexer_.peek().text)) {
    lexer_.fail_expected(what);
  }
  return lexer_.take();
}

int Parser::declare(TextRule& rule, const Token& token, Sort sort) const {
  if (is_known(literal_of(token.text))) {
    lexer_.fail(token.at, in_quotes(token.text) + " is a reducer or an element type, no variable");
  }
  const Variable* known = find_variable(rule, token.text);
  if (!known) {
    rule.variables.push_back({std::string(token.text), sort, lexer_.place(token.at)});
    return static_cast<int>(rule.variables.size()) - 1;
  }
  if (known->sort != sort) {
    lexer_.fail(token.at, in_quotes(token.text) + " stands for " +
                              std::string(to_string(known->sort)) + " elsewhere, not for " +
                              std::string(to_string(sort)));
  }
  return static_cast<int>(known - rule.variables.data());
}

}  // namespace flipsat::rules::text
