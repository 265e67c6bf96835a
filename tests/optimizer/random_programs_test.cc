// Random programs through the whole chain under random options, and random programs of the e-graph
// beside the cheapest. What comes out is run beside what went in, on numbers.
//
// FLIPSAT_RANDOM_PROGRAMS is the number of programs, FLIPSAT_RANDOM_SEED the first seed. A failure
// is shrunk before it is shown.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>

#include "frontends/text/text.h"
#include "hlo/input_error.h"
#include "hlo/packing_plan.h"
#include "hlo/verifier.h"
#include "optimizer/optimize.h"
#include "optimizer/random_selection.h"
#include "rules/catalogue.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/optimizer/number_domains.h"
#include "tests/optimizer/untouched.h"
#include "tests/random_programs/generator.h"
#include "tests/random_programs/shrink.h"
#include "verify/compare.h"
#include "verify/numbers.h"

namespace flipsat::optimizer {
namespace {

uint64_t number_from(const char* variable, uint64_t absent) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : absent;
}

// What a failing program fails of; thrown so that a check reads as a sentence.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw Failure(otherwise);
}

bool moves_data(hlo::Opcode opcode) {
  using hlo::Opcode;
  return opcode == Opcode::kDynamicSlice || opcode == Opcode::kSlice ||
         opcode == Opcode::kReshape || opcode == Opcode::kTranspose ||
         opcode == Opcode::kBroadcast || opcode == Opcode::kReverse || opcode == Opcode::kCopy;
}

bool reduces(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kAllReduce || opcode == hlo::Opcode::kReduceScatter;
}

// Is a reduction of floats made of another one, whose result was at most moved on the way?
bool adds_up_in_stages(const hlo::Module& module) {
  for (const hlo::Instruction& sum : module.instructions) {
    if (!reduces(sum.opcode) || !hlo::is_float(sum.shape.type)) continue;
    hlo::InstructionId operand = sum.operands[0];
    while (moves_data(module[operand].opcode)) operand = module[operand].operands[0];
    if (reduces(module[operand].opcode)) return true;
  }
  return false;
}

struct Counts {
  int64_t modules = 0;
  int64_t optimized = 0;    // changed by `optimize`
  int64_t with_a_form = 0;  // changed by some random selection, or optimised
  int64_t combined = 0;     // collectives of several operands that were written
  int64_t selections = 0;   // random programs of e-graphs
  int64_t ran = 0;          // pairs run on numbers
  int64_t proved = 0;       // pairs that the symbolic verifier says are the same
  int64_t looser = 0;       // pairs equal only without rounding, or in another order
  std::map<std::string, int64_t> not_run, not_proved, by_rule;
};

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const rules::RuleInfo& info : rules::catalogue()) names.push_back(info.name);
  return names;
}

Options random_options(Random& random, const hlo::Module& module) {
  Options options;
  const auto classes = {hlo::Numerics::kExact, hlo::Numerics::kExact, hlo::Numerics::kPrecise,
                        hlo::Numerics::kReassoc};
  options.numerics = random.one_of(classes);
  options.bitwise = random.chance(15);
  options.cost.combiner =
      hlo::combiner_preset(random.one_of<std::string>({"neuron", "xla-gpu", "xla-cpu", "none"}));
  options.cost.machine = random.one_of<std::string>({"trn2", "tpu-v5e", "h100"});
  options.cost.objective = random.one_of(
      {extract::Objective::kTime, extract::Objective::kBytes, extract::Objective::kLaunches});
  const std::vector<std::string> names = rule_names();
  if (random.chance(15)) options.disable = {random.pick(names), random.pick(names)};
  if (random.chance(10))
    options.only = {random.pick(names), random.pick(names), random.pick(names)};
  if (random.chance(5)) options.min_gain = 5;
  if (random.chance(5)) options.max_peak_growth = 10;
  options.greedy_seed = random.chance(50);
  options.verify = random.one_of({VerifyLevel::kOff, VerifyLevel::kOff, VerifyLevel::kQuick,
                                  VerifyLevel::kQuick, VerifyLevel::kFull});
  // By name, so that a shrunk program keeps them.
  if (random.chance(30)) {
    const uint64_t salt = random.next();
    for (hlo::InstructionId id : module.entry_computation().parameters) {
      uint64_t hash = salt;
      for (char c : module[id].name) hash = hash * 31 + static_cast<unsigned char>(c);
      if (Random(hash).chance(50)) options.assume_replicated.insert(module[id].name);
    }
  }
  options.emit_combined = random.chance(40);
  return options;
}

