#include "frontends/text/scanner.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

namespace flipsat::frontends {

Scanner::Scanner(const std::string& source, std::string file)
    : begin_(source.data()),
      end_(source.data() + source.size()),
      at_(begin_),
      counted_(begin_),
      file_(std::move(file)) {
  const void* nul = std::memchr(begin_, '\0', source.size());
  nul_ = nul ? static_cast<const char*>(nul) : end_;
}

char Scanner::here(size_t ahead) const {
  return static_cast<size_t>(end_ - at_) > ahead ? at_[ahead] : '\0';
}

bool Scanner::skip_comment() {
  if (at_[1] == '/') {
    const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    at_ = newline ? static_cast<const char*>(newline) : end_;
    return true;
  }
  if (at_[1] != '*') return false;
  std::string_view rest(at_ + 2, static_cast<size_t>(end_ - at_) - 2);
  size_t close = rest.find("*/");
  if (close == rest.npos) fail_at(offset(), "expected '*/' that ends this comment");
  at_ += close + 4;
  return true;
}

bool Scanner::take(std::string_view symbol) {
  const char* begin = at_;
  skip_space();
  if (std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(symbol)) {
    at_ += symbol.size();
    return true;
  }
  at_ = begin;
  return false;
}

bool Scanner::take_word(std::string_view expected) {
  const char* begin = at_;
  if (word() == expected) return true;
  at_ = begin;
  return false;
}

void Scanner::expect(std::string_view symbol) {
  if (!take(symbol)) fail("expected '" + std::string(symbol) + "'");
}

std::string_view Scanner::expect_word(std::string_view what) {
  std::string_view found = word();
  if (found.empty()) fail("expected " + std::string(what));
  return found;
}

std::string_view Scanner::name(std::string_view what) {
  skip_space();
  const char* begin = at_;
  if (*at_ == '%') ++at_;
  if (!is_word_start(*at_)) {
    at_ = begin;
    fail("expected " + std::string(what));
  }
  return word();
}

std::string_view Scanner::attribute_name() {
  std::string_view found = word();
  if (found.empty()) fail("expected an attribute");
  if (*at_ != '=') fail("expected '=' right after the attribute's name");
  ++at_;
  return found;
}

int64_t Scanner::integer(std::string_view what) {
  if (!starts_integer()) fail("expected " + std::string(what));
  int64_t value = 0;
  auto [end, error] = std::from_chars(at_, end_, value);
  if (error != std::errc()) fail("expected " + std::string(what) + " of at most 64 bits");
  at_ = end;
  return value;
}

int64_t Scanner::non_negative(std::string_view what) {
  if (peek() == '-') fail("expected " + std::string(what) + " of at least 0");
  return integer(what);
}

bool Scanner::boolean() {
  if (take_word("true")) return true;
  if (take_word("false")) return false;
  fail("expected true or false");
}

std::string_view Scanner::number_text() {
  skip_space();
  const char* begin = at_;
  while (is_word_char(*at_) || (*at_ == '+' && at_ > begin && (at_[-1] == 'e' || at_[-1] == 'E'))) {
    ++at_;
  }
  return {begin, static_cast<size_t>(at_ - begin)};
}

std::string_view Scanner::quoted() {
  skip_space();
  const char* begin = at_;
  const char quote = *at_;
  if (quote != '"' && quote != '\'') fail("expected a quoted string");
  for (++at_; *at_ != quote; ++at_) {
    if (*at_ == '\\') ++at_;
    if (at_ >= end_)
      fail_at(static_cast<size_t>(begin - begin_), "expected a quote that ends this string");
  }
  ++at_;
  return {begin, static_cast<size_t>(at_ - begin)};
}

std::string_view Scanner::balanced() {
  skip_space();
  const char* begin = at_;
  std::vector<const char*> open;
  while (true) {
    skip_space();
    switch (*at_) {
      case '{':
      case '(':
      case '[':
        if (open.size() == kMaxBracketDepth) {
          fail("expected at most " + std::to_string(kMaxBracketDepth) + " nested brackets");
        }
        open.push_back(at_++);
        break;
      case '}':
      case ')':
      case ']': {
        char partner = *at_ == '}' ? '{' : *at_ == ')' ? '(' : '[';
        if (open.empty() || *open.back() != partner) fail("expected balanced brackets");
        open.pop_back();
        ++at_;
        break;
      }
      case '"':
      case '\'':
        quoted();
        break;
      default:
        if (at_ >= end_ && !open.empty()) {
          fail_at(static_cast<size_t>(open.back() - begin_),
                  "expected a bracket that closes this one");
        }
        if (open.empty()) fail("expected a bracket");
        ++at_;
    }
    if (open.empty()) return {begin, static_cast<size_t>(at_ - begin)};
  }
}

std::string_view Scanner::braced_json() {
  if (peek() != '{') fail("expected '{'");
  const char* begin = at_;
  int depth = 0;
  do {
    switch (*at_) {
      case '{':
        ++depth;
        break;
      case '}':
        --depth;
        break;
      case '"':
        quoted();
        --at_;
        break;
      case '\0':
        if (at_ < end_) break;
        fail_at(static_cast<size_t>(begin - begin_), "expected a bracket that closes this one");
      default:
        break;
    }
    ++at_;
  } while (depth > 0);
  return {begin, static_cast<size_t>(at_ - begin)};
}

uint32_t Scanner::line_of(size_t offset) {
  const char* wanted = begin_ + offset;
  if (wanted < counted_) {
    counted_ = begin_;
    line_ = 1;
  }
  while (const void* newline =
             std::memchr(counted_, '\n', static_cast<size_t>(wanted - counted_))) {
    counted_ = static_cast<const char*>(newline) + 1;
    ++line_;
  }
  counted_ = wanted;
  return line_;
}

void Scanner::fail_at(size_t offset, std::string message) {
  size_t nul = static_cast<size_t>(nul_ - begin_);
  if (nul_ < end_ && nul <= offset) {
    offset = nul;
    message = "expected text without NUL bytes";
  } else if (offset == static_cast<size_t>(end_ - begin_)) {
    message += ", found the end of the text";
  }
  std::string_view before(begin_, offset);
  size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  throw hlo::InputError({file_, line, static_cast<int>(offset - line_start) + 1},
                        std::move(message));
}

void Scanner::refuse_nul() {
  if (nul_ < end_) fail_at(static_cast<size_t>(nul_ - begin_), "");
}

void Scanner::fail_expected_char(char c) { fail("expected '" + std::string(1, c) + "'"); }

std::string unescape(std::string_view quoted) {
  std::string_view body = quoted.substr(1, quoted.size() - 2);
  std::string out;
  out.reserve(body.size());
  auto digit = [](char c) {
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
  };
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i];
      continue;
    }
    char c = body[++i];
    static constexpr std::string_view kLetters = "abfnrtv", kValues = "\a\b\f\n\r\t\v";
    if (size_t letter = kLetters.find(c); letter != kLetters.npos) {
      out += kValues[letter];
    } else if (digit(c) < 8 || c == 'x') {
      int base = c == 'x' ? 16 : 8;
      int value = 0;
      size_t begin = c == 'x' ? i + 1 : i;
      size_t end = begin;
      while (end < body.size() && end < begin + (base == 16 ? 2 : 3) && digit(body[end]) < base) {
        value = value * base + digit(body[end++]);
      }
      out += static_cast<char>(value);
      i = end - 1;
    } else {
      out += c;
    }
  }
  return out;
}

std::string escape(std::string_view text) {
  const auto is_plain = [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\'' && c != '\\';
  };
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    out += text.substr(at, end - at);
    if (end == text.size()) break;
    at = end;
    const char c = text[at];
    unsigned char byte = static_cast<unsigned char>(c);
    static constexpr std::string_view kPlain = "\n\r\t\"'\\", kEscaped = "nrt\"'\\";
    if (const size_t letter = kPlain.find(c); letter != kPlain.npos) {
      out += '\\';
      out += kEscaped[letter];
    } else {
      out += '\\';
      for (int shift = 6; shift >= 0; shift -= 3)
        out += static_cast<char>('0' + (byte >> shift & 7));
    }
  }
  return out;
}

}  // namespace flipsat::frontends
