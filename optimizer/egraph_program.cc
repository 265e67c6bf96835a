#include "optimizer/egraph_program.h"

#include <algorithm>
#include <map>

#include "extract/alternatives.h"
#include "extract/machine_model.h"
#include "extract/saturating.h"
#include "extract/standalone.h"
#include "optimizer/changes.h"
#include "optimizer/rule_choice.h"
#include "rules/saturate.h"

namespace flipsat::optimizer {
namespace {

// Where a slice starts: not worth naming among what a change took away or brought.
bool is_index_arithmetic(const hlo::Instruction& instruction) {
  const hlo::Shape& shape = instruction.shape;
  if (!hlo::is_integer(shape.type)) return false;
  return shape.rank() == 0 ||
         (shape.rank() == 1 && instruction.opcode != hlo::Opcode::kAllGather &&
          instruction.literal != nullptr) ||
         shape.element_count() == 1;
}

// How far an e-graph may grow where no limit is given, by effort. Rules that meet no partner make
// it about a tenth larger than the module.
constexpr uint64_t kFreeNodes = 2'000;
constexpr uint64_t kNodesPerNode = 2;
// The same of matches, of which real programs have two or three a node.
constexpr uint64_t kFreeMatches = 20'000;
constexpr uint64_t kMatchesPerNode = 20;
// Definitions that pricing may look at, by effort.
constexpr int64_t kWorkOnSearch = 500'000;
constexpr uint64_t kWorkOnProof = 10'000'000;  // of each exact solution, in its own unit
constexpr double kSolverLimit = 2.5;           // of each exact solution, in the solver's unit
constexpr int64_t kWorkOnHeadroom = 100'000;   // of each looser class, from what was found on
constexpr int64_t kWorkOnKept = 25'000;
constexpr int64_t kWorkOnAlternatives = 500'000;

// A rule run against its usual direction undoes what somebody wanted: not worth a word in a report.
bool is_backward(const std::string& rule) { return rule.find("/backward") != std::string::npos; }

std::string quoted(const hlo::Instruction& instruction) { return "%" + instruction.name; }

}  // namespace

EGraphProgram::EGraphProgram(const hlo::Module& input, const hlo::DeviceCounts& counts,
                             const Options& options, const std::vector<bool>& surroundings)
    : input_(input),
      counts_(counts),
      options_(options),
      surroundings_(surroundings),
      calls_(input),
      hlo_(counts),
      book_(hlo_, rule_options(options), families(options)) {}

void EGraphProgram::import() {
  hlo::Uniformity uniformity(input_, counts_, calls_, {options_.assume_replicated});
  hlo::DeviceValues values(input_, counts_, calls_);
  import_ =
      language::import_module(input_, {counts_, calls_, uniformity, values}, surroundings_, hlo_);
}

egraph::RunOptions EGraphProgram::run_options() const {
  egraph::RunOptions run;
  run.limits.nodes = options_.node_limit > 0
                         ? static_cast<uint64_t>(options_.node_limit)
                         : static_cast<uint64_t>(options_.effort) *
                               (kFreeNodes + kNodesPerNode * hlo_.graph().node_count());
  run.limits.iterations = 30;
  run.limits.matches = static_cast<uint64_t>(options_.effort) *
                       (kFreeMatches + kMatchesPerNode * hlo_.graph().node_count());
  if (options_.time_limit_seconds > 0) run.limits.seconds = options_.time_limit_seconds;
  return run;
}

void EGraphProgram::saturate() { run_ = rules::saturate(book_, run_options()); }

std::array<uint64_t, 3> EGraphProgram::size() const {
  const egraph::EGraph& graph = hlo_.graph();
  return {graph.node_count(), graph.class_count(), graph.all_edges().size()};
}

egraph::dag::BranchOptions EGraphProgram::proof_options() {
  egraph::dag::BranchOptions proof;
  proof.most_work = static_cast<uint64_t>(options_.effort) * kWorkOnProof;
  proof.solved = options_.solved ? options_.solved.get() : &solved_;
  if (options_.solver) {
    solver_process_.emplace(*options_.solver);
    solver_.emplace(*solver_process_);
    proof.solver = &*solver_;
    proof.solver_limit = static_cast<double>(options_.effort) * kSolverLimit;
  }
  return proof;
}

std::optional<language::Export> EGraphProgram::extract() {
  if (extraction_) {
    // Again, without what was given up in between. The bound holds for fewer programs, too.
    for (language::ClassId cls : given_up_) state_->choose(cls, egraph::kNoId);
    if (!state_->cost()) state_.emplace(*problem_);
    extract::SearchResult found =
        extract::local_search(*problem_, *state_, search_options(kWorkOnSearch));
    extraction_->selection = std::move(found.selection);
    extraction_->best = found.best;
  } else {
    problem_.emplace(input_, import_, hlo_, options_.cost, calls_, surroundings_);
    state_.emplace(*problem_);
    extraction_ =
        extract::extract(*problem_, *state_, search_options(kWorkOnSearch), proof_options());
  }
  std::optional<language::Export> best = exported(extraction_->selection);
  if (!best) return best;
  // What is written as collectives of several operands again was not priced so.
  const int64_t elsewhere = value(input_) - extraction_->start.objective;
  if (value(best->module) != extraction_->best.objective + elsewhere) extraction_->bound.reset();
  return best;
}

std::optional<int64_t> EGraphProgram::bound(int64_t input_cost) const {
  if (!extraction_ || !extraction_->bound) return std::nullopt;
  return *extraction_->bound + input_cost - extraction_->start.objective;
}

int64_t EGraphProgram::value(const hlo::Module& module) const {
  return extract::price_program(module, counts_, options_.cost, surroundings_)
      .value(options_.cost.objective);
}

extract::SearchOptions EGraphProgram::search_options(int64_t work) const {
  extract::SearchOptions search;
  search.work = options_.effort * work;
  search.given_up = given_up_;
  return search;
}

std::optional<language::Export> EGraphProgram::exported(const language::Selection& selection) {
  if (selection.chosen.empty()) return std::nullopt;
  std::optional<language::Export> exported =
      language::export_module(input_, import_, hlo_, selection);
  if (!exported || !exported->is_regrouped) return exported;
  // A combiner may do better with collectives of one operand each.
  std::optional<language::Export> apart =
      language::export_module(input_, import_, hlo_, selection, language::Grouped::kOneByOne);
  return value(apart->module) < value(exported->module) ? std::move(apart) : std::move(exported);
}

language::Selection EGraphProgram::selection() const {
  return extraction_ ? extraction_->selection : language::Selection{};
}

bool EGraphProgram::next_best(
    size_t most, const std::function<bool(std::optional<language::Export>)>& wants_more) {
  if (!extraction_) return false;
  extract::ProgramState state(*problem_);
  for (const auto& [cls, node] : extraction_->selection.chosen) state.choose(cls, node);
  if (!state.cost()) return false;
  extract::AlternativeOptions options;
  options.work = options_.effort * kWorkOnAlternatives;
  options.most = most;
  options.given_up = given_up_;
  extract::Alternatives search(*problem_, state, options);
  bool is_exact = search.is_exact();
  const int64_t elsewhere = value(input_) - extraction_->start.objective;
  for (size_t told = 0; told < most; ++told) {
    const std::optional<extract::Alternatives::Program> program = search.next();
    if (!program) return is_exact;
    std::optional<language::Export> found = exported(program->selection);
    if (!found && !program->selection.chosen.empty()) {
      is_exact = false;
      continue;
    }
    // What is written as collectives of several operands again was not priced so.
    const int64_t price = value(found ? found->module : input_);
    if (price != program->cost.objective + elsewhere) is_exact = false;
    if (!wants_more(std::move(found))) return is_exact;
  }
  return false;
}

std::optional<language::Export> EGraphProgram::loosen(hlo::Numerics numerics) {
  if (run_.stop.stop != egraph::Stop::kSaturated) return std::nullopt;  // more rules, no sooner
  Options looser = options_;
  looser.numerics = numerics;
  rules::RuleBook book(hlo_, rule_options(looser), families(looser));
  const std::array<uint64_t, 3> before = size();
  rules::saturate(book, run_options());
  if (size() == before) return std::nullopt;

  const language::Selection start = state_ ? state_->selection() : language::Selection{};
  std::set<language::ClassId> given_up;
  for (language::ClassId cls : given_up_) given_up.insert(hlo_.graph().find(cls));
  given_up_ = std::move(given_up);
  state_.reset();
  problem_.emplace(input_, import_, hlo_, options_.cost, calls_, surroundings_);
  state_.emplace(*problem_);
  for (const auto& [cls, node] : start.chosen) {
    if (hlo_.graph().is_live(node)) state_->choose(hlo_.graph().find(cls), node);
  }
  // Classes that were merged may define one another.
  if (!state_->cost()) state_.emplace(*problem_);
  const extract::SearchResult found =
      extract::local_search(*problem_, *state_, search_options(kWorkOnHeadroom));
  if (found.best.objective >= found.start.objective) return std::nullopt;
  return exported(found.selection);
}

bool EGraphProgram::give_up(const language::Export& exported,
                            const std::vector<NotChecked>& unchecked) {
  // Which patch brought a value, by every name under which the verifier may speak of it: its own,
  // and that of an instruction that uses it.
  std::map<std::string, std::vector<hlo::InstructionId>> patched;
  std::map<hlo::InstructionId, hlo::InstructionId> patch_of;
  for (const language::Patch& patch : exported.patches) {
    patch_of[patch.replacement] = patch.at;
    patched[quoted(exported.module[patch.replacement])].push_back(patch.at);
    for (hlo::InstructionId id : patch.to) patched[quoted(exported.module[id])].push_back(patch.at);
  }
  for (hlo::ComputationId computation : exported.module.order) {
    for (hlo::InstructionId id : exported.module.computations[computation].instructions) {
      for (hlo::InstructionId operand : exported.module[id].operands) {
        auto patch = patch_of.find(operand);
        if (patch != patch_of.end()) patched[quoted(exported.module[id])].push_back(patch->second);
      }
    }
  }
  size_t before = given_up_.size();
  for (const NotChecked& value : unchecked) {
    for (hlo::InstructionId at : patched[value.at]) {
      given_up_.insert(hlo_.graph().find(import_.class_of[at]));
    }
  }
  return given_up_.size() > before;
}

std::vector<std::string> EGraphProgram::wider_sums(const language::Export& exported) const {
  std::vector<std::string> names;
  for (const language::Patch& patch : exported.patches) {
    if (!patch.is_refinement) continue;
    for (hlo::InstructionId id : patch.to) {
      const hlo::Instruction& instruction = exported.module[id];
      if (hlo::is_collective(instruction.opcode)) names.push_back(instruction.name);
    }
  }
  return names;
}

std::vector<egraph::Reason> EGraphProgram::rules_within(hlo::InstructionId value) const {
  const language::ClassId cls = hlo_.graph().find(import_.class_of[value]);
  std::set<egraph::Reason> rules;
  for (const egraph::Union& made : hlo_.graph().unions()) {
    if (made.reason < book_.set().size() && hlo_.graph().find(made.a) == cls) {
      rules.insert(made.reason);
    }
  }
  return {rules.begin(), rules.end()};
}

std::vector<Change> EGraphProgram::describe(const language::Export& exported, Result& result) {
  std::vector<Change> changes;
  const extract::Machine& machine = extract::machine_of(options_.cost);
  auto price = [&](const hlo::Module& module, const std::vector<hlo::InstructionId>& ids,
                   std::vector<std::string>& names, int64_t& bytes, extract::Picoseconds& time) {
    for (hlo::InstructionId id : ids) {
      if (is_index_arithmetic(module[id])) continue;
      names.push_back(quoted(module[id]));
      extract::StandaloneCost cost = extract::standalone_cost(module, id, counts_, machine);
      bytes += cost.wire_bytes;
      time += cost.time;
    }
  };
  std::map<std::string, extract::Picoseconds> gains;
  for (const language::Patch& patch : exported.patches) {
    Change change;
    change.at = quoted(input_[patch.at]);
    change.computation = input_.computations[input_[patch.at].computation].name;
    change.source = source_of(input_, input_[patch.at]);
    price(input_, patch.from, change.from, change.bytes_before, change.time_before);
    price(exported.module, patch.to, change.to, change.bytes_after, change.time_after);
    bool is_order_open = false;
    std::set<std::string> names;
    const std::vector<egraph::Reason> unions =
        patch.rules.empty() ? rules_within(patch.at) : std::vector<egraph::Reason>{};
    for (egraph::Reason rule : patch.rules.empty() ? unions : patch.rules) {
      const rules::RuleInfo& info = book_.info(rule);
      names.insert(info.name);
      is_order_open |= info.order_open;
    }
    if (names.empty()) names.insert("duplicate");
    change.rules.assign(names.begin(), names.end());
    if (is_order_open) ++result.order_open;
    for (const std::string& name : change.rules) {
      gains[name] +=
          (change.time_before - change.time_after) / static_cast<int64_t>(change.rules.size());
    }
    changes.push_back(std::move(change));
  }
  for (RuleReport& rule : result.rules) rule.gain = gains[rule.name];
  return changes;
}

void EGraphProgram::report(Result& result) {
  result.egraph.nodes = static_cast<int64_t>(hlo_.graph().node_count());
  result.egraph.classes = static_cast<int64_t>(hlo_.graph().class_count());
  result.egraph.iterations = static_cast<int64_t>(run_.iterations.size());
  result.egraph.stop = egraph::to_string(run_.stop);
  if (run_.stop.stop == egraph::Stop::kSeconds) result.deterministic = false;
  report_rules(result);
  report_kept(result);
  report_solver(result);
  std::map<std::string, int64_t> opaque;
  for (const language::OpaqueCollective& collective : import_.opaque_collectives) {
    ++opaque[collective.reason];
  }
  for (const auto& [reason, count] : opaque) {
    result.notes.push_back(std::to_string(count) + " collective" + (count == 1 ? " is" : "s are") +
                           " left alone: " + reason);
  }
}

void EGraphProgram::report_rules(Result& result) {
  std::map<std::string, RuleReport> by_name;
  for (egraph::Reason rule = 0; rule < run_.rules.size(); ++rule) {
    const egraph::RuleStats& stats = run_.rules[rule];
    RuleReport& report = by_name[book_.info(rule).name];
    report.name = book_.info(rule).name;
    report.matches += static_cast<int64_t>(stats.matched);
    report.applied += static_cast<int64_t>(stats.unions + stats.edges);
    for (const auto& [reason, count] : stats.refused) {
      report.refused[reason] += static_cast<int64_t>(count);
    }
  }
  for (auto& [name, report] : by_name) result.rules.push_back(std::move(report));
}

void EGraphProgram::report_solver(Result& result) const {
  if (!solver_ || !result.solver) return;
  const egraph::dag::CheckedSolver::Tally& tally = solver_->tally();
  SolverReport& report = *result.solver;
  report.asked = tally.asked;
  report.cheaper = tally.cheaper;
  report.proved = tally.closed;
  for (const auto& [why, count] : tally.refused) report.refused += count;
  for (std::string& note : solvers::sentences(report.name, tally)) {
    result.notes.push_back(std::move(note));
  }
  result.deterministic &= !tally.is_by_clock;
}

// Where a rule's form was there for the taking and the input's form is cheaper. `time_before` is
// what would go, `time_after` that and what the whole program would take more.
void EGraphProgram::report_kept(Result& result) {
  if (!problem_ || !state_) return;
  extract::MoveFinder finder(*problem_, *state_, given_up_);
  const int64_t work_limit = state_->work() + options_.effort * kWorkOnKept;
  const std::optional<extract::StateCost> now = state_->cost();
  for (const extract::MoveFinder::Alternative& alternative : finder.alternatives()) {
    egraph::Reason born = hlo_.graph().born_of(alternative.node);
    if (born == egraph::kNoReason || is_backward(book_.set()[born].name())) continue;
    Kept kept;
    kept.at = quoted(input_[problem_->originals(alternative.cls).front()]);
    kept.rule = book_.info(born).name;
    kept.why = given_up_.count(alternative.cls) ? "not checked" : "cost";
    kept.time_before = alternative.removed;
    kept.time_after = alternative.removed;
    if (now && state_->work() < work_limit) {
      extract::ProgramState::Snapshot before = state_->snapshot(alternative.choices);
      for (const auto& [cls, node] : alternative.choices) state_->choose(cls, node);
      const std::optional<extract::StateCost> cost = state_->cost();
      state_->restore(before);
      if (!cost) continue;  // it would be defined by itself
      kept.time_after = kept.time_before + cost->time - now->time;
    } else if (options_.cost.objective == extract::Objective::kTime &&
               alternative.likely_gain <= 0) {
      kept.time_after = extract::saturating_add(kept.time_after, -alternative.likely_gain);
    } else if (kept.why == "cost") {
      kept.why = "not priced";
    }
    result.kept.push_back(std::move(kept));
  }
}

}  // namespace flipsat::optimizer
