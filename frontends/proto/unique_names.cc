#include "frontends/proto/unique_names.h"

#include <charconv>

namespace flipsat::frontends {

std::string UniqueNames::take(const std::string& name) {
  std::string stem = name;
  int64_t number = 0;
  bool has_number = false;
  const size_t dot = name.rfind('.');
  if (dot != name.npos && dot > 0) {
    const char* begin = name.data() + dot + 1;
    const char* end = name.data() + name.size();
    int64_t suffix = 0;
    auto [stop, error] = std::from_chars(begin, end, suffix);
    // `a.07` is no number: it would come back as `a.7`.
    has_number = error == std::errc() && stop == end && std::to_string(suffix) == begin;
    if (has_number) {
      stem.resize(dot);
      number = suffix;
    }
  }
  Numbers& numbers = stems_[stem];
  if (numbers.used.insert(number).second) return name;
  while (!numbers.used.insert(numbers.next).second) ++numbers.next;
  number = numbers.next++;
  return number == 0 && !has_number ? stem : stem + '.' + std::to_string(number);
}

}  // namespace flipsat::frontends
