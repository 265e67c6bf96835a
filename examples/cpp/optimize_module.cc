// Reads a module, finds a cheaper arrangement of its collectives, says what is gained and writes
// it.
//
//   optimize_module IN OUT
#include <cstdio>
#include <exception>

#include "frontends/file.h"
#include "optimizer/optimize.h"

using namespace flipsat;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: optimize_module IN OUT\n");
    return 2;
  }
  try {
    const hlo::Module input = frontends::read_module(argv[1]);  // text or proto, compressed or not

    optimizer::Options options;
    options.cost.machine = "trn2";
    const optimizer::Result result = optimizer::optimize(input, options);

    const auto microseconds = [](extract::Picoseconds time) {
      return static_cast<double>(time) / 1e6;
    };
    std::printf("%.1f us -> %.1f us, %zu changes\n", microseconds(result.input_cost.time),
                microseconds(result.output_cost.time), result.changes.size());
    for (const optimizer::Change& change : result.changes) {
      std::printf("  %s: %s\n", change.at.c_str(), change.rules.front().c_str());
    }
    frontends::write_module(argv[2], result.output);  // as the name says
  } catch (const std::exception& error) {  // hlo::InputError: "file:line:column: error: ..."
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
