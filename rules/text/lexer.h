// Words of a rule file. A name may have hyphens before letters (`all-gather`), so a difference of
// names wants blanks around its minus. `#` begins a comment.
#pragma once

#include <string>
#include <string_view>

#include "hlo/input_error.h"

namespace flipsat::rules::text {

struct Token {
  enum class Kind : uint8_t { kName, kNumber, kMark, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;
  size_t at = 0;
};

class Lexer {
 public:
  // Both must outlive it.
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) { advance(); }

  const Token& peek() const { return token_; }
  Token take() {
    Token taken = token_;
    last_end_ = taken.at + taken.text.size();
    advance();
    return taken;
  }
  bool is(std::string_view word) const {
    return token_.kind != Token::Kind::kEnd && token_.text == word;
  }
  bool take_if(std::string_view word) {
    if (!is(word)) return false;
    take();
    return true;
  }
  void expect(std::string_view word);

  // From a byte to the last word taken, comments left out, blanks between words made one.
  std::string text_since(size_t begin) const;
  hlo::Place place(size_t at) const;
  [[noreturn]] void fail(size_t at, const std::string& message) const;
  // "expected WHAT instead of the next word"
  [[noreturn]] void fail_expected(const std::string& what) const;

 private:
  void advance();
  void skip_blanks();

  std::string_view text_;
  const std::string& file_;
  size_t next_ = 0;
  size_t last_end_ = 0;
  Token token_;
};

}  // namespace flipsat::rules::text
