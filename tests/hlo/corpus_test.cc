// Real programs: none is refused, and what must be known of them is. The folder comes from the
// environment variable FLIPSAT_CORPUS; without it there is nothing to test.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "frontends/file.h"
#include "hlo/device_values.h"
#include "hlo/uniformity.h"
#include "hlo/verifier.h"
#include "tests/catch.h"
#include "tests/hlo/module_text.h"

namespace flipsat::hlo {
namespace {

std::vector<std::string> corpus_files() {
  std::vector<std::string> files;
  const char* folder = std::getenv("FLIPSAT_CORPUS");
  if (!folder) {
    WARN("skipped: FLIPSAT_CORPUS is not set");
    return files;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    bool is_text = name.ends_with(".hlo") || name.ends_with(".hlo.gz");
    if (entry.is_regular_file() && is_text) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool has_replica_groups(Opcode opcode) {
  return is_collective(opcode) && synchronous(opcode) != Opcode::kCollectivePermute;
}

TEST_CASE("corpus: every module is well formed, every group known, uniformity agrees with values") {
  for (const std::string& file : corpus_files()) {
    INFO(file);
    Module module = frontends::read_module(file);
    DeviceCounts counts = infer_device_counts(module, {});
    REQUIRE_NOTHROW(verify_module(module, counts));
    CallGraph calls(module);
    Uniformity uniformity(module, counts, calls, {});
    DeviceValues values(module, counts, calls);
    for (ComputationId computation : module.order) {
      bool is_reached = calls.executions(computation) > 0;
      for (InstructionId id : module.computations[computation].instructions) {
        const Instruction& instruction = module[id];
        INFO(instruction.name);
        if (has_replica_groups(instruction.opcode)) {
          DeviceGroupsRef groups = device_groups(instruction, counts);
          REQUIRE(groups);
          bool uniform_result =
              instruction.opcode == Opcode::kAllReduce || instruction.opcode == Opcode::kAllGather;
          if (is_reached && uniform_result) REQUIRE(uniformity.of(id).uniform_within(*groups));
        }
        if (instruction.opcode != Opcode::kDynamicSlice || !is_reached || !counts.known) continue;
        for (size_t i = 1; i < instruction.operands.size(); ++i) {
          auto starts = values.scalar(instruction.operands[i]);
          if (!starts) continue;
          // What is known equal must be equal.
          const DevicePartition& fact = uniformity.of(instruction.operands[i]);
          DevicePartition by_value = DevicePartition::of_values(*starts);
          REQUIRE(fact.meet(by_value) == fact);
        }
      }
    }
  }
}

}  // namespace
}  // namespace flipsat::hlo
