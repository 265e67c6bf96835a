// Fuzz target of the readers of machine and combiner files: any bytes are read or refused, and with
// whatever machine was read a launch takes longer the more it moves.
#include "extract/combiner_file.h"
#include "extract/machine_model.h"
#include "hlo/input_error.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flipsat;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    extract::combiner_from_json(text, "fuzz");
  } catch (const hlo::InputError&) {
  }
  try {
    const extract::Machine machine = extract::machine_from_json(text, "fuzz");
    hlo::DeviceGroups groups;
    groups.groups = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    extract::Picoseconds before = -1;
    for (int64_t bytes : {int64_t{0}, int64_t{1}, int64_t{1} << 20, int64_t{1} << 40}) {
      const extract::Picoseconds time =
          extract::launch_time(machine, hlo::Opcode::kAllGather, bytes, groups);
      const bool is_full = time == INT64_MAX;  // figures that do not fit stay at the largest
      fuzz::require(time > before || is_full, "more bytes take no longer");
      before = time;
    }
    extract::memory_time(machine, int64_t{1} << 40);
    extract::matrix_time(machine, int64_t{1} << 40);
  } catch (const hlo::InputError&) {
  }
  return 0;
}
