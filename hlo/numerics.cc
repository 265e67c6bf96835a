#include "hlo/numerics.h"

namespace flipsat::hlo {
namespace {

constexpr std::string_view kNames[] = {"exact", "precise", "reassoc", "fast"};

}  // namespace

std::string_view to_string(Numerics numerics) { return kNames[static_cast<size_t>(numerics)]; }

std::optional<Numerics> numerics_from_string(std::string_view spelling) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == spelling) return static_cast<Numerics>(i);
  }
  return std::nullopt;
}

}  // namespace flipsat::hlo
