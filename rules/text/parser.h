// The syntax of rule files: words to terms and expressions, names not looked up yet.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "rules/text/lexer.h"
#include "rules/text/text_rule.h"

namespace flipsat::rules::text {

class Parser {
 public:
  // Both must outlive it.
  Parser(std::string_view text, const std::string& file) : lexer_(text, file) {}

  bool at_end() const { return lexer_.peek().kind == Token::Kind::kEnd; }
  // The rule that begins here.
  TextRule rule();

 private:
  void header(TextRule& rule);
  void side(TextRule& rule, Term& term);
  Term term(TextRule& rule, int depth);
  void attributes(Term& term);
  void operands(TextRule& rule, Term& term, int depth);
  Expression condition();
  void one_of(Expression& test);
  Expression sum(int depth);
  Expression chain(std::initializer_list<const char*> marks, Expression (Parser::*operand)(int),
                   int depth);
  Expression product(int depth);
  Expression indexed(int depth);
  Expression primary(int depth);
  Expression call(std::string_view name, size_t at, std::vector<Expression> arguments) const;
  std::vector<Expression> list_until(std::string_view end, int depth);
  Token name(const std::string& what);
  int declare(TextRule& rule, const Token& token, Sort sort) const;
  void check_depth(int depth) const;

  Lexer lexer_;
  int operations_ = 0;  // of the side being read
};

// Null where there is no variable of that name.
const Variable* find_variable(const TextRule& rule, std::string_view name);

}  // namespace flipsat::rules::text
