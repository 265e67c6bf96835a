#include "tests/random_programs/generator.h"

#include "tests/random_programs/operations.h"

namespace flipsat::random_programs {

void grow(Body& body, int steps, int depth) {
  Random& random = body.random;
  for (int step = 0; step < steps; ++step) {
    if (random.chance(40)) {
      random_pattern(body);
      continue;
    }
    Value x = body.any();
    switch (random.below(12)) {
      case 0:
      case 1:
      case 2:
        movement(body, x);
        break;
      case 3:
      case 4:
      case 5:
        random_elementwise(body, x);
        break;
      case 6:
        random_convert(body, x);
        break;
      case 7:
        random_reduce(body, x);
        break;
      case 8:
        random_dot(body, x);
        break;
      case 9:
      case 10:
        random_collective(body, x);
        break;
      default:
        random_control(body, x, depth);
    }
  }
}

std::string random_program(uint64_t seed, const GeneratorOptions& options) {
  Program program(seed, options);
  Random& random = program.random;
  Body entry(program, "main", true);
  for (int64_t i = random.between(1, 3); i > 0; --i) {
    Dims dims;
    for (int64_t rank = random.between(1, 3); rank > 0; --rank) {
      dims.push_back(random.one_of<int64_t>({1, 2, 3, 4, 4, 6, 8}));
    }
    if (hlo::product(dims) > kMostElements) dims = {4, 8};
    entry.source(program.type(), dims);
  }
  grow(entry, static_cast<int>(random.between(options.steps / 2, options.steps * 3 / 2)), 0);
  // What nobody uses is a result, except for a few values that stay dead.
  std::vector<Value> results;
  for (const Value& value : entry.values) {
    if (!entry.is_used(value) && !random.chance(8)) results.push_back(value);
  }
  if (random.chance(30)) results.push_back(random.pick(entry.values));  // one with users
  if (results.empty()) results.push_back(entry.values.back());
  std::string shape, opcode = "tuple";
  std::vector<std::string> names;
  for (const Value& result : results) {
    shape += (shape.empty() ? "" : ", ") + program.shape(result.type, result.dims);
    names.push_back(result.name);
  }
  if (results.size() == 1 && random.chance(70)) {
    opcode = "copy";
  } else {
    shape = "(" + shape + ")";
  }
  return program.finish(entry.finish(shape, opcode, names));
}

}  // namespace flipsat::random_programs
