// Numerics classes: what a rewrite promises about values. See docs/numerics.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flipsat::hlo {

// Each class includes the ones before it; `--numerics` names the loosest allowed.
enum class Numerics : uint8_t {
  kExact,    // no result that the input could not have produced under HLO semantics
  kPrecise,  // a value may also be computed in a wider type
  kReassoc,  // values equal over the reals in the same types
  kFast,     // reserved: no rule yet
};

std::string_view to_string(Numerics numerics);
std::optional<Numerics> numerics_from_string(std::string_view spelling);

}  // namespace flipsat::hlo
