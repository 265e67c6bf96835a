#include "tools/key_rows.h"

namespace flipsat::tools {

std::map<Key, KeyRows> rows_by_key(const optimizer::Result& result) {
  std::map<Key, KeyRows> rows;
  const std::array<const extract::ProgramCost*, 3> programs = {
      &result.input_cost, &result.greedy_cost, &result.output_cost};
  for (size_t i = 0; i < programs.size(); ++i) {
    for (const extract::KeyRow& row : programs[i]->keys) {
      rows[{row.opcode, row.type, row.dim, row.groups}][i] = row;
    }
  }
  return rows;
}

}  // namespace flipsat::tools
