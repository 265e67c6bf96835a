// What people see of a batch at its end.
#pragma once

#include <string>
#include <vector>

#include "tools/batch/batch.h"

namespace flipsat::tools {

// A headline, a row a module, and what went wrong. `known`: how many an earlier run had finished.
std::string batch_table(const std::vector<BatchRecord>& records, size_t known);

}  // namespace flipsat::tools
