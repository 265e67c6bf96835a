// Real modules, where FLIPSAT_CORPUS names a folder of them: texts through protos, protos through
// a whole rebuild.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <unordered_set>

#include "frontends/file.h"
#include "frontends/text/same_structure.h"
#include "tests/catch.h"
#include "tests/frontends/proto/samples.h"
#include "tests/length.h"

namespace flipsat::frontends {

namespace {

std::vector<std::string> corpus(const std::vector<std::string>& endings) {
  std::vector<std::string> paths;
  const char* folder = std::getenv("FLIPSAT_CORPUS");
  if (!folder || !std::filesystem::is_directory(folder)) return paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    for (const std::string& ending : endings) {
      if (path.ends_with(ending)) {
        paths.push_back(path);
        break;
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// XLA prints the groups of every collective; a text may leave them out.
void spell_groups(hlo::Module& module) {
  for (hlo::Instruction& instruction : module.instructions) {
    const bool has_groups = hlo::is_collective(instruction.opcode) &&
                            !instruction.has(hlo::AttributeKey::kSourceTargetPairs);
    if (!has_groups || instruction.has(hlo::AttributeKey::kReplicaGroups)) continue;
    instruction.set(hlo::AttributeKey::kReplicaGroups,
                    std::make_shared<const hlo::ReplicaGroups>());
  }
}

// Those that are not are changed, as XLA changes them.
bool has_unique_names(const hlo::Module& module) {
  std::unordered_set<std::string> names;
  for (hlo::ComputationId computation : module.order) {
    for (hlo::InstructionId id : module.computations[computation].instructions) {
      if (!names.insert(module[id].name).second) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("every text of the corpus passes through a proto") {
  const std::vector<std::string> paths = corpus({".hlo", ".hlo.gz"});
  const size_t step = testing::length<size_t>({1, 3}, {2, 9});
  size_t count = 0;
  for (size_t i = 0; i < paths.size(); i += step) {
    INFO(paths[i]);
    hlo::Module module = read_module(paths[i]);
    const hlo::Module back = through_proto(module);
    spell_groups(module);
    if (has_unique_names(module)) CHECK(first_difference(module, back) == "");
    CHECK(first_difference(back, read_text(write_text(back), paths[i])) == "");
    CHECK(first_difference(back, through_proto(back)) == "");
    ++count;
  }
  std::cout << "FLIPSAT_CORPUS: " << count << " texts through protos\n";
}

TEST_CASE("every proto of the corpus is written back, untouched and rebuilt") {
  const std::vector<std::string> paths = corpus({".pb", ".pb.gz"});
  for (const std::string& path : paths) {
    INFO(path);
    const std::string bytes = read_bytes(path);
    hlo::Module module = read_proto(bytes, path);
    CHECK(write_proto(module) == bytes);
    const hlo::Module text = read_text(write_text(module), path);
    CHECK(first_difference(module, text) == "");
    for (hlo::Instruction& instruction : module.instructions) instruction.touched = true;
    CHECK(first_difference(module, through_proto(module)) == "");
  }
  std::cout << "FLIPSAT_CORPUS: " << paths.size() << " protos\n";
}

}  // namespace flipsat::frontends
