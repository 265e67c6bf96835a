#include "optimizer/scramble.h"

#include <algorithm>

#include "extract/program_cost.h"
#include "hlo/verifier.h"
#include "optimizer/partitioned.h"
#include "optimizer/proof.h"
#include "optimizer/random_selection.h"
#include "optimizer/split_sums.h"

namespace flipsat::optimizer {
namespace {

using Step = RandomSelection::Step;
using StepsByRule = std::map<std::string, std::vector<Step>>;

constexpr int64_t kStepsPerRound = 4;
constexpr int64_t kRoundsPerStep = 2;  // beyond that the walk goes nowhere
constexpr int kTries = 12;             // of a round
constexpr int kWillingTries = 6;       // from there on a cheaper program is as good
constexpr int kTakesCheaper = 30;      // percent, before

class Scrambler {
 public:
  Scrambler(const hlo::Module& input, const ScrambleOptions& options)
      : input_(input),
        options_(options),
        counts_(hlo::infer_device_counts(input, options.devices)),
        random_(options.seed) {
    chain_.numerics = options.numerics;
    chain_.devices = options.devices;
  }

  Scramble run() {
    hlo::verify_module(input_, counts_);
    result_.module = input_;
    if (!why_untouchable(input_).empty()) return std::move(result_);
    for (int64_t round = 0; round < kRoundsPerStep * options_.steps && !is_enough(); ++round) {
      if (!walk()) break;
    }
    return std::move(result_);
  }

 private:
  bool has_enough_rules() const {
    return static_cast<int64_t>(result_.rules.size()) >= options_.rules;
  }
  bool is_enough() const { return result_.steps >= options_.steps && has_enough_rules(); }

  // A few steps further; false where there is nowhere to go.
  bool walk() {
    const hlo::Module from = std::move(result_.module);
    egraph::Limits limits;
    limits.nodes = 2 * from.instructions.size() + 2'000;
    limits.iterations = 3;
    limits.matches = 20 * from.instructions.size() + 20'000;
    RandomSelection selection(from, counts_, {options_.numerics, false, {}, {}, false}, {}, false,
                              limits);
    const StepsByRule offered = selection.steps();
    const int64_t cost = price(from);
    for (int attempt = 0; attempt < kTries && !offered.empty(); ++attempt) {
      const std::vector<Step> steps = draw(offered);
      std::optional<language::Export> exported = selection.take(steps, random_);
      if (!exported) continue;
      std::vector<Step> taken;
      std::ranges::copy_if(steps, std::back_inserter(taken), [&](const Step& step) {
        return selection.is_taken(step, *exported);
      });
      if (taken.empty()) continue;
      if (price(exported->module) < cost && attempt < kWillingTries &&
          !random_.chance(kTakesCheaper)) {
        continue;
      }
      if (!is_equal(from, selection, *exported)) continue;
      for (const Step& step : taken) ++result_.rules[step.rule];
      result_.steps += static_cast<int64_t>(taken.size());
      result_.module = std::move(exported->module);
      return true;
    }
    result_.module = from;
    return false;
  }

  // Steps of classes that differ, first by rules that had no turn yet.
  std::vector<Step> draw(const StepsByRule& offered) {
    std::vector<const std::vector<Step>*> fresh, all;
    for (const auto& [rule, steps] : offered) {
      all.push_back(&steps);
      if (result_.rules.count(rule) == 0) fresh.push_back(&steps);
    }
    std::vector<Step> drawn;
    for (int64_t i = random_.between(1, kStepsPerRound); i > 0; --i) {
      const bool wants_fresh = !has_enough_rules() && !fresh.empty();
      const Step& step = random_.pick(*random_.pick(wants_fresh ? fresh : all));
      if (std::ranges::count(drawn, step.cls, &Step::cls) == 0) drawn.push_back(step);
    }
    return drawn;
  }

  // With everything counted as surroundings: any program of the module beside any other.
  int64_t price(const hlo::Module& module) const {
    return extract::price_program(module, counts_, chain_.cost, {}).time;
  }

  bool is_equal(const hlo::Module& from, const RandomSelection& selection,
                const language::Export& exported) const {
    if (options_.numerics < hlo::Numerics::kReassoc &&
        !split_sums(from, selection.hlo(), exported).empty()) {
      return false;
    }
    hlo::verify_module(exported.module, counts_);
    return prove(input_, exported.module, counts_, chain_, {}).unchecked.empty();
  }

  const hlo::Module& input_;
  const ScrambleOptions& options_;
  const hlo::DeviceCounts counts_;
  Options chain_;
  Random random_;
  Scramble result_;
};

}  // namespace

Scramble scramble(const hlo::Module& input, const ScrambleOptions& options) {
  return Scrambler(input, options).run();
}

}  // namespace flipsat::optimizer
