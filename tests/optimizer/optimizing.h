// Modules through the whole chain, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "frontends/text/text.h"
#include "hlo/verifier.h"
#include "optimizer/optimize.h"
#include "passes/pipeline.h"
#include "tests/catch.h"
#include "tests/rules/fixture.h"
#include "verify/compare.h"
#include "verify/numbers.h"

namespace flipsat::optimizer::testing {

using rules::testing::in_groups;
using rules::testing::kOverAll;
using rules::testing::only;
using rules::testing::program;
using rules::testing::Saturated;

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What came out, read again from its text, with the promises that hold always checked.
struct Optimized {
  std::string input;
  std::string text;
  Result result;
  hlo::Module output;

  explicit Optimized(const std::string& input_text, const Options& options = {})
      : input(input_text) {
    result = optimize(frontends::read_text(input_text, "in.hlo"), options);
    text = frontends::write_text(result.output);
    output = frontends::read_text(text, "out.hlo");
    hlo::verify_module(output, result.counts);
    const extract::Objective objective = options.cost.objective;
    CHECK(result.output_cost.value(objective) <= result.input_cost.value(objective));
    if (options.greedy_seed && options.min_gain == 0 && !options.max_peak_growth) {
      CHECK(result.output_cost.value(objective) <= result.greedy_cost.value(objective));
    }
    CHECK((result.origin == Origin::kInput) == (text == input_text));
    CHECK((result.origin == Origin::kInput) == result.changes.empty());
    CHECK(result.verified.not_checked.empty());
  }

  bool is_unchanged() const { return text == input; }

  std::vector<const hlo::Instruction*> all(hlo::Opcode opcode) const {
    std::vector<const hlo::Instruction*> found;
    for (hlo::ComputationId computation : output.order) {
      for (hlo::InstructionId id : output.computations[computation].instructions) {
        if (output[id].opcode == opcode) found.push_back(&output[id]);
      }
    }
    return found;
  }
  const hlo::Instruction& one(hlo::Opcode opcode) const {
    std::vector<const hlo::Instruction*> found = all(opcode);
    REQUIRE(found.size() == 1);
    return *found[0];
  }
  // "f32[4,8]", without layout.
  std::string shape_of_one(hlo::Opcode opcode) const {
    return to_string_without_layout(one(opcode).shape);
  }
  const hlo::Instruction& root() const { return output[output.entry_computation().root]; }
  const hlo::Instruction& operand(const hlo::Instruction& of, size_t index = 0) const {
    return output[of.operands.at(index)];
  }
  std::vector<int64_t> channels() const {
    std::vector<int64_t> ids;
    for (hlo::ComputationId computation : output.order) {
      for (hlo::InstructionId id : output.computations[computation].instructions) {
        if (auto channel = output[id].channel_id()) ids.push_back(*channel);
      }
    }
    return ids;
  }
  // Rules behind the changes, sorted, each once.
  std::vector<std::string> rules() const {
    std::vector<std::string> names;
    for (const Change& change : result.changes) {
      names.insert(names.end(), change.rules.begin(), change.rules.end());
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }
  bool kept(const std::string& rule, const std::string& why) const {
    return std::any_of(result.kept.begin(), result.kept.end(),
                       [&](const Kept& site) { return site.rule == rule && site.why == why; });
  }
  bool notes_say(const std::string& words) const {
    return std::any_of(result.notes.begin(), result.notes.end(),
                       [&](const std::string& note) { return contains(note, words); });
  }
};

// The output computes what the input does, by symbols and on numbers.
inline void check_equal(const Optimized& out) {
  const hlo::Module before = frontends::read_text(out.input, "in.hlo");
  CHECK(verify::compare(before, out.output, {}).verdict == verify::Verdict::kSame);
  const verify::NumberComparison numbers = verify::compare_on_numbers(before, out.output, {});
  INFO(numbers.reason);
  CHECK(numbers.compared);
  CHECK(numbers.differing == 0);
}

// The module after the greedy baseline.
inline std::string greedily(const std::string& text, const passes::GreedyOptions& options = {}) {
  hlo::Module module = frontends::read_text(text, "in.hlo");
  passes::run_greedy(module, options);
  return frontends::write_text(module);
}

}  // namespace flipsat::optimizer::testing
