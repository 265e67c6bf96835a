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
constexpr int64_t kRoundsPerStep = 2;  // at most
constexpr int kWalks = 5;              // until one can be proved as a whole
constexpr int kTries = 60;             // of a round
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
    for (int attempt = 0; attempt < kWalks; ++attempt) {
      walk();
      // Each round is proved beside the one before; what it all comes to, beside the input.
      if (is_proved(input_, result_.module)) return std::move(result_);
      result_ = {};
      result_.module = input_;
    }
    return std::move(result_);
  }

 private:
  bool has_enough_rules() const {
    return static_cast<int64_t>(result_.rules.size()) >= options_.rules;
  }

  void walk() {
    for (int64_t round = 0; round < kRoundsPerStep * options_.steps; ++round) {
      // A module that so many rounds found too few rules for has no more.
      const bool has_rules = has_enough_rules() || round >= options_.steps;
      if ((result_.steps >= options_.steps && has_rules) || !go_on()) break;
    }
  }

  // A few steps further; false where there is nowhere to go.
  bool go_on() {
    const hlo::Module from = std::move(result_.module);
    egraph::Limits limits;
    limits.nodes = 2 * from.instructions.size() + 2'000;
    limits.iterations = 3;
    limits.matches = 20 * from.instructions.size() + 20'000;
    RandomSelection selection(from, counts_, {options_.numerics, false, {}, {}, false}, {}, false,
                              limits);
    StepsByRule offered = selection.steps();
    const int64_t cost = price(from);
    int64_t most = kStepsPerRound;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      language::Selection chosen;
      const std::vector<Step> steps = draw(selection, offered, most, chosen);
      if (steps.empty()) break;
      std::optional<language::Export> exported =
          language::export_module(from, selection.import(), selection.hlo(), chosen);
      if (exported && price(exported->module) < cost && attempt < kWillingTries &&
          !random_.chance(kTakesCheaper)) {
        continue;
      }
      std::vector<Step> taken;
      if (exported && is_equal(from, selection, *exported)) {
        std::ranges::copy_if(steps, std::back_inserter(taken),
                             [&](const Step& step) { return selection.is_taken(step, *exported); });
      }
      if (taken.empty()) {
        // Which of several it is shows one by one.
        if (steps.size() == 1) strike_off(steps.front(), offered);
        most = 1;
        continue;
      }
      for (const Step& step : taken) ++result_.rules[step.rule];
      result_.steps += static_cast<int64_t>(taken.size());
      result_.module = std::move(exported->module);
      return true;
    }
    result_.module = from;
    return false;
  }

  static void strike_off(const Step& step, StepsByRule& offered) {
    const auto rule = offered.find(step.rule);
    std::erase_if(rule->second, [&](const Step& other) { return other.node == step.node; });
    if (rule->second.empty()) offered.erase(rule);
  }

  // Steps of classes that differ, first by rules that had no turn yet, and what they choose. Those
  // that cannot be taken are struck off.
  std::vector<Step> draw(const RandomSelection& selection, StepsByRule& offered, int64_t most,
                         language::Selection& chosen) {
    std::vector<Step> drawn;
    for (int64_t left = random_.between(1, most); left > 0 && !offered.empty();) {
      std::vector<StepsByRule::iterator> fresh, all;
      for (auto it = offered.begin(); it != offered.end(); ++it) {
        all.push_back(it);
        if (result_.rules.count(it->first) == 0) fresh.push_back(it);
      }
      const StepsByRule::iterator rule =
          random_.pick(has_enough_rules() || fresh.empty() ? all : fresh);
      const Step step = random_.pick(rule->second);
      if (std::ranges::count(drawn, step.cls, &Step::cls) > 0) {
        --left;
      } else if (const auto needed = selection.define(step, random_)) {
        chosen.chosen.insert(needed->chosen.begin(), needed->chosen.end());
        drawn.push_back(step);
        --left;
      } else {
        strike_off(step, offered);
      }
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
    return is_proved(from, exported.module);
  }

  bool is_proved(const hlo::Module& before, const hlo::Module& after) const {
    return prove(before, after, counts_, chain_, {}).unchecked.empty();
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
