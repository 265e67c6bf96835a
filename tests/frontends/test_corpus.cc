// Real dumps, where FLIPSAT_CORPUS names a folder of them: each reads and is written back.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "frontends/file.h"
#include "frontends/text/same_structure.h"
#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {

TEST_CASE("every file of the corpus is written back byte for byte") {
  const char* folder = std::getenv("FLIPSAT_CORPUS");
  if (!folder || !std::filesystem::is_directory(folder)) {
    std::cout << "FLIPSAT_CORPUS is not set: no real dumps are read\n";
    return;
  }
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::string path = entry.path().string();
    if (path.ends_with(".hlo") || path.ends_with(".hlo.gz")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  std::cout << "FLIPSAT_CORPUS: " << paths.size() << " files\n";
  CHECK_FALSE(paths.empty());
  for (const std::string& path : paths) {
    INFO(path);
    std::string text = read_bytes(path);
    hlo::Module module = read_text(text, path);
    CHECK(write_text(module) == text);
    // Looked at anew line by line, nothing is found to differ.
    for (hlo::Instruction& instruction : module.instructions) instruction.touched = true;
    CHECK(write_text(module) == text);
    // Printed from values alone, it is the same program.
    hlo::Module values = module;
    values.source = nullptr;
    for (hlo::Instruction& instruction : values.instructions) {
      for (hlo::Attribute& attribute : instruction.attributes) {
        if (!std::holds_alternative<std::monostate>(attribute.value)) attribute.text = {};
      }
    }
    CHECK(first_difference(module, read_text(write_text(values), path)) == "");
  }
}

}  // namespace flipsat::frontends
