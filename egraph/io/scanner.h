// Steps through a text word by word. Words are views of the text; nothing is copied, and places
// are only worked out for errors.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "egraph/io/input_error.h"

namespace flipsat::egraph {

class Scanner {
 public:
  // Both must outlive it.
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }
  // NUL at the end.
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip(size_t bytes) { at_ += bytes; }

  bool at_line_end() const { return at_end() || text_[at_] == '\n'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  void skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (!at_end()) ++at_;
  }
  // Blanks, and a comment if one begins here: `;` or `#` to the end of the line.
  void skip_blanks_and_comment() {
    skip_blanks();
    if (peek() == ';' || peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void skip_blank_lines() {
    for (skip_blanks_and_comment(); peek() == '\n'; skip_blanks_and_comment()) ++at_;
  }

  // Up to a blank or the end of the line; empty if one of these is here.
  std::string_view word() {
    const size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // The same, but a parenthesis ends it too.
  std::string_view name() {
    const size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '(' && text_[at_] != ')') {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  // The same, but a comma ends it too.
  std::string_view name_before_comma() {
    const size_t begin = at_;
    const std::string_view whole = name();
    at_ = begin + std::min(whole.find(','), whole.size());
    return text_.substr(begin, at_ - begin);
  }
  bool take(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  [[noreturn]] void fail(size_t at, std::string message) const {
    throw InputError(place_in(text_, at, file_), std::move(message));
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static bool is_space(char c) { return c == '\n' || is_blank(c); }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
};

}  // namespace flipsat::egraph
