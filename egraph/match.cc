#include "egraph/match.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace flipsat::egraph {
namespace {

uint32_t position(const RowLayout& layout, const std::vector<std::string_view>& names,
                  std::string_view name, const char* what) {
  // Rules have a handful of names, nearly always the same literal: comparing is cheap.
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<uint32_t>(i);
  }
  throw std::logic_error("rule " + std::string(layout.rule) + " binds no " + what + " " +
                         std::string(name));
}

}  // namespace

uint32_t RowLayout::column(ClassVar variable) const {
  return 1 + position(*this, classes, variable.name, "class");
}

uint32_t RowLayout::column(OpVar variable) const {
  return static_cast<uint32_t>(1 + classes.size()) + position(*this, nodes, variable.name, "node");
}

uint32_t RowLayout::column_of(std::string_view name) const {
  if (std::ranges::find(classes, name) != classes.end()) return column(ClassVar{name});
  return column(OpVar{name});
}

}  // namespace flipsat::egraph