// One program's checks. The seed decides everything but the program.
class Trial {
 public:
  Trial(const std::string& text, uint64_t seed, Counts& counts)
      : random_(mix(seed)), seed_(seed), counts_(counts), text_(text) {
    input_ = frontends::read_text(text, "random.hlo");
    devices_ = hlo::infer_device_counts(input_, {});
    hlo::verify_module(input_, devices_);
    options_ = random_options(random_, input_);
    options_.assume_finite = seed % 4 == 3;
  }

  void run() {
    ++counts_.modules;
    require(frontends::write_text(input_) == text_, "it is not printed as it was read");
    const bool is_optimized = optimize_it();
    bool has_a_form = false;
    RandomSelection selection(input_, devices_,
                              {options_.numerics, options_.bitwise, {}, {}, options_.assume_finite},
                              options_.assume_replicated, random_.chance(50));
    for (int draw = 0; draw < 3; ++draw) {
      std::optional<language::Export> drawn = selection.draw(random_);
      if (!drawn || drawn->patches.empty()) continue;
      ++counts_.selections;
      for (const std::string& rule : selection.rules_of(*drawn)) {
        ++counts_.by_rule[rule];
        has_a_form |= rule != "duplicate";
      }
      check_output(drawn->module, "a random selection");
      check_same(drawn->module, "a random selection");
      if (seed_ % 2 == 0) prove(*drawn, "a random selection");
    }
    counts_.with_a_form += is_optimized || has_a_form;
  }

 private:
  static uint64_t mix(uint64_t seed) { return Random(seed ^ 0x5eed).next(); }

  bool optimize_it() {
    const Result result = optimize(input_, options_);
    const extract::Objective objective = options_.cost.objective;
    require(result.output_cost.value(objective) <= result.input_cost.value(objective),
            "the output costs more than the input");
    if (options_.greedy_seed && options_.min_gain == 0 && !options_.max_peak_growth &&
        result.verified.not_checked.empty()) {
      require(result.output_cost.value(objective) <= result.greedy_cost.value(objective),
              "the output costs more than the greedy order's");
    }
    for (const std::string& note : result.notes) {
      require(note.find("is not known: ") == note.npos, note);
    }
    const std::string text = after_ = frontends::write_text(result.output);
    require((text == text_) == result.changes.empty(), "what changed is not what is told");
    if (seed_ % 8 == 0) {
      require(frontends::write_text(optimize(input_, options_).output) == text,
              "another run gives another text");
    }
    if (result.changes.empty()) return false;
    ++counts_.optimized;
    bool by_rule = false;
    for (const Change& change : result.changes) {
      for (const std::string& rule : change.rules) {
        ++counts_.by_rule[rule];
        by_rule |= rule != "duplicate";
      }
    }
    check_output(result.output, "optimize");
    check_same(result.output, "optimize");
    if (result.combined && result.combined->why_not.empty()) {
      check_combined(result.output, *result.combined);
    }
    return by_rule;
  }

  // What was planned is what there is, and nothing more can be launched together.
  void check_combined(const hlo::Module& output, const CombinedReport& combined) {
    counts_.combined += combined.written;
    require(combined.bound <= combined.planned && combined.planned <= combined.walked,
            "combined: launches are not in order");
    const hlo::PackingPlan again =
        hlo::plan_packing(output, hlo::CallGraph(output), options_.cost.combiner, 1'000'000);
    require(again.walked <= combined.planned, "combined: more launches than planned");
    require(again.walked >= combined.bound, "combined: fewer launches than the bound");
    require(again.batches.empty() && again.planned == again.walked,
            "combined: what was written can be combined further");
  }

  void check_output(const hlo::Module& output, const std::string& of) {
    hlo::verify_module(output, devices_);
    const std::string text = after_ = frontends::write_text(output);
    const hlo::Module again = frontends::read_text(text, "output.hlo");
    hlo::verify_module(again, devices_);
    require(frontends::write_text(again) == text, of + ": printed anew it differs");
    const std::string touched = testing::touched_without_need(input_, output, again);
    require(touched.empty(), of + ": " + touched + " was touched without need");
  }

