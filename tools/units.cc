#include "tools/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace flipsat::tools {
namespace {

constexpr int64_t kPicosecondsPerMicrosecond = 1'000'000;

// `value` with at most `decimals` decimals, trailing zeros trimmed.
std::string trimmed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string three_digits(double value, int more) {
  return trimmed(value, (value < 10 ? 2 : value < 100 ? 1 : 0) + more);
}

}  // namespace

std::string exact_microseconds(extract::Picoseconds time) {
  const std::string sign = time < 0 ? "-" : "";
  const uint64_t magnitude = time < 0 ? -static_cast<uint64_t>(time) : static_cast<uint64_t>(time);
  std::string text = fmt::format("{}{}.{:06}", sign, magnitude / kPicosecondsPerMicrosecond,
                                 magnitude % kPicosecondsPerMicrosecond);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string readable_time(extract::Picoseconds time, int more_digits) {
  const double microseconds = static_cast<double>(time) / kPicosecondsPerMicrosecond;
  if (microseconds < 1e3) return three_digits(microseconds, more_digits) + " us";
  if (microseconds < 1e6) return three_digits(microseconds / 1e3, more_digits) + " ms";
  return three_digits(microseconds / 1e6, more_digits) + " s";
}

std::string readable_bytes(int64_t bytes, int more_digits) {
  static constexpr std::array<const char*, 7> kUnits = {"B",   "KiB", "MiB", "GiB",
                                                        "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value, more_digits), kUnits[unit]);
}

std::vector<std::string> told_apart(const std::vector<int64_t>& figures,
                                    std::string (*readable)(int64_t, int)) {
  constexpr int kMostDigits = 12;  // of seconds, each picosecond
  std::vector<std::string> texts(figures.size());
  for (int digits = 0; digits <= kMostDigits; ++digits) {
    bool alike = false;
    for (size_t i = 0; i < figures.size(); ++i) {
      texts[i] = readable(figures[i], digits);
      for (size_t j = 0; j < i; ++j) alike |= figures[i] != figures[j] && texts[i] == texts[j];
    }
    if (!alike) break;
  }
  return texts;
}

std::string readable_change(int64_t before, int64_t after) {
  if (before == after) return "0 %";
  if (before == 0) return "";
  const double percent = 100 * (static_cast<double>(after) - static_cast<double>(before)) /
                         static_cast<double>(before);
  // A change too small for one decimal is still told apart from none.
  if (std::abs(percent) < 0.05) return percent < 0 ? "-<0.1 %" : "+<0.1 %";
  return fmt::format("{}{} %", percent < 0 ? "-" : "+", trimmed(std::abs(percent), 1));
}

std::string counted(int64_t count, const std::string& word, const std::string& plural) {
  if (count == 1) return "1 " + word;
  return fmt::format("{} {}", count, plural.empty() ? word + "s" : plural);
}

std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text.front() >= 'a' && text.front() <= 'z') text.front() += 'A' - 'a';
  if (text.back() != '.') text += '.';
  return text;
}

}  // namespace flipsat::tools
