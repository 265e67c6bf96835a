// Fuzz target of the HLO proto reader and writer: any bytes are read or refused, what was read is
// written back byte for byte, and built anew from values alone it is the same program.
#include "frontends/proto/proto.h"
#include "frontends/text/same_structure.h"
#include "hlo/input_error.h"
#include "tests/fuzz/require.h"

using namespace flipsat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  hlo::Module module;
  try {
    module = frontends::read_proto(bytes, "fuzz");
  } catch (const hlo::InputError&) {
    return 0;
  }
  fuzz::require(frontends::write_proto(module) == bytes, "an untouched module is not its bytes");
  for (hlo::Instruction& instruction : module.instructions) instruction.touched = true;
  std::string anew;
  try {
    anew = frontends::write_proto(module);
  } catch (const hlo::InputError&) {
    return 0;  // what protos cannot say
  }
  try {
    const std::string difference =
        frontends::first_difference(module, frontends::read_proto(anew, "anew"));
    fuzz::require(difference.empty(), difference.c_str());
  } catch (const hlo::InputError& error) {
    fuzz::require(false, error.what());
  }
  return 0;
}
