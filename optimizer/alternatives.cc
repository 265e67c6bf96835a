#include "optimizer/alternatives.h"

#include <algorithm>
#include <set>

#include "optimizer/changes.h"
#include "optimizer/proof.h"
#include "optimizer/split_sums.h"
#include "passes/program_identity.h"

namespace flipsat::optimizer {
namespace {

constexpr size_t kTriesOfOne = 3;  // programs looked at for one that can be told
constexpr size_t kMoreTries = 16;

class Finder {
 public:
  Finder(const hlo::Module& input, const hlo::DeviceCounts& counts, const Options& options,
         const std::vector<bool>& surroundings, EGraphProgram& program, const Result& result)
      : input_(input),
        counts_(counts),
        options_(options),
        surroundings_(surroundings),
        program_(program),
        result_(result),
        identities_(input, passes::Mode::kSound) {}

  AlternativesReport run() {
    seen_.insert(identities_.of(result_.output));
    const auto wanted = static_cast<size_t>(options_.alternatives);
    const size_t most = kTriesOfOne * wanted + kMoreTries;
    report_.is_exact = program_.next_best(most, [&](std::optional<language::Export> exported) {
      look_at(std::move(exported));
      return report_.programs.size() < wanted;
    });
    std::stable_sort(
        report_.programs.begin(), report_.programs.end(),
        [&](const Alternative& a, const Alternative& b) { return value(a.cost) < value(b.cost); });
    return std::move(report_);
  }

 private:
  int64_t value(const extract::ProgramCost& cost) const {
    return cost.value(options_.cost.objective);
  }

  // Nullopt: the input as it is.
  void look_at(std::optional<language::Export> exported) {
    const hlo::Module& module = exported ? exported->module : input_;
    if (!seen_.insert(identities_.of(module)).second) return;
    Alternative found;
    found.cost = extract::price_program(module, counts_, options_.cost, surroundings_);
    if (!is_within_peak(found.cost)) return;
    // Cheaper ones are those that limits forbid, that cannot be checked, or that were missed.
    const bool is_cheaper = value(found.cost) < value(result_.output_cost);
    if (is_cheaper && gain(found.cost) < options_.min_gain) return;
    if (exported && !is_proved(*exported, found)) {
      report_.left_out += !is_cheaper;
      return;
    }
    if (is_cheaper) {
      report_.is_beaten = true;
      return;
    }
    if (exported) {
      Result told;  // of what was found, not of the output
      found.changes = program_.describe(*exported, told);
    }
    report_.programs.push_back(std::move(found));
  }

  bool is_proved(const language::Export& exported, Alternative& found) {
    if (options_.numerics < hlo::Numerics::kReassoc &&
        !split_sums(input_, program_.hlo(), exported).empty()) {
      return false;
    }
    if (options_.verify == VerifyLevel::kOff) return true;
    const Proof proof =
        prove(input_, exported.module, counts_, options_, program_.wider_sums(exported));
    found.values = proof.values;
    found.elements = proof.elements;
    return proof.unchecked.empty();
  }

  // Percent of the input's cost.
  double gain(const extract::ProgramCost& cost) const {
    const auto before = static_cast<double>(value(result_.input_cost));
    return 100 * (before - static_cast<double>(value(cost))) / before;
  }

  bool is_within_peak(const extract::ProgramCost& cost) const {
    if (!options_.max_peak_growth) return true;
    return static_cast<double>(cost.peak_bytes) <=
           static_cast<double>(result_.input_cost.peak_bytes) *
               (1 + *options_.max_peak_growth / 100);
  }

  const hlo::Module& input_;
  const hlo::DeviceCounts& counts_;
  const Options& options_;
  const std::vector<bool>& surroundings_;
  EGraphProgram& program_;
  const Result& result_;
  passes::IdentityFinder identities_;
  std::set<passes::Identity> seen_;
  AlternativesReport report_;
};

}  // namespace

AlternativesReport find_alternatives(const hlo::Module& input, const hlo::DeviceCounts& counts,
                                     const Options& options, const std::vector<bool>& surroundings,
                                     EGraphProgram& program, const Result& result) {
  return Finder(input, counts, options, surroundings, program, result).run();
}

}  // namespace flipsat::optimizer