  template <typename Numbers>
  std::unique_ptr<verify::Domain> numbers(uint64_t seed, bool is_special) const {
    if (options_.assume_finite) {
      return std::make_unique<testing::FiniteNumbers<Numbers>>(seed, is_special);
    }
    return std::make_unique<Numbers>(seed, is_special);
  }

  void check_same(const hlo::Module& output, const std::string& of) {
    bool is_looser = false;
    for (uint64_t trial = 0; trial < 2; ++trial) {
      const bool is_special = trial == 1 && !options_.assume_finite;
      const auto rounded = numbers<testing::OrderedNumbers>(seed_ + trial, is_special);
      const auto unrounded = numbers<testing::UnroundedNumbers>(seed_ + trial, is_special);
      verify::NumberOptions how;
      how.assume_replicated = options_.assume_replicated;
      how.work = 3'000'000;
      how.domain = rounded.get();
      verify::NumberComparison same = verify::compare_on_numbers(input_, output, how);
      if (!same.compared) {
        ++counts_.not_run[without_name(same.reason)];
        break;
      }
      ++counts_.ran;
      if (same.differing > 0 && options_.numerics != hlo::Numerics::kExact) {
        is_looser = true;
        how.domain = unrounded.get();
        same = verify::compare_on_numbers(input_, output, how);
        if (options_.assume_finite && !same.compared) break;
        require(same.compared, of + ": " + same.reason);
      }
      if (same.differing > 0 && (adds_up_in_stages(output) || regroups_widest(output))) {
        // Another of the orders that are open rounds otherwise: the proof decides.
        is_looser = true;
        verify::Options in_class;
        in_class.numerics = options_.numerics;
        in_class.assume_replicated = options_.assume_replicated;
        in_class.assume_finite = options_.assume_finite;
        require(verify::compare(input_, output, in_class).verdict == verify::Verdict::kSame,
                of + ": other numbers, and no order of the same sums");
        break;
      }
      // Even so a regrouped sum is rounded, in a much wider type than the result's.
      const bool is_regrouped =
          options_.numerics == hlo::Numerics::kReassoc && is_looser && same.max_ulps <= 1;
      if (is_regrouped) continue;
      require(same.differing == 0, of + ": result " + std::to_string(same.part) +
                                       " differs at element " + std::to_string(same.index) +
                                       " on device " + std::to_string(same.device));
    }
    counts_.looser += is_looser;
  }

  // There is no wider type than f64 in which regrouping would hardly show.
  bool regroups_widest(const hlo::Module& output) const {
    return options_.numerics == hlo::Numerics::kReassoc &&
           std::ranges::any_of(output.instructions, [](const hlo::Instruction& instruction) {
             return reduces(instruction.opcode) && instruction.shape.type == hlo::ElementType::kF64;
           });
  }

  // By the symbolic verifier, as `optimize` asks it.
  void prove(const language::Export& exported, const std::string& of) {
    verify::Options how;
    how.numerics = options_.numerics;
    how.assume_replicated = options_.assume_replicated;
    how.assume_finite = options_.assume_finite;
    how.precise_sites = {""};  // none
    for (const language::Patch& patch : exported.patches) {
      if (!patch.is_refinement) continue;
      for (hlo::InstructionId id : patch.to) how.precise_sites.insert(exported.module[id].name);
    }
    const verify::Result proof = verify::compare(input_, exported.module, how);
    for (const verify::NotChecked& value : proof.not_checked) ++counts_.not_proved[value.reason];
    counts_.proved += proof.verdict == verify::Verdict::kSame;
    require(proof.verdict != verify::Verdict::kDifferent,
            of + ": equal on numbers, and refused by the symbolic verifier" +
                (proof.differences.empty() ? ""
                                           : " at " + proof.differences[0].instruction + ": " +
                                                 proof.differences[0].text));
  }

  static std::string without_name(const std::string& reason) {
    const size_t colon = reason.find(": ");
    return colon == std::string::npos ? reason : reason.substr(colon + 2);
  }

