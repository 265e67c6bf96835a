#include "optimizer/harness/harness.h"

#include <algorithm>
#include <set>

#include "hlo/input_error.h"
#include "hlo/verifier.h"

namespace flipsat::optimizer {
namespace {

// Calls `visit` with each case until it returns false.
void for_each_case(const Space& space, double scale,
                   const std::function<bool(Case&, const Choices&)>& visit) {
  if (space.sample == 0) {
    // All, or evenly every so many of them.
    auto stride = static_cast<int64_t>(std::max(1.0, 1 / scale));
    Choices choices = Choices::first();
    int64_t number = 0;
    do {
      std::optional<Case> made = space.make(choices);
      if (made && number++ % stride == 0 && !visit(*made, choices)) return;
    } while (choices.advance());
    return;
  }
  auto wanted = static_cast<int64_t>(static_cast<double>(space.sample) * scale);
  std::set<std::vector<int64_t>> seen;
  int64_t found = 0;
  for (int64_t draw = 0; found < wanted && draw < 50 * wanted; ++draw) {
    Choices choices = Choices::drawn(verify::mix(static_cast<uint64_t>(draw)));
    std::optional<Case> made = space.make(choices);
    if (!made) continue;
    std::vector<int64_t> taken;
    for (const Choices::Choice& choice : choices.taken()) taken.push_back(choice.taken);
    if (!seen.insert(std::move(taken)).second) continue;
    ++found;
    if (!visit(*made, choices)) return;
  }
}

int64_t elements_of(const hlo::Module& module) {
  int64_t elements = 0;
  for (hlo::InstructionId id : module.entry_computation().instructions) {
    if (module[id].shape.is_array()) elements += module[id].shape.element_count();
  }
  return elements;
}

// Wrong if any of the forms is; the first wrong one as a counter-example.
std::optional<CounterExample> first_wrong(const hlo::Module& module, std::vector<Form>& forms,
                                          Judge& judge, Counts& counts) {
  hlo::DeviceCounts devices = hlo::infer_device_counts(module, {});
  for (Form& form : forms) {
    Judgement judgement;
    try {
      hlo::verify_module(form.module, devices);
      judgement = judge.of(form.module, form.promise);
    } catch (const hlo::InputError& error) {
      judgement = {Judgement::kWrong, "not well formed: " + error.message()};
    }
    if (judgement.verdict == Judgement::kNotRun) {
      if (counts.not_run++ == 0) counts.why_not_run = judgement.text;
      continue;
    }
    if (judgement.verdict == Judgement::kRight) continue;
    return CounterExample{module, std::move(form.module), judgement.text, devices.devices(),
                          elements_of(module)};
  }
  return std::nullopt;
}

bool is_smaller(const CounterExample& a, const CounterExample& b) {
  return std::pair(a.devices, a.elements) < std::pair(b.devices, b.elements);
}

// Groups of one member, or an empty result.
bool is_trivial(const hlo::Module& module) {
  hlo::DeviceCounts devices = hlo::infer_device_counts(module, {});
  bool all_of_one = true;
  for (hlo::InstructionId id : module.entry_computation().instructions) {
    if (!hlo::is_collective(module[id].opcode)) continue;
    hlo::DeviceGroupsRef groups = hlo::device_groups(module[id], devices);
    all_of_one &= groups && groups->group_size() == 1;
  }
  const hlo::Shape& result = module[module.entry_computation().root].shape;
  return all_of_one || result.byte_size() == 0;
}

using Rewrite = std::function<Rewrites(Case&)>;

std::optional<CounterExample> wrong_case(Case& made, const Rewrite& rewrite) {
  Rewrites rewrites = rewrite(made);
  Judge judge(made.module);
  Counts unused;
  return first_wrong(made.module, rewrites.forms, judge, unused);
}

// Takes a wrong case's choices down one by one, as long as it stays wrong.
CounterExample shrunk(const Space& space, const Rewrite& rewrite, const Choices& choices,
                      CounterExample smallest) {
  std::vector<int64_t> script;
  for (const Choices::Choice& choice : choices.taken()) script.push_back(choice.taken);
  int tries = 400;
  for (bool changed = true; changed && tries > 0;) {
    changed = false;
    for (size_t i = 0; i < script.size() && tries > 0; ++i) {
      for (int64_t lower : {int64_t{0}, script[i] / 2, script[i] - 1}) {
        if (lower < 0 || lower >= script[i] || --tries <= 0) continue;
        std::vector<int64_t> trial = script;
        trial[i] = lower;
        Choices replay = Choices::replayed(trial);
        std::optional<Case> made = space.make(replay);
        if (!made) continue;
        std::optional<CounterExample> wrong = wrong_case(*made, rewrite);
        if (!wrong || is_smaller(smallest, *wrong)) continue;
        smallest = std::move(*wrong);
        script.clear();
        for (const Choices::Choice& choice : replay.taken()) script.push_back(choice.taken);
        changed = true;
        break;
      }
    }
  }
  return smallest;
}

void count_refusal(const Space& space, Case& made, const std::string& reason, Judge& judge,
                   Counts& counts) {
  Modules candidates = made.candidates ? made.candidates() : Modules{};
  if (candidates.empty()) {
    ++counts.without_right_side;
    return;
  }
  for (hlo::Module& candidate : candidates) {
    std::vector<Form> one;
    one.push_back({std::move(candidate), space.promise});
    if (first_wrong(made.module, one, judge, counts)) continue;
    if (is_trivial(made.module)) {
      ++counts.trivial;
      return;
    }
    ++counts.refused_though_right[reason];
    ++counts.notes[reason][made.note];
    CounterExample example{made.module, std::move(one[0].module), reason,
                           hlo::infer_device_counts(made.module, {}).devices(),
                           elements_of(made.module)};
    auto [it, is_new] = counts.right_example.try_emplace(reason, example);
    if (!is_new && is_smaller(example, it->second)) it->second = std::move(example);
    return;
  }
  ++counts.refused_and_wrong;
}

Counts check_with(const Space& space, const Rewrite& rewrite, const CheckOptions& options) {
  Counts counts;
  std::optional<Choices> smallest;
  for_each_case(space, options.scale, [&](Case& made, const Choices& choices) {
    ++counts.cases;
    hlo::verify_module(made.module, hlo::infer_device_counts(made.module, {}));
    Rewrites rewrites = rewrite(made);
    Judge judge(made.module);
    if (rewrites.forms.empty()) {
      ++counts.refused[rewrites.refusal];
      if (options.try_candidates) count_refusal(space, made, rewrites.refusal, judge, counts);
      return true;
    }
    ++counts.fired;
    std::optional<CounterExample> wrong = first_wrong(made.module, rewrites.forms, judge, counts);
    if (!wrong) return true;
    ++counts.wrong;
    if (!counts.smallest || is_smaller(*wrong, *counts.smallest)) {
      counts.smallest = std::move(wrong);
      smallest = choices;
    }
    return counts.wrong != options.enough_wrong;
  });
  if (smallest) counts.smallest = shrunk(space, rewrite, *smallest, std::move(*counts.smallest));
  return counts;
}

Rewrites as_forms(const hlo::Module& original, Modules modules, const Space& space,
                  const char* refusal) {
  auto result_shape = [](const hlo::Module& module) {
    return module[module.entry_computation().root].shape;
  };
  Rewrites result;
  for (hlo::Module& module : modules) {
    // One of another shape would be noticed anyway.
    if (!result_shape(module).same_value_shape(result_shape(original))) continue;
    result.forms.push_back({std::move(module), space.promise});
  }
  if (result.forms.empty()) result.refusal = refusal;
  return result;
}

}  // namespace

int64_t Counts::refused_though_right_in_all() const {
  int64_t all = 0;
  for (const auto& [reason, count] : refused_though_right) all += count;
  return all;
}

Counts check(const Space& space, const Rewriter& rewriter, const CheckOptions& options) {
  return check_with(
      space, [&](Case& made) { return rewriter(made.module); }, options);
}

Counts check_fault(const Space& space, const CheckOptions& options) {
  CheckOptions without = options;
  without.try_candidates = false;
  return check_with(
      space,
      [&](Case& made) {
        return as_forms(made.module, made.faulty ? made.faulty() : Modules{}, space, "no fault");
      },
      without);
}

Counts check_claims(const Space& space, const CheckOptions& options) {
  return check_with(
      space,
      [&](Case& made) {
        return as_forms(made.module, made.claimed ? made.candidates() : Modules{}, space,
                        "the condition");
      },
      options);
}

}  // namespace flipsat::optimizer
