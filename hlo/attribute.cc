#include "hlo/attribute.h"

#include <unordered_map>

namespace flipsat::hlo {
namespace {

struct AttributeRow {
  std::string_view spelling;
  AttributeSyntax syntax;
};

constexpr AttributeRow kRows[] = {
#define FLIPSAT_ATTRIBUTE(enumerator, spelling, syntax) {spelling, syntax},
#include "hlo/attributes.inc"
#undef FLIPSAT_ATTRIBUTE
};

}  // namespace

std::string_view to_string(AttributeKey key) {
  return key == AttributeKey::kOther ? std::string_view()
                                     : kRows[static_cast<size_t>(key)].spelling;
}

AttributeKey attribute_key_from_string(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, AttributeKey> by_name;
    for (size_t i = 0; i < std::size(kRows); ++i) {
      by_name.emplace(kRows[i].spelling, static_cast<AttributeKey>(i));
    }
    return by_name;
  }();
  auto it = index.find(name);
  return it == index.end() ? AttributeKey::kOther : it->second;
}

AttributeSyntax attribute_syntax(AttributeKey key) {
  return key == AttributeKey::kOther ? AttributeSyntax::kRaw
                                     : kRows[static_cast<size_t>(key)].syntax;
}

}  // namespace flipsat::hlo
