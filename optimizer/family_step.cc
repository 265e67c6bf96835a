#include "optimizer/family_step.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "hlo/verifier.h"
#include "optimizer/egraph_program.h"
#include "optimizer/partitioned.h"
#include "optimizer/rule_choice.h"
#include "optimizer/split_sums.h"
#include "rules/saturate.h"

namespace flipsat::optimizer {
namespace {

constexpr int kRounds = 8;

int64_t value(const hlo::Module& program, const FamilySetting& setting) {
  const extract::CostOptions& cost = setting.options.cost;
  return extract::price_program(program, setting.counts, cost, setting.surroundings)
      .value(cost.objective);
}

// The cheapest program that one family leads to; nullopt where none is cheaper than this one.
std::optional<hlo::Module> best_of(const std::string& rule, const hlo::Module& program,
                                   const FamilySetting& setting) {
  Options options = setting.options;
  options.only = {rule};
  const std::vector<bool> surroundings = extract::collective_surroundings(program);
  EGraphProgram search(program, setting.counts, options, surroundings);
  search.import();
  search.saturate();
  for (int round = 0; round < kRounds; ++round) {
    std::optional<language::Export> found = search.extract();
    if (!found || found->patches.empty()) return std::nullopt;
    std::vector<NotChecked> split;
    if (options.numerics < hlo::Numerics::kReassoc) {
      split = split_sums(program, search.hlo(), *found);
    }
    if (!split.empty() && search.give_up(*found, split)) continue;
    if (!split.empty() || value(found->module, setting) >= value(program, setting)) break;
    return std::move(found->module);
  }
  return std::nullopt;
}

// Puts the cheapest program of a family in the place of the context's.
bool take_best(const std::string& rule, passes::Context& context, const FamilySetting& setting) {
  std::optional<hlo::Module> best = best_of(rule, context.module(), setting);
  if (!best) return false;
  context.module() = std::move(*best);
  context.refresh();
  hlo::verify_module(context.module(), setting.counts);
  return true;
}

// Families whose pattern stands somewhere in the program, their conditions not looked at.
std::set<std::string> families_that_match(const hlo::Module& program,
                                          const FamilySetting& setting) {
  const hlo::CallGraph calls(program);
  const Options& options = setting.options;
  hlo::Uniformity uniformity(program, setting.counts, calls, {options.assume_replicated});
  hlo::DeviceValues values(program, setting.counts, calls);
  language::HloGraph graph(setting.counts);
  language::import_module(program, {setting.counts, calls, uniformity, values},
                          extract::collective_surroundings(program), graph);
  rules::RuleBook book(graph, rule_options(options), families(options));
  egraph::RunOptions once;
  once.limits.iterations = 1;
  const egraph::RunReport run = rules::saturate(book, once);
  std::set<std::string> found;
  for (egraph::Reason rule = 0; rule < run.rules.size(); ++rule) {
    if (run.rules[rule].matched > 0) found.insert(book.info(rule).name);
  }
  return found;
}

class FamilyStep : public passes::Step {
 public:
  FamilyStep(std::string name, std::string rule, std::shared_ptr<const FamilySetting> setting)
      : Step(std::move(name)), rule_(std::move(rule)), setting_(std::move(setting)) {}

  bool run(passes::Context& context) const override {
    const Options& options = setting_->options;
    if (!options.only.empty() && !options.only.count(rule_)) return false;
    return take_best(rule_, context, *setting_);
  }

 private:
  std::string rule_;
  std::shared_ptr<const FamilySetting> setting_;
};

class OtherFamilies : public passes::Step {
 public:
  OtherFamilies(std::string name, std::shared_ptr<const FamilySetting> setting)
      : Step(std::move(name)), setting_(std::move(setting)) {}

  bool run(passes::Context& context) const override {
    bool changed = false;
    std::set<std::string> matching = families_that_match(context.module(), *setting_);
    for (const rules::Family& family : families(setting_->options)) {
      const std::string& rule = family.info.name;
      if (has_local_pass(rule) || !matching.count(rule)) continue;
      if (!take_best(rule, context, *setting_)) continue;
      changed = true;
      matching = families_that_match(context.module(), *setting_);
    }
    return changed;
  }

 private:
  std::shared_ptr<const FamilySetting> setting_;
};

}  // namespace

bool has_local_pass(const std::string& rule) {
  Options only;
  only.only = {rule};
  return passes_without(only).size() < passes::registry_order().size();
}

passes::StepRef family_step(std::string name, const std::string& rule,
                            std::shared_ptr<const FamilySetting> setting) {
  return std::make_shared<FamilyStep>(std::move(name), rule, std::move(setting));
}

passes::StepRef other_families_step(std::string name,
                                    std::shared_ptr<const FamilySetting> setting) {
  return std::make_shared<OtherFamilies>(std::move(name), std::move(setting));
}

}  // namespace flipsat::optimizer
