#include "tools/ranges.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace flipsat::tools {
namespace {

template <class Number>
std::errc read(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return stopped == end ? error : std::errc::invalid_argument;
}

// CLI11's own description in the help is left out: the option's text says what it takes.
template <class Number, class Predicate>
CLI::Validator validator(Predicate is_allowed, std::string allowed) {
  return {[is_allowed, allowed = std::move(allowed)](const std::string& text) -> std::string {
            Number value{};
            const std::errc error = read(text, value);
            if (error == std::errc() && is_allowed(value)) return "";
            return fmt::format("expected {}{}, not '{}'", allowed,
                               error == std::errc::result_out_of_range ? " that fits 64 bits" : "",
                               text);
          },
          ""};
}

}  // namespace

CLI::Validator whole_number(int64_t least, int64_t most) {
  const bool has_most = most != std::numeric_limits<int64_t>::max();
  return validator<int64_t>([=](int64_t value) { return value >= least && value <= most; },
                            has_most ? fmt::format("a whole number from {} to {}", least, most)
                                     : fmt::format("a whole number of at least {}", least));
}

CLI::Validator number(double least, double most) {
  return validator<double>(
      [=](double value) { return std::isfinite(value) && value >= least && value <= most; },
      std::isfinite(most) ? fmt::format("a number from {:g} to {:g}", least, most)
                          : fmt::format("a number of at least {:g}", least));
}

CLI::Validator number_above_zero() {
  return validator<double>([](double value) { return std::isfinite(value) && value > 0; },
                           "a number above 0");
}

}  // namespace flipsat::tools
