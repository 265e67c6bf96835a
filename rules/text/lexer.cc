#include "rules/text/lexer.h"

#include "egraph/io/input_error.h"

namespace flipsat::rules::text {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

constexpr std::string_view kLongMarks[] = {"...", "==", "!=", "<=", ">=", "=>", "~>"};

}  // namespace

void Lexer::skip_blanks() {
  while (next_ < text_.size()) {
    if (text_[next_] == '#') {
      next_ = std::min(text_.find('\n', next_), text_.size());
    } else if (is_blank(text_[next_])) {
      ++next_;
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  auto at = [&](size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  size_t end = next_;
  token_ = {Token::Kind::kEnd, text_.substr(end, 0), end};
  if (end == text_.size()) return;
  if (is_letter(at(end))) {
    token_.kind = Token::Kind::kName;
    while (is_letter(at(end)) || is_digit(at(end)) || (at(end) == '-' && is_letter(at(end + 1)))) {
      ++end;
    }
  } else if (is_digit(at(end))) {
    token_.kind = Token::Kind::kNumber;
    while (is_digit(at(end)) || is_letter(at(end))) ++end;
  } else {
    token_.kind = Token::Kind::kMark;
    ++end;
    for (std::string_view mark : kLongMarks) {
      if (!text_.substr(next_).starts_with(mark)) continue;
      end = next_ + mark.size();
      break;
    }
  }
  token_.text = text_.substr(next_, end - next_);
  next_ = end;
}

void Lexer::expect(std::string_view word) {
  if (!take_if(word)) fail_expected("'" + std::string(word) + "'");
}

std::string Lexer::text_since(size_t begin) const {
  std::string result;
  Lexer words(text_.substr(0, last_end_), file_);
  words.next_ = begin;
  size_t end = begin;
  for (words.advance(); words.token_.kind != Token::Kind::kEnd; words.advance()) {
    if (words.token_.at > end) result += ' ';
    result += words.token_.text;
    end = words.token_.at + words.token_.text.size();
  }
  return result;
}

hlo::Place Lexer::place(size_t at) const {
  egraph::Place place = egraph::place_in(text_, at, file_);
  return {place.file, place.line, place.column};
}

void Lexer::fail(size_t at, const std::string& message) const {
  throw hlo::InputError(place(at), message);
}

void Lexer::fail_expected(const std::string& what) const {
  std::string found =
      token_.kind == Token::Kind::kEnd ? "the end of the file" : egraph::in_quotes(token_.text);
  fail(token_.at, "expected " + what + " instead of " + found);
}

}  // namespace flipsat::rules::text
