// Runs python/flipsat_xla, and says what XLA answered.
#pragma once

#include <filesystem>
#include <string>

#include "tools/json_text.h"
#include "tools/xla_pairs.h"
#include "verify/compare.h"

namespace flipsat::tools {

struct XlaAnswer {
  std::string why_not;  // why nothing was run; empty where something was
  Json record;          // what python/flipsat_xla printed; pairs[0] is the whole program
  XlaExcerpts excerpts;

  // The whole program decides, and so does an excerpt that differs, but where the whole program
  // does not show it by a single bit: then values of one name may be two things.
  verify::Verdict verdict() const;
};

// In a folder of its own that is gone afterwards. The interpreter is `python3`, or what the
// environment variable FLIPSAT_PYTHON names. Throws UsageError where it cannot write.
XlaAnswer run_on_xla(const XlaInput& before, const XlaInput& after, const XlaOptions& options);

}  // namespace flipsat::tools
