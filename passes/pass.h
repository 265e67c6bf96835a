// One greedy rewrite: a matcher that only looks, and an expander that builds what takes the matched
// instruction's place. Names, switches, clocks, counters and checks are the driver's (pipeline.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/editor.h"
#include "passes/context.h"
#include "passes/verdict.h"

namespace flipsat::passes {

class Pass {
 public:
  virtual ~Pass() = default;

  // The compiler's registry key of the pass.
  virtual std::string_view name() const = 0;

  virtual Verdict matches(Context& context, hlo::InstructionId id) const = 0;

  // Called for what `matches` accepted, when all matches of the module have been collected. Returns
  // the new value, of the same shape; the driver puts it in the place of `id`. A literal pass
  // throws FatalError where the compiler would end itself.
  virtual hlo::InstructionId expand(Context& context, hlo::ModuleEditor& editor,
                                    hlo::InstructionId id) const = 0;
};

// Which version of a pass. Each pass may have several, one class each, under one name.
enum class Mode {
  kSound,    // fires exactly where the rewrite is right, and nowhere else
  kLiteral,  // the compiler's own guards and rewrite, faults included (docs/seed-passes.md)
};

// The six, in the order of the compiler's registry.
const std::vector<std::string>& registry_order();

// As reports call a pass: without what all six names begin with.
std::string short_name(const std::string& name);

// Throws std::invalid_argument for a name that is not in `registry_order`.
std::unique_ptr<Pass> make_pass(const std::string& name, Mode mode);

}  // namespace flipsat::passes
