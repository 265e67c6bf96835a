// The cursor of the text reader: blanks and comments, words, numbers, strings, balanced groups.
//
// There is no separate stream of tokens; the readers ask for what the grammar expects next, and
// where it is not there, the scanner refuses with the place of the token that stands there instead.
// The text ends in a NUL, so that no test for the end is needed before looking at a byte.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hlo/input_error.h"

namespace flipsat::frontends {

// Past this many open brackets a group is refused.
inline constexpr int kMaxBracketDepth = 8192;

inline bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_word_char(char c) { return is_word_start(c) || is_digit(c) || c == '.' || c == '-'; }

class Scanner {
 public:
  // `source` must outlive the scanner and everything that it returned.
  Scanner(const std::string& source, std::string file);

  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  void seek(size_t offset) { at_ = begin_ + offset; }
  std::string_view text(size_t begin, size_t end) const { return {begin_ + begin, end - begin}; }

  void skip_space() {
    while (true) {
      char c = *at_;
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '/') {
        if (!skip_comment()) return;
      } else {
        return;
      }
    }
  }

  // The next byte, with and without the blanks before it; NUL at the end.
  char peek() {
    skip_space();
    return *at_;
  }
  char here() const { return *at_; }
  char here(size_t ahead) const;
  void advance() { ++at_; }
  bool at_end() { return peek() == '\0' && at_ == end_; }

  // Steps over what is asked for and the blanks before it, or stays where it is.
  bool take(char c) {
    const char* begin = at_;
    if (peek() == c) {
      ++at_;
      return true;
    }
    at_ = begin;
    return false;
  }
  bool take(std::string_view symbol);  // punctuation
  bool take_word(std::string_view word);
  void expect(char c) {
    if (!take(c)) fail_expected_char(c);
  }
  void expect(std::string_view symbol);

  // The word that stands here, if any; blanks before it are skipped.
  std::string_view word() {
    skip_space();
    const char* begin = at_;
    if (!is_word_start(*at_)) return {};
    do ++at_;
    while (is_word_char(*at_));
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  std::string_view expect_word(std::string_view what);
  // A name with or without '%'; the answer is without.
  std::string_view name(std::string_view what);
  // The word of `name=`; refuses blanks before the '='.
  std::string_view attribute_name();

  bool starts_integer() {
    char c = peek();
    return is_digit(c) || (c == '-' && is_digit(at_[1]));
  }
  int64_t integer(std::string_view what);
  int64_t non_negative(std::string_view what);
  bool boolean();
  // A run of digits, '-', '.', exponent and letters that makes up one number or special value.
  std::string_view number_text();

  // "..." or '...' with the quotes; what stands between is not unescaped.
  std::string_view quoted();
  // From the bracket that stands here to its partner; strings and comments are stepped over.
  std::string_view balanced();
  // A `{...}` in which only double-quoted strings hide brackets: JSON and what is like it.
  std::string_view braced_json();

  // Line of an offset, from 1. Cheap when asked in ascending order.
  uint32_t line_of(size_t offset);

  [[noreturn]] void fail(std::string message) {
    skip_space(), fail_at(offset(), std::move(message));
  }
  [[noreturn]] void fail_at(size_t offset, std::string message);
  // NUL bytes are refused wherever they stand, after all faults that come before them.
  void refuse_nul();

 private:
  bool skip_comment();
  [[noreturn]] void fail_expected_char(char c);

  const char* begin_;
  const char* end_;
  const char* at_;
  const char* nul_;  // first NUL of the text, or end_
  const char* counted_;
  uint32_t line_ = 1;
  std::string file_;
};

// Undoes C escapes of a quoted string, and the other way round (without quotes).
std::string unescape(std::string_view quoted);
std::string escape(std::string_view text);

}  // namespace flipsat::frontends
