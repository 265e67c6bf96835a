// Literals as text: what stands between the parentheses of `constant(...)`.
#pragma once

#include <string>

#include "hlo/literal.h"

namespace flipsat::frontends {

void append_literal(const hlo::Literal& literal, std::string& out);

}  // namespace flipsat::frontends
