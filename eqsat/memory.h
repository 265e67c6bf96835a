// What the process has taken of the machine's memory.
#pragma once

namespace flipsat::eqsat {

// The largest resident size so far, in MiB; 0 where the system does not tell.
double peak_memory_mib();

}  // namespace flipsat::eqsat
