// Fuzz target of the HLO text reader and printer: any bytes are read or refused, and what was read
// is written back byte for byte, also when every line is looked at anew.
#include <string>

#include "frontends/text/same_structure.h"
#include "frontends/text/text.h"
#include "hlo/input_error.h"
#include "tests/fuzz/require.h"

using namespace flipsat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  hlo::Module module;
  try {
    module = frontends::read_text(text, "fuzz");
  } catch (const hlo::InputError&) {
    return 0;
  }
  fuzz::require(frontends::write_text(module) == text, "an untouched module is not its source");
  for (hlo::Instruction& instruction : module.instructions) instruction.touched = true;
  fuzz::require(frontends::write_text(module) == text, "a touched but equal module is not its source");
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
    fuzz::require(difference.empty(), difference.c_str());
  } catch (const hlo::InputError& error) {
    fuzz::require(false, error.what());
  }
  return 0;
}
