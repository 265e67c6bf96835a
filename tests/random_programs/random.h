// The same random choices as the scrambler's.
#pragma once

#include "optimizer/random.h"

namespace flipsat::random_programs {

using optimizer::Random;

}  // namespace flipsat::random_programs
