#include "laboratory/pass_list.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "optimizer/partitioned.h"
#include "rules/catalogue.h"

namespace flipsat::laboratory {
namespace {

constexpr int kMostRuns = 64;  // of one pass to its fix-point
constexpr const char* kAllCombiners = "combine";
constexpr const char* kOtherFamilies = "other_families";

constexpr std::array<std::pair<const char*, hlo::Opcode>, 4> kCombiners = {{
    {"all_gather_combiner", hlo::Opcode::kAllGather},
    {"all_reduce_combiner", hlo::Opcode::kAllReduce},
    {"reduce_scatter_combiner", hlo::Opcode::kReduceScatter},
    {"collective_permute_combiner", hlo::Opcode::kCollectivePermute},
}};

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> rule_names(const optimizer::Options& options) {
  std::vector<std::string> names;
  for (const rules::RuleInfo& rule : rules::catalogue()) names.push_back(rule.name);
  for (const rules::Family& family : options.more_rules) names.push_back(family.info.name);
  return names;
}

class Maker {
 public:
  Maker(Mode mode, const std::shared_ptr<const optimizer::FamilySetting>& setting)
      : mode_(mode), setting_(setting), left_out_(optimizer::passes_without(setting->options)) {}

  passes::StepRef step(const std::string& name) const {
    if (name.ends_with('*')) {
      return passes::fix_point(step(name.substr(0, name.size() - 1)), kMostRuns);
    }
    if (const std::string plain = plain_name(name); plain != name) return step(plain);
    for (const std::string& known : passes::registry_order()) {
      if (name != passes::short_name(known)) continue;
      if (left_out_.count(known)) return passes::idle_step(known);
      return passes::pass_step(
          known, mode_ == Mode::kLiteral ? passes::Mode::kLiteral : passes::Mode::kSound);
    }
    const hlo::CombinerOptions& combiner = setting_->options.cost.combiner;
    if (name == kAllCombiners) return passes::combiner_step(name, combiner);
    for (const auto& [known, opcode] : kCombiners) {
      if (name == known) return passes::combiner_step(name, combiner, opcode);
    }
    if (mode_ == Mode::kExtended) {
      if (name == kOtherFamilies) return optimizer::other_families_step(name, setting_);
      for (const std::string& rule : rule_names(setting_->options)) {
        if (with_underscores(rule) == name) return optimizer::family_step(name, rule, setting_);
      }
    }
    throw std::invalid_argument("there is no pass '" + name + "'");
  }

 private:
  Mode mode_;
  std::shared_ptr<const optimizer::FamilySetting> setting_;
  std::set<std::string> left_out_;
};

}  // namespace

std::vector<std::string> pass_names(Mode mode, const optimizer::Options& options) {
  std::vector<std::string> names;
  for (const std::string& name : passes::registry_order()) {
    names.push_back(passes::short_name(name));
  }
  names.emplace_back(kAllCombiners);
  for (const auto& [name, opcode] : kCombiners) names.emplace_back(name);
  if (mode != Mode::kExtended) return names;
  names.emplace_back(kOtherFamilies);
  for (const std::string& rule : rule_names(options)) names.push_back(with_underscores(rule));
  return names;
}

PassList make_passes(Mode mode, const std::vector<std::string>& names,
                     const std::shared_ptr<const optimizer::FamilySetting>& setting) {
  const Maker maker(mode, setting);
  PassList list;
  for (const std::string& name : names.empty() ? passes::registry_order() : names) {
    list.steps.push_back(maker.step(name));
  }
  if (names.empty() && mode == Mode::kExtended) list.closing.push_back(maker.step(kOtherFamilies));
  return list;
}

std::string plain_name(const std::string& name) {
  if (name.ends_with('*')) return plain_name(name.substr(0, name.size() - 1));
  return with_underscores(passes::short_name(name));
}

std::string short_name(const passes::Step& step) { return passes::short_name(step.name()); }

}  // namespace flipsat::laboratory
