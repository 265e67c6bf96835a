// Fuzz target of the HLO text reader and printer: any bytes are read or refused, and what was read
// is written back byte for byte, also when every line is looked at anew.
//
// Built with clang's -fsanitize=fuzzer this is a libFuzzer target; otherwise its main replays the
// files that it is given.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "frontends/text/same_structure.h"
#include "frontends/text/text.h"
#include "hlo/input_error.h"

namespace {

using namespace flipsat;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  hlo::Module module;
  try {
    module = frontends::read_text(text, "fuzz");
  } catch (const hlo::InputError&) {
    return 0;
  }
  require(frontends::write_text(module) == text, "an untouched module is not its source");
  for (hlo::Instruction& instruction : module.instructions) instruction.touched = true;
  require(frontends::write_text(module) == text, "a touched but equal module is not its source");
  hlo::Module values = module;
  values.source = nullptr;
  for (hlo::Instruction& instruction : values.instructions) {
    for (hlo::Attribute& attribute : instruction.attributes) {
      if (!std::holds_alternative<std::monostate>(attribute.value)) attribute.text = {};
    }
  }
  std::string printed = frontends::write_text(values);
  try {
    std::string difference =
        frontends::first_difference(module, frontends::read_text(printed, "printed"));
    require(difference.empty(), difference.c_str());
  } catch (const hlo::InputError& error) {
    require(false, error.what());
  }
  return 0;
}

#ifndef __clang__
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%d files\n", argc - 1);
  return 0;
}
#endif
