// Which neighbourhoods are the same but for names: of alike layers one says what all do.
#pragma once

#include <string>

#include "verify/border.h"
#include "verify/excerpt.h"

namespace flipsat::verify {

// Equal for neighbourhoods that compute the same by the same operations from inputs of the same
// shapes of which the same is known. `fed`: what is known of the border's arrays, in order.
std::string key_of(const hlo::Module& before, const hlo::Module& after, const Neighbourhood& around,
                   const Pairing& pairing, const std::vector<FedArray>& fed);

}  // namespace flipsat::verify
