// What an elementwise operation makes of operands of other types than it was seen with.
#pragma once

#include <optional>
#include <span>

#include "rules/text/value.h"

namespace flipsat::rules::text {

// Shape of f(operands); nullopt where f does not take such operands, or it is not known.
std::optional<hlo::Shape> elementwise_shape(const Function& f,
                                            std::span<const hlo::Shape> operands);

// Are results known for some operands, without having seen the operation?
bool has_known_results(hlo::Opcode opcode);

}  // namespace flipsat::rules::text