  Random random_;
  uint64_t seed_;
  Counts& counts_;
  const std::string& text_;
  hlo::Module input_;
  hlo::DeviceCounts devices_;
  Options options_;

 public:
  // The options, as words of a command line as far as it has them.
  std::string options() const {
    const char* const kObjectives[] = {"time", "bytes", "launches"};
    std::string words = "--numerics " + std::string(hlo::to_string(options_.numerics));
    if (options_.bitwise) words += " --bitwise";
    if (options_.assume_finite) words += " --assume-finite";
    words += " --combiner " + options_.cost.combiner.name + " --machine " + options_.cost.machine +
             " --objective " + kObjectives[static_cast<int>(options_.cost.objective)];
    if (options_.min_gain > 0) words += " --min-gain " + std::to_string(options_.min_gain);
    if (options_.max_peak_growth) {
      words += " --max-peak-growth " + std::to_string(*options_.max_peak_growth);
    }
    for (const std::string& rule : options_.disable) words += " --disable " + rule;
    for (const std::string& rule : options_.only) words += " --only " + rule;
    if (!options_.greedy_seed) words += " --no-greedy-seed";
    if (options_.emit_combined) words += " --emit-combined";
    words += " --verify " + std::to_string(static_cast<int>(options_.verify));
    std::set<std::string> replicated(options_.assume_replicated.begin(),
                                     options_.assume_replicated.end());
    for (const std::string& name : replicated) words += " --assume-replicated " + name;
    return words;
  }

  std::string after_;  // the last output that was looked at
};

struct Wrong {
  std::string failure;  // empty: nothing is wrong
  std::string after;
  std::string options;
};

Wrong wrong_with(const std::string& text, uint64_t seed, Counts& counts) {
  std::optional<Trial> trial;
  try {
    trial.emplace(text, seed, counts);
    trial->run();
    return {};
  } catch (const std::exception& error) {
    return {error.what(), trial ? trial->after_ : "", trial ? trial->options() : ""};
  }
}

std::string first_word_of(const std::string& failure) {
  return failure.substr(0, failure.find(' '));
}

void print(const char* title, const std::map<std::string, int64_t>& counts) {
  if (counts.empty()) return;
  std::cout << "counted:   " << title << ":";
  const char* separator = " ";
  for (const auto& [name, count] : counts) {
    std::cout << separator << name << " " << count;
    separator = ", ";
  }
  std::cout << "\n";
}

TEST_CASE("random programs compute after optimisation what they did before") {
  const uint64_t first = number_from("FLIPSAT_RANDOM_SEED", 1);
  const uint64_t programs = number_from("FLIPSAT_RANDOM_PROGRAMS",
                                        flipsat::testing::length<uint64_t>({2000, 400}, {200, 40}));
  Counts counts;
  int failures = 0;
  for (uint64_t seed = first; seed < first + programs && failures < 3; ++seed) {
    const std::string text = random_programs::random_program(seed);
    const std::string failure = wrong_with(text, seed, counts).failure;
    if (failure.empty()) continue;
    ++failures;
    std::cout << "seed " << seed << ": " << failure << std::endl;  // lest shrinking fails as well
    Counts unused;
    const std::string small = random_programs::shrink(text, [&](const std::string& candidate) {
      return first_word_of(wrong_with(candidate, seed, unused).failure) == first_word_of(failure);
    });
    const Wrong wrong = wrong_with(small, seed, unused);
    std::cout << "shrunk: " << wrong.failure << "\n"
              << wrong.options << "\n"
              << small << "\nbecomes\n"
              << wrong.after << "\n";
    FAIL_CHECK("seed " << seed << ": " << failure);
  }
  std::cout << "counted: random programs: " << counts.modules << " modules, " << counts.with_a_form
            << " with something to rewrite, " << counts.optimized << " changed by optimize, "
            << counts.combined << " collectives combined, " << counts.selections
            << " random selections, " << counts.ran << " runs on numbers, " << counts.proved
            << " proved, " << counts.looser << " equal but for rounding\n";
  print("by rule", counts.by_rule);
  print("not run", counts.not_run);
  print("not proved", counts.not_proved);
  CHECK(counts.with_a_form * 2 > counts.modules);
}

}  // namespace
}  // namespace flipsat::optimizer
