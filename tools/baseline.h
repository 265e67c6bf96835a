// What `compare --baseline` watches: whether a module launches or moves more than it did.
#pragma once

#include <string>
#include <vector>

#include "tools/json_text.h"

namespace flipsat::tools {

struct Growth {
  std::string input;
  std::string program;  // "input" or "output"
  std::string figure;   // "launches", "executed.wire_bytes", ..
  int64_t before = 0;
  int64_t after = 0;
};

struct BaselineCheck {
  std::vector<Growth> grown;
  int64_t compared = 0;              // modules that both have
  std::vector<std::string> added;    // only now
  std::vector<std::string> missing;  // only in the baseline

  // Something was compared, and nothing grew.
  bool passes() const { return grown.empty() && compared > 0; }
};

// An earlier `compare --json`. Throws hlo::InputError for what is none.
Json read_baseline(const std::string& path);

// Modules are the same where `input` is, or else where one file name stands once on either side;
// those of a dump where they are the first, second, .. of their module's name, whatever number XLA
// gave them.
// Throws UsageError where the two runs were asked different things.
BaselineCheck check_baseline(const Json& baseline, const Json& now);

std::string baseline_text(const BaselineCheck& check);

}  // namespace flipsat::tools
