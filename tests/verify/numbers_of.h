// What a few lines compute, as plain numbers.
#pragma once

#include "tests/catch.h"
#include "tests/verify/programs.h"
#include "verify/numbers.h"

namespace flipsat::verify::testing {

using Values = std::vector<double>;

// Of complex numbers both parts, one after the other.
inline Values values_of(const NumberRun& run, size_t part, size_t device) {
  Values values;
  for (const Term& term : run.values.at(part).at(device)) {
    bool is_integer = term.kind == TermKind::kInteger;
    values.push_back(is_integer ? static_cast<double>(term.as_integer()) : term.as_real());
    if (term.kind == TermKind::kComplex) values.push_back(term.as_imaginary());
  }
  return values;
}

// What a device computes: part `part` of the result.
inline Values on_device(size_t device, const std::string& lines,
                        const std::string& header = "num_partitions=4",
                        const std::string& computations = "", size_t part = 0) {
  NumberRun run = run_on_numbers(program(lines, header, computations), {});
  INFO(run.reason);
  REQUIRE(run.ran);
  return values_of(run, part, device);
}

inline Values on_one(const std::string& lines, const std::string& computations = "",
                     size_t part = 0) {
  return on_device(0, lines, "num_partitions=1", computations, part);
}

}  // namespace flipsat::verify::testing
