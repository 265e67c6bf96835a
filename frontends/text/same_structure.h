// Are two modules the same program, name for name and attribute for attribute?
#pragma once

#include <string>

#include "hlo/module.h"

namespace flipsat::frontends {

// The first difference in words, or an empty text. Spelling aside: comments, order of attributes,
// how groups and shapes are spelled, and whether an element of a tuple or a nested operand has a
// line of its own. A missing layout is the default one. Ids may differ. An elided constant is the
// same as another of its shape and name.
std::string first_difference(const hlo::Module& a, const hlo::Module& b);

inline bool same_structure(const hlo::Module& a, const hlo::Module& b) {
  return first_difference(a, b).empty();
}

}  // namespace flipsat::frontends
