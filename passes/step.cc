#include "passes/step.h"

#include <utility>

#include "passes/run_pass.h"

namespace flipsat::passes {
namespace {

class PassStep : public Step {
 public:
  PassStep(const std::string& name, Mode mode)
      : Step(name), pass_(make_pass(name, mode)), inherit_(inheritance(mode)) {}

  bool run(Context& context) const override {
    PassReport report;
    return run_pass(*pass_, context, inherit_, report);
  }

 private:
  std::unique_ptr<Pass> pass_;
  hlo::Inherit inherit_;
};

class FixPoint : public Step {
 public:
  FixPoint(StepRef step, int most)
      : Step(step->name() + "*"), step_(std::move(step)), most_(most) {}

  bool run(Context& context) const override {
    bool changed = false;
    for (int run = 0; run < most_ && step_->run(context); ++run) changed = true;
    return changed;
  }

 private:
  StepRef step_;
  int most_;
};

class IdleStep : public Step {
 public:
  using Step::Step;
  bool run(Context& /*context*/) const override { return false; }
};

}  // namespace

StepRef pass_step(const std::string& name, Mode mode) {
  return std::make_shared<PassStep>(name, mode);
}

StepRef fix_point(StepRef step, int most) {
  return std::make_shared<FixPoint>(std::move(step), most);
}

StepRef idle_step(std::string name) { return std::make_shared<IdleStep>(std::move(name)); }

}  // namespace flipsat::passes
