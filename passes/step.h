// A step of a pass order: what rewrites a module as a whole. The local passes are steps, and so are
// the combiners; the optimizer adds families of rules (optimizer/family_step.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hlo/combiner.h"
#include "hlo/opcode.h"
#include "passes/pass.h"

namespace flipsat::passes {

class Step {
 public:
  explicit Step(std::string name) : name_(std::move(name)) {}
  virtual ~Step() = default;

  // As orders call it.
  const std::string& name() const { return name_; }

  // On the context's module, which stays a patched copy of what it was. True if it was changed; it
  // is then verified. Throws as run_pass does.
  virtual bool run(Context& context) const = 0;

 private:
  std::string name_;
};

using StepRef = std::shared_ptr<const Step>;

// A local pass, by its name in the registry. Throws std::invalid_argument for any other name.
StepRef pass_step(const std::string& name, Mode mode);

// What the compiler's combiners launch together becomes one collective of several operands: those
// of one opcode, or of all. What cannot be written as one (combined_collective.h) stays apart.
StepRef combiner_step(std::string name, const hlo::CombinerOptions& combiner);
StepRef combiner_step(std::string name, const hlo::CombinerOptions& combiner, hlo::Opcode opcode);

// A step over and over until it finds nothing, at most `most` times; called "NAME*".
StepRef fix_point(StepRef step, int most);

// Stands in an order and does nothing.
StepRef idle_step(std::string name);

}  // namespace flipsat::passes
