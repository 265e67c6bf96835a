// Small programs for the tests: an entry computation's lines, with reducers and a header around.
#pragma once

#include <string>

#include "frontends/text/text.h"
#include "verify/compare.h"

namespace flipsat::verify::testing {

// Reducers of the names add_f32, max_bf16, and_pred, ... and the entry with the given lines.
inline hlo::Module program(const std::string& lines, const std::string& header = "num_partitions=4",
                           const std::string& computations = "") {
  std::string text = "HloModule m, " + header + "\n";
  for (const char* type : {"f32", "bf16", "f16", "f64", "s32", "u32"}) {
    for (std::string op : {"add", "multiply", "maximum", "minimum"}) {
      std::string t = std::string(type) + "[]";
      text += op + "_" + type + " {\n  a = " + t + " parameter(0)\n  b = " + t +
              " parameter(1)\n  ROOT r = " + t + " " + op + "(a, b)\n}\n";
    }
  }
  for (std::string op : {"and", "or"}) {
    text += op +
            "_pred {\n  a = pred[] parameter(0)\n  b = pred[] parameter(1)\n  ROOT r = pred[] " +
            op + "(a, b)\n}\n";
  }
  return frontends::read_text(text + computations + "ENTRY main {\n" + lines + "}\n", "test");
}

// `same`, `different` or `not checked`, with the first reason.
inline std::string verdict(const hlo::Module& before, const hlo::Module& after,
                           const Options& options = {}) {
  Result result = compare(before, after, options);
  if (result.verdict == Verdict::kSame) return "same";
  if (result.verdict == Verdict::kDifferent) return "different";
  return "not checked: " + result.not_checked.at(0).instruction + ": " +
         result.not_checked.at(0).reason;
}

inline std::string verdict(const std::string& before, const std::string& after,
                           const Options& options = {}) {
  return verdict(program(before), program(after), options);
}

// The usual group of all four devices.
inline const std::string kAll =
    ", channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true";
inline const std::string kPairs =
    ", channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true";

}  // namespace flipsat::verify::testing
