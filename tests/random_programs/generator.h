// Random SPMD modules as HLO text: collectives with data movement, arithmetic and control flow
// around them, biased so that rewrite rules find something to do. A seed is a program.
//
// Shapes are small (a value has at most some hundreds of elements), so that a module can be run on
// numbers. Every module is well formed, has its device counts in the header, and runs alike on all
// devices: what decides a branch or ends a loop is the same everywhere.
#pragma once

#include <cstdint>
#include <string>

namespace flipsat::random_programs {

struct GeneratorOptions {
  int steps = 12;  // about how many operations or patterns the entry gets
  // What only some readers of a module can run: async pairs, unusual element types.
  bool exotic = true;
};

std::string random_program(uint64_t seed, const GeneratorOptions& options = {});

}  // namespace flipsat::random_programs
