// Gathers of values that stay the same in a loop, moved to where the loop stands.
//
//   for i in 0..n: g = all-gather(f(x)), ..   ->   h = all-gather(f(x)); for i in 0..n: .. h ..
//
// Tuple, body and condition change together, which no equality of values says: the result is
// another module, to be priced beside the input. The state of the loop has one more element at its
// end, that the body hands on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "optimizer/result.h"

namespace flipsat::optimizer {

struct Hoisted {
  hlo::Module module;  // a patched copy
  // Times are those of all iterations.
  std::vector<Change> changes;
};

// Moves every all-gather that can be moved, out of as many loops as it can. It stands in the body
// of a loop that is known to run at least twice; it reads an element that the body hands on, as it
// is or through converts, copies, reshapes and transposes; none of these is opaque. The loop starts
// from a tuple of its own, its state is read by elements only, and nothing else calls its body or
// condition. Nullopt where there is nothing to move.
std::optional<Hoisted> hoist_gathers(const hlo::Module& input, const hlo::DeviceCounts& counts,
                                     const extract::Machine& machine);

}  // namespace flipsat::optimizer
