#include "egraph/runner.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "egraph/refusals.h"
#include "egraph/search.h"

namespace flipsat::egraph {
namespace {

// Adds the time until its end to a sum of seconds.
class Timer {
 public:
  explicit Timer(double& sum) : sum_(sum), start_(std::chrono::steady_clock::now()) {}
  ~Timer() {
    sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_;
};

// Puts the graph's origin back, also when a right-hand side throws.
class OriginScope {
 public:
  explicit OriginScope(EGraph& graph) : graph_(graph), before_(graph.origin()) {}
  ~OriginScope() { graph_.set_origin(before_); }
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;

 private:
  EGraph& graph_;
  Reason before_;
};

class Runner {
 public:
  Runner(EGraph& graph, const RuleSet& rules, const RunOptions& options)
      : graph_(graph),
        options_(options),
        search_(graph),
        last_search_(rules.size()),
        refusals_(rules.size()) {
    for (uint32_t i = 0; i < rules.size(); ++i) {
      compiled_.emplace_back(rules[i], graph.operators());
      report_.rules.emplace_back().name = rules[i].name();
    }
  }

  RunReport run() {
    Budget whole(options_.limits);
    graph_.rebuild(&whole);
    for (const Phase& phase : phases()) {
      if (whole.is_spent()) break;
      run_phase(phase, whole);
    }
    report_.stop = whole.is_spent() ? whole.reason() : report_.phases.back();
    for (size_t i = 0; i < compiled_.size(); ++i) {
      report_.rules[i].refused = refusals_[i].count(graph_);
    }
    report_.seconds = whole.seconds();
    return std::move(report_);
  }

 private:
  // The matches of one rule in `rows_`.
  struct Found {
    uint32_t rule;
    size_t begin;
    size_t end;
    uint32_t search_before;  // epoch
  };

  std::vector<Phase> phases() const {
    if (!options_.phases.empty()) return options_.phases;
    Phase all;
    all.scheduler = options_.scheduler;
    all.limits = options_.limits;
    for (uint32_t i = 0; i < compiled_.size(); ++i) all.rules.push_back(i);
    return {all};
  }

  void run_phase(const Phase& phase, Budget& whole) {
    // The tighter of the phase's limits and of what is left of the run's.
    Limits left = whole.limits();
    left.iterations -= std::min<uint64_t>(left.iterations, report_.iterations.size());
    left.matches -= std::min(left.matches, whole.matches());
    left.seconds -= whole.seconds();
    Limits limits = phase.limits;
    limits.tighten(left);
    Budget budget(limits);

    Scheduler scheduler(phase.scheduler, compiled_.size());
    uint64_t iteration = 0;
    while (!budget.spent_by_the_clock(graph_) && iterate(phase, scheduler, iteration, budget)) {
      ++iteration;
    }
    graph_.rebuild(&budget);
    whole.charge(budget, left);
    report_.phases.push_back(budget.reason());
  }

  // False when the phase is over; the budget then has the reason.
  bool iterate(const Phase& phase, Scheduler& scheduler, uint64_t iteration, Budget& budget) {
    if (iteration >= budget.limits().iterations) {
      budget.end(Stop::kIterations, static_cast<double>(budget.limits().iterations));
      return false;
    }
    IterationStats& stats = report_.iterations.emplace_back();
    const uint64_t changes_before = graph_.change_count();
    {
      const Timer timer(stats.search_seconds);
      search(phase, scheduler, iteration, budget);
    }
    graph_.next_epoch();
    {
      const Timer timer(stats.apply_seconds);
      apply(stats, budget);
    }
    {
      const Timer timer(stats.rebuild_seconds);
      graph_.rebuild(&budget);
    }
    stats.nodes = graph_.node_count();
    stats.classes = graph_.class_count();
    if (budget.is_spent()) return false;
    if (options_.after_iteration) {
      const bool go_on = options_.after_iteration(graph_, report_.iterations.size() - 1);
      if (!graph_.is_rebuilt()) graph_.rebuild(&budget);
      if (!go_on) {
        budget.end(Stop::kClient, 0);
        return false;
      }
    }
    if (graph_.change_count() == changes_before && !scheduler.lift_nearest_bans(iteration + 1)) {
      budget.end(Stop::kSaturated, 0);
      return false;
    }
    return true;
  }

  void search(const Phase& phase, Scheduler& scheduler, uint64_t iteration, Budget& budget) {
    rows_.clear();
    found_.clear();
    for (const uint32_t index : phase.rules) {
      if (scheduler.is_banned(index, iteration)) continue;
      const CompiledRule& rule = compiled_[index];
      RuleStats& stats = report_.rules[index];
      const Timer timer(stats.search_seconds);
      const bool in_full = options_.search == SearchMode::kFull || rule.rule.is_searched_in_full();
      const size_t begin = rows_.size();
      refusals_[index].make_room(graph_);
      const SearchResult result =
          search_.run(rule, in_full ? Search::kFromTheStart : last_search_[index],
                      scheduler.match_limit(index), budget, rows_, refusals_[index].list());
      stats.searched += result.started;
      stats.matched += result.matched;
      if (result.is_complete) {
        found_.push_back({index, begin, rows_.size(), last_search_[index]});
        last_search_[index] = graph_.epoch();
        continue;
      }
      rows_.resize(begin);
      if (budget.is_spent()) return;
      scheduler.ban(index, iteration);
      ++stats.bans;
    }
  }

  void apply(IterationStats& iteration, Budget& budget) {
    const OriginScope scope(graph_);
    for (const Found& found : found_) {
      RuleStats& stats = report_.rules[found.rule];
      const Timer timer(stats.apply_seconds);
      const CompiledRule& rule = compiled_[found.rule];
      const uint32_t width = rule.query.layout.width();
      graph_.set_origin(found.rule);
      const uint64_t edges_before = graph_.all_edges().size();
      for (size_t at = found.begin; at < found.end; at += width) {
        if (budget.spent(graph_)) {
          // What is left undone is found again, should a later phase go on.
          last_search_[found.rule] = found.search_before;
          break;
        }
        apply_row(rule, found.rule, &rows_[at], stats);
        ++iteration.matches;
      }
      stats.edges += graph_.all_edges().size() - edges_before;
    }
  }

  void apply_row(const CompiledRule& rule, uint32_t index, const uint32_t* row, RuleStats& stats) {
    ++stats.applied;
    if (!rule.rule.code()) {
      if (rule.term.add_to_root(graph_, row, scratch_)) ++stats.unions;
      return;
    }
    const Outcome outcome = rule.rule.code()(graph_, Match(graph_, rule.query.layout, row));
    if (outcome.reason != nullptr) {
      refusals_[index].list().push_back({row[0], outcome.reason});
    } else if (outcome.equal != kNoId && graph_.merge(row[0], outcome.equal, index)) {
      ++stats.unions;
    }
  }

  EGraph& graph_;
  const RunOptions& options_;
  Search search_;
  std::deque<CompiledRule> compiled_;  // by rule index
  std::vector<uint32_t> last_search_;  // by rule index: the epoch
  std::vector<RefusalCounter> refusals_;
  std::vector<uint32_t> rows_;
  std::vector<Found> found_;
  std::vector<ClassId> scratch_;
  RunReport report_;
};

}  // namespace

RunReport run(EGraph& graph, const RuleSet& rules, const RunOptions& options) {
  return Runner(graph, rules, options).run();
}

}  // namespace flipsat::egraph
