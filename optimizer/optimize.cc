#include "optimizer/optimize.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "hlo/verifier.h"
#include "optimizer/alternatives.h"
#include "optimizer/changes.h"
#include "optimizer/combining.h"
#include "optimizer/egraph_program.h"
#include "optimizer/hoist.h"
#include "optimizer/partitioned.h"
#include "optimizer/proof.h"
#include "optimizer/split_sums.h"
#include "passes/order_search.h"

namespace flipsat::optimizer {
namespace {

class Timer {
 public:
  double milliseconds() {
    auto now = std::chrono::steady_clock::now();
    double elapsed = std::chrono::duration<double, std::milli>(now - start_).count();
    start_ = now;
    return elapsed;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A program that could be the output.
struct Candidate {
  Origin origin = Origin::kInput;
  hlo::Module module;
  extract::ProgramCost cost;
  std::vector<Change> changes;
  std::optional<Proof> proof;  // once it was asked for
};

class Optimizer {
 public:
  Optimizer(const hlo::Module& input, const Options& options, const Look& look = nullptr)
      : input_(input),
        options_(options),
        look_(look),
        counts_(hlo::infer_device_counts(input, options.devices)) {}

  Result run() {
    hlo::verify_module(input_, counts_);
    result_.counts = counts_;
    if (options_.solver) {
      result_.solver = SolverReport{options_.solver->name, options_.solver->version, 0, 0, 0, 0};
    }
    surroundings_ = extract::collective_surroundings(input_);
    result_.input_cost = price(input_);
    result_.greedy_cost = result_.input_cost;
    result_.output_cost = result_.input_cost;
    result_.elapsed.import = timer_.milliseconds();
    note_unknown_parameters();
    std::string reason = why_untouchable(input_);
    if (options_.verify != VerifyLevel::kOff) result_.verified.how = "symbolic";
    if (!reason.empty()) {
      result_.notes.push_back(std::move(reason));
      result_.output = input_;
      return std::move(result_);
    }
    std::optional<Candidate> greedy = greedy_candidate();
    if (greedy) result_.greedy_cost = greedy->cost;
    std::optional<Candidate> egraph = egraph_candidate();
    if (!options_.greedy_seed) greedy.reset();
    choose(std::move(greedy), std::move(egraph));
    if (options_.beat_orders) beat_orders();
    // Other programs of the same e-graph, beside what it chose.
    if (options_.alternatives > 0) find_alternatives();
    if (options_.hoist) try_hoisted();
    if (options_.emit_combined) emit_combined();
    if (look_) look_(*program_, result_);
    if (options_.headroom) find_headroom();
    // It counts launches as the compiler's combiner makes them.
    if (options_.emit_combined) result_.bound.reset();
    // The greedy order may have gone where no rule of the e-graph leads.
    if (result_.bound && *result_.bound > value(result_.output_cost)) result_.bound.reset();
    return std::move(result_);
  }

 private:
  extract::ProgramCost price(const hlo::Module& module) const {
    return extract::price_program(module, counts_, options_.cost, surroundings_);
  }

  int64_t value(const extract::ProgramCost& cost) const {
    return cost.value(options_.cost.objective);
  }

  passes::GreedyOptions greedy_options() const {
    passes::GreedyOptions greedy;
    greedy.numerics = options_.numerics;
    greedy.devices = options_.devices;
    greedy.disabled = passes_without(options_);
    greedy.assume_replicated.insert(options_.assume_replicated.begin(),
                                    options_.assume_replicated.end());
    return greedy;
  }

  std::optional<Candidate> greedy_candidate() {
    Candidate candidate;
    candidate.origin = Origin::kGreedy;
    candidate.module = input_;
    passes::GreedyOptions greedy = greedy_options();
    greedy.log = options_.greedy_log;
    passes::PipelineReport report = passes::run_greedy(candidate.module, greedy);
    if (!report.changed) return std::nullopt;
    candidate.changes = describe_difference(input_, candidate.module, "greedy order");
    // What nobody uses may have been rewritten, and so dropped: no value is computed otherwise.
    if (candidate.changes.empty()) return std::nullopt;
    candidate.cost = price(candidate.module);
    return candidate;
  }

  std::optional<Candidate> egraph_candidate() {
    program_.emplace(input_, counts_, options_, surroundings_);
    EGraphProgram& program = *program_;
    timer_.milliseconds();
    program.import();
    result_.elapsed.import += timer_.milliseconds();
    program.saturate();
    result_.elapsed.saturate = timer_.milliseconds();
    std::optional<language::Export> found;
    std::optional<Proof> proof;
    // A change that cannot be checked is given up and the rest chosen anew without it.
    for (int round = 0; round < kRounds; ++round) {
      found = program.extract();
      result_.elapsed.extract += timer_.milliseconds();
      if (!found) break;
      const std::vector<NotChecked> split = split_sums(input_, program.hlo(), *found);
      if (!split.empty() && options_.numerics < hlo::Numerics::kReassoc) {
        for (const NotChecked& sum : split) result_.notes.push_back("left alone: " + sum.why);
        if (program.give_up(*found, split) && round + 1 < kRounds) continue;
        found.reset();
        break;
      }
      if (options_.verify == VerifyLevel::kOff) break;
      proof = timed_proof(found->module, program.wider_sums(*found));
      if (proof->unchecked.empty()) break;
      note_unchecked(*proof);
      if (!program.give_up(*found, proof->unchecked) || round + 1 == kRounds) {
        found.reset();
        break;
      }
    }
    program.report(result_);
    result_.bound = program.bound(value(result_.input_cost));
    if (!found || found->patches.empty()) return std::nullopt;
    Candidate candidate;
    candidate.origin = Origin::kEGraph;
    candidate.cost = price(found->module);
    candidate.changes = program.describe(*found, result_);
    candidate.module = std::move(found->module);
    candidate.proof = std::move(proof);
    return candidate;
  }

  Proof timed_proof(const hlo::Module& after, const std::vector<std::string>& wider) {
    timer_.milliseconds();
    Proof proof = prove(input_, after, counts_, options_, wider);
    result_.elapsed.verify += timer_.milliseconds();
    return proof;
  }

  void note_unchecked(const Proof& proof) {
    auto& all = result_.verified.not_checked;
    all.insert(all.end(), proof.unchecked.begin(), proof.unchecked.end());
  }

  // Better than what is chosen so far, by the objective and within the user's limits?
  bool is_acceptable(const Candidate& candidate) const {
    const int64_t before = value(result_.input_cost);
    const int64_t after = value(candidate.cost);
    if (after >= before) return false;
    return gain(candidate) >= options_.min_gain && is_within_peak(candidate);
  }

  // Percent of the input's cost.
  double gain(const Candidate& candidate) const {
    const int64_t before = value(result_.input_cost);
    const int64_t after = value(candidate.cost);
    if (before == 0) return 0;
    return 100.0 * static_cast<double>(before - after) / static_cast<double>(before);
  }

  bool is_within_peak(const Candidate& candidate) const {
    if (!options_.max_peak_growth) return true;
    double peak = static_cast<double>(result_.input_cost.peak_bytes);
    return static_cast<double>(candidate.cost.peak_bytes) <=
           peak * (1 + *options_.max_peak_growth / 100);
  }

  void choose(std::optional<Candidate> greedy, std::optional<Candidate> egraph) {
    if (greedy && !is_acceptable(*greedy)) greedy.reset();
    if (egraph && !is_acceptable(*egraph)) {
      note_given_up(*egraph);
      egraph.reset();
    }
    // The e-graph's program was checked when it was chosen; the greedy order's is now, if it wins.
    if (greedy && egraph && value(egraph->cost) <= value(greedy->cost)) greedy.reset();
    if (greedy && !is_checked(*greedy)) greedy.reset();
    std::optional<Candidate>& chosen = greedy ? greedy : egraph;
    if (!chosen) {
      result_.output = input_;
      return;
    }
    take(std::move(*chosen));
  }

  void take(Candidate chosen) {
    if (chosen.proof) {
      result_.verified.values = chosen.proof->values;
      result_.verified.elements = chosen.proof->elements;
    }
    hlo::verify_module(chosen.module, counts_);
    result_.origin = chosen.origin;
    result_.output = std::move(chosen.module);
    result_.output_cost = std::move(chosen.cost);
    result_.changes = std::move(chosen.changes);
  }

  // The best program of any order of the local passes, where it is better than what was chosen; and
  // what the optimizer makes of that one.
  void beat_orders() {
    timer_.milliseconds();
    passes::OrderSearch search(input_, greedy_options());
    struct Start {
      extract::ProgramCost cost;
      passes::OrderSearch::State state;
      const passes::Order* order;
    };
    std::vector<Start> starts;
    OrdersReport& report = result_.orders.emplace();
    for (const passes::OrderResult& result : search.results()) {
      for (passes::OrderSearch::State state : result.states) {
        starts.push_back({price(search.program(state)), state, &result.orders.front()});
      }
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [&](const Start& a, const Start& b) { return value(a.cost) < value(b.cost); });
    report.order_count = search.order_count();
    report.programs = static_cast<int64_t>(search.results().size());
    report.states = search.state_count();
    report.best = starts.front().cost;
    report.worst = starts.back().cost;
    for (const std::string& name : search.names(*starts.front().order)) {
      report.best_order.push_back(passes::short_name(name));
    }
    result_.elapsed.orders = timer_.milliseconds();
    bool is_first_given_up = true;
    for (const Start& start : starts) {
      if (value(start.cost) >= value(result_.output_cost)) break;
      Candidate candidate;
      candidate.origin = Origin::kGreedy;
      candidate.cost = start.cost;
      if (!is_acceptable(candidate)) {
        if (std::exchange(is_first_given_up, false)) note_given_up(candidate);
        continue;
      }
      candidate.module = search.program(start.state);
      candidate.changes = describe_difference(input_, candidate.module, "pass order");
      // As for the greedy order.
      if (candidate.changes.empty() || !is_checked(candidate)) continue;
      take(std::move(candidate));
      report.is_output = true;
      result_.order_open = 0;
      note_order(search.names(*start.order));
      improve_on_order();
      break;
    }
  }

  void note_order(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) {
      list += (list.empty() ? "" : ", ") + passes::short_name(name);
    }
    result_.notes.push_back("an order of the local passes finds what the rules do not: " + list);
  }

  // The order's program may be where no rule leads from the input; rules go on from there.
  void improve_on_order() {
    const hlo::Module start = result_.output;
    Options options = options_;
    options.beat_orders = false;
    options.alternatives = 0;
    options.hoist = false;
    options.emit_combined = false;
    options.headroom = false;
    // Limits count from the input.
    options.min_gain = 0;
    options.max_peak_growth.reset();
    options.greedy_log = nullptr;
    Result found = Optimizer(start, options).run();
    result_.deterministic &= found.deterministic;
    result_.elapsed.import += found.elapsed.import;
    result_.elapsed.saturate += found.elapsed.saturate;
    result_.elapsed.extract += found.elapsed.extract;
    result_.elapsed.verify += found.elapsed.verify;
    Candidate candidate;
    candidate.origin = Origin::kEGraph;
    candidate.cost = price(found.output);
    if (value(candidate.cost) >= value(result_.output_cost) || !is_acceptable(candidate)) return;
    candidate.module = std::move(found.output);
    // Proved from the input, not from the order's program.
    if (!is_checked(candidate)) return;
    candidate.changes = describe_difference(input_, candidate.module, "pass order");
    name_rules(found.changes, candidate.changes);
    result_.order_open = found.order_open;
    take(std::move(candidate));
  }

  // Adds the rules of those changes that brought some of the same instructions.
  static void name_rules(const std::vector<Change>& from, std::vector<Change>& changes) {
    std::map<std::string, std::set<std::string>> rules_of;
    for (const Change& change : from) {
      for (const std::string& name : change.to) {
        rules_of[name].insert(change.rules.begin(), change.rules.end());
      }
    }
    for (Change& change : changes) {
      std::set<std::string> rules;
      for (const std::string& name : change.to) rules.merge(std::set(rules_of[name]));
      change.rules.insert(change.rules.end(), rules.begin(), rules.end());
    }
  }

  // Another module than the input, which the whole optimizer works on; where its best program is
  // better than what was chosen, that is the output.
  void try_hoisted() {
    std::optional<Hoisted> hoisted =
        hoist_gathers(input_, counts_, extract::machine_of(options_.cost));
    if (!hoisted) return;
    Proof proof;
    if (options_.verify != VerifyLevel::kOff) {
      proof = timed_proof(hoisted->module, {});
      note_unchecked(proof);
      if (!proof.unchecked.empty()) return;
    }
    Options options = options_;
    options.hoist = false;
    options.beat_orders = false;
    options.alternatives = 0;
    options.emit_combined = false;
    options.headroom = false;
    // Limits count from the input.
    options.min_gain = 0;
    options.max_peak_growth.reset();
    options.greedy_log = nullptr;
    Result found = Optimizer(hoisted->module, options).run();
    Candidate candidate;
    candidate.cost = price(found.output);
    if (value(candidate.cost) >= value(result_.output_cost)) return;
    if (!is_acceptable(candidate)) return note_given_up(candidate);
    found.input_cost = std::move(result_.input_cost);
    found.greedy_cost = std::move(result_.greedy_cost);
    found.output_cost = std::move(candidate.cost);
    found.origin = Origin::kEGraph;
    found.bound.reset();
    found.changes.insert(found.changes.begin(), hoisted->changes.begin(), hoisted->changes.end());
    found.verified.values += proof.values;
    found.verified.elements += proof.elements;
    found.deterministic &= result_.deterministic;
    found.orders = std::move(result_.orders);
    if (found.orders) found.orders->is_output = false;
    found.elapsed.orders = result_.elapsed.orders;
    found.alternatives = std::move(result_.alternatives);
    found.elapsed.alternatives = result_.elapsed.alternatives;
    found.elapsed.import += result_.elapsed.import;
    found.elapsed.saturate += result_.elapsed.saturate;
    found.elapsed.extract += result_.elapsed.extract;
    found.elapsed.verify += result_.elapsed.verify;
    result_ = std::move(found);
  }

  // What was chosen, with the collectives that are launched together written as one.
  void emit_combined() {
    std::set<hlo::ComputationId> left_alone;
    // Where something cannot be checked, the computation that it stands in is left alone.
    for (int round = 0; round < kRounds; ++round) {
      timer_.milliseconds();
      Combining combining = combine_collectives(result_.output, input_.instructions.size(), counts_,
                                                options_, result_.changes, left_alone);
      result_.elapsed.combine += timer_.milliseconds();
      result_.combined = std::move(combining.report);
      if (!combining.module) break;
      Proof proof;
      if (options_.verify != VerifyLevel::kOff) {
        proof = prove(result_.output, *combining.module, counts_, options_, {});
        result_.elapsed.verify += timer_.milliseconds();
      }
      if (proof.unchecked.empty()) return take_combined(std::move(combining), proof);
      note_unchecked(proof);
      const size_t before = left_alone.size();
      leave_alone(*combining.module, proof, left_alone);
      if (left_alone.size() == before) break;
    }
    result_.combined->written = result_.combined->members = 0;
    if (!left_alone.empty()) result_.combined->why_not = "it could not be checked";
  }

  static void leave_alone(const hlo::Module& module, const Proof& proof,
                          std::set<hlo::ComputationId>& left_alone) {
    std::set<std::string> names;
    for (const NotChecked& value : proof.unchecked) names.insert(value.at);
    for (hlo::ComputationId computation : module.order) {
      for (hlo::InstructionId id : module.computations[computation].instructions) {
        if (names.count("%" + module[id].name) > 0) left_alone.insert(computation);
      }
    }
  }

  void take_combined(Combining combining, const Proof& proof) {
    Candidate candidate;
    candidate.cost = price(*combining.module);
    CombinedReport& report = *result_.combined;
    report.why_not = why_not_combined(candidate);
    if (!report.why_not.empty()) {
      report.written = report.members = 0;
      return;
    }
    hlo::verify_module(*combining.module, counts_);
    // With changes it is no longer the input's own text.
    if (result_.origin == Origin::kInput) result_.origin = Origin::kEGraph;
    result_.output = std::move(*combining.module);
    result_.output_cost = std::move(candidate.cost);
    result_.changes = std::move(combining.changes);
    result_.verified.values += proof.values;
    result_.verified.elements += proof.elements;
  }

  std::string why_not_combined(const Candidate& candidate) const {
    const int64_t before = value(result_.output_cost);
    const int64_t after = value(candidate.cost);
    if (after > before) return "it costs more on this machine";
    if (candidate.cost.plain.launches > result_.output_cost.plain.launches) {
      return "the compiler's combiner launches less";
    }
    if (gain(candidate) < options_.min_gain) return "it gains less than --min-gain";
    if (!is_within_peak(candidate)) return "its peak grows by more than --max-peak-growth";
    return "";
  }

  void find_alternatives() {
    timer_.milliseconds();
    result_.alternatives =
        optimizer::find_alternatives(input_, counts_, options_, surroundings_, *program_, result_);
    result_.elapsed.alternatives = timer_.milliseconds();
    if (result_.alternatives->is_beaten) {
      result_.notes.push_back(
          "beside the output a program was seen that costs less, which the search had missed");
    }
    if (const int64_t left_out = result_.alternatives->left_out; left_out > 0) {
      result_.notes.push_back(std::to_string(left_out) +
                              " of the next best programs could not be checked and " +
                              (left_out == 1 ? "is left out" : "are left out"));
    }
  }

  bool is_checked(Candidate& candidate) {
    if (options_.verify == VerifyLevel::kOff) return true;
    candidate.proof = timed_proof(candidate.module, new_sums(candidate.module));
    note_unchecked(*candidate.proof);
    return candidate.proof->unchecked.empty();
  }

  // What each looser class would bring, one after the other.
  void find_headroom() {
    timer_.milliseconds();
    std::optional<extract::ProgramCost> best;
    for (hlo::Numerics looser : {hlo::Numerics::kPrecise, hlo::Numerics::kReassoc}) {
      if (looser <= options_.numerics) continue;
      // A class allows what those before it do.
      if (std::optional<language::Export> found = program_->loosen(looser)) {
        extract::ProgramCost cost = price(found->module);
        if (!best || value(cost) < value(*best)) best = std::move(cost);
      }
      if (best && value(*best) < value(result_.output_cost)) {
        result_.headroom.push_back({looser, *best});
      }
    }
    result_.elapsed.headroom = timer_.milliseconds();
  }

  // Reductions that passes brought: where a sum may have become a wider one.
  std::vector<std::string> new_sums(const hlo::Module& module) const {
    std::vector<std::string> names;
    for (size_t id = input_.instructions.size(); id < module.instructions.size(); ++id) {
      const hlo::Instruction& instruction = module[static_cast<hlo::InstructionId>(id)];
      if (hlo::is_collective(instruction.opcode)) names.push_back(instruction.name);
    }
    return names;
  }

  void note_given_up(const Candidate& candidate) {
    const int64_t before = value(result_.input_cost);
    const int64_t after = value(candidate.cost);
    if (after >= before) return;
    char text[160];
    std::snprintf(text, sizeof text,
                  "a program that costs %.1f %% less was found and not taken: %s", gain(candidate),
                  gain(candidate) < options_.min_gain
                      ? "it gains less than --min-gain"
                      : "its peak grows by more than --max-peak-growth");
    result_.notes.push_back(text);
  }

  void note_unknown_parameters() {
    std::set<std::string> unknown(options_.assume_replicated.begin(),
                                  options_.assume_replicated.end());
    for (hlo::InstructionId id : input_.entry_computation().parameters) {
      unknown.erase(input_[id].name);
    }
    for (const std::string& name : unknown) {
      result_.notes.push_back("--assume-replicated: no entry parameter is named " + name);
    }
  }

  static constexpr int kRounds = 8;

  const hlo::Module& input_;
  const Options& options_;
  const Look look_;
  hlo::DeviceCounts counts_;
  std::vector<bool> surroundings_;
  std::optional<EGraphProgram> program_;
  Timer timer_;
  Result result_;
};

}  // namespace

Result optimize(const hlo::Module& input, const Options& options) {
  return Optimizer(input, options).run();
}

Result optimize(const hlo::Module& input, const Options& options, const Look& look) {
  return Optimizer(input, options, look).run();
}

}  // namespace flipsat::optimizer
