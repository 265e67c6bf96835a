// Elements that loops of one module carry beyond those of another: values of outside that the body
// only reads. An element that the body hands on unchanged is its initial value in every iteration,
// so what was computed from such elements outside can as well be computed from them inside.
#pragma once

#include <optional>

#include "hlo/module.h"

namespace flipsat::verify {

// `after`, with the elements that its loops have more than those of the same name in `before`
// computed in the bodies instead. It computes what `after` does. Nullopt where there are none, or
// none that are made by data movement, converts and gathers from elements that stay the same.
std::optional<hlo::Module> without_added_elements(const hlo::Module& before,
                                                  const hlo::Module& after);

}  // namespace flipsat::verify
