#include "egraph/runner.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

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

}  // namespace

// What outlives a run.
class Saturator::State {
 public:
  State(EGraph& graph, const RuleSet& rules)
      : graph(graph),
        search(graph, rules),
        last_search(rules.size(), Search::kFromTheStart),
        matches(rules.size()),
        pops(graph.pops()) {}

  EGraph& graph;
  Search search;
  std::vector<uint32_t> last_search;  // by rule index: the epoch
  std::vector<RuleMatches> matches;   // by rule index
  uint64_t pops;
};

namespace {

// Nodes waiting for congruence are dealt with when there are so many, so that neither their number
// nor the time that a stopped run still takes is without bound.
constexpr uint64_t kMostWaiting = 1 << 14;

class Runner {
 public:
  Runner(EGraph& graph, Search& search, std::vector<uint32_t>& last_search,
         std::vector<RuleMatches>& matches, const RunOptions& options)
      : graph_(graph),
        options_(options),
        search_(search),
        last_search_(last_search),
        matches_(matches),
        refusals_(search.size()) {
    for (uint32_t i = 0; i < search.size(); ++i) {
      report_.rules.emplace_back().name = search.rule(i).rule.name();
    }
  }

  RunReport run() {
    for (const Phase& phase : options_.phases) {
      for (const uint32_t rule : phase.rules) {
        if (rule >= search_.size())
          throw std::logic_error("a phase names a rule that is not there");
      }
    }
    Budget whole(options_.limits);
    graph_.rebuild(&whole);
    for (const Phase& phase : phases()) {
      if (whole.is_spent()) break;
      run_phase(phase, whole);
    }
    report_.stop =
        whole.is_spent() || report_.phases.empty() ? whole.reason() : report_.phases.back();
    for (size_t i = 0; i < refusals_.size(); ++i) {
      report_.rules[i].refused = refusals_[i].count(graph_);
      for (const Refusal& refusal : refusals_[i].list()) {
        report_.rules[i].refused_at.emplace_back(refusal.root, refusal.reason);
      }
    }
    report_.seconds = whole.seconds();
    return std::move(report_);
  }

 private:
  std::vector<Phase> phases() const {
    if (!options_.phases.empty()) return options_.phases;
    Phase all;
    all.scheduler = options_.scheduler;
    all.limits = options_.limits;
    for (uint32_t i = 0; i < search_.size(); ++i) all.rules.push_back(i);
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

    Scheduler scheduler(phase.scheduler, search_.size());
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
      graph_.tidy(&budget);
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
      const uint64_t pops = graph_.pops();
      const bool go_on = options_.after_iteration(graph_, report_.iterations.size() - 1);
      if (graph_.pops() != pops) std::ranges::fill(last_search_, Search::kFromTheStart);
      if (!graph_.is_rebuilt()) graph_.rebuild(&budget);
      if (!go_on) {
        budget.end(Stop::kClient, 0);
        return false;
      }
    }
    if (graph_.change_count() == changes_before) {
      if (!some_left_out_) {
        budget.end(Stop::kSaturated, 0);
        return false;
      }
      scheduler.lift_nearest_bans(iteration + 1);
    }
    return true;
  }

  void search(const Phase& phase, Scheduler& scheduler, uint64_t iteration, Budget& budget) {
    to_apply_.clear();
    some_left_out_ = false;
    // Rules that were last searched at the same epoch are searched together.
    std::map<uint32_t, std::vector<uint32_t>> by_epoch;
    for (const uint32_t index : phase.rules) {
      if (scheduler.is_banned(index, iteration)) {
        some_left_out_ = true;
        continue;
      }
      const bool in_full =
          options_.search == SearchMode::kFull || search_.rule(index).rule.is_searched_in_full();
      by_epoch[in_full ? Search::kFromTheStart : last_search_[index]].push_back(index);
      matches_[index].limit = scheduler.match_limit(index);
    }
    for (const auto& [since, rules] : by_epoch) {
      const bool is_complete = search_.run(rules, since, budget, matches_);
      for (const uint32_t index : rules) {
        RuleMatches& found = matches_[index];
        RuleStats& stats = report_.rules[index];
        stats.searched += found.started;
        stats.matched += found.matched;
        stats.search_seconds += found.seconds;
        refusals_[index].take(found.refusals, graph_);
        if (!found.is_complete) {
          found.rows.release();
          if (!is_complete) continue;
          some_left_out_ = true;
          scheduler.ban(index, iteration);
          ++stats.bans;
        }
      }
      if (!is_complete) return;
    }
    for (const uint32_t index : phase.rules) {
      if (scheduler.is_banned(index, iteration) || !matches_[index].is_complete) continue;
      to_apply_.push_back({index, last_search_[index]});
      last_search_[index] = graph_.epoch();
    }
  }

  void apply(IterationStats& iteration, Budget& budget) {
    const OriginScope scope(graph_);
    size_t next = 0;
    try {
      for (; next < to_apply_.size(); ++next) apply_rule(to_apply_[next], iteration, budget);
    } catch (...) {
      // What a right-hand side that throws leaves undone is found again.
      for (; next < to_apply_.size(); ++next) {
        last_search_[to_apply_[next].rule] = to_apply_[next].search_before;
      }
      throw;
    }
  }

  struct ToApply {
    uint32_t rule;
    uint32_t search_before;  // epoch
  };

  void apply_rule(const ToApply& found, IterationStats& iteration, Budget& budget) {
    const uint32_t index = found.rule;
    RuleStats& stats = report_.rules[index];
    const Timer timer(stats.apply_seconds);
    graph_.set_origin(index);
    const uint64_t edges_before = graph_.all_edges().size();
    const uint64_t rows_bytes = matches_[index].rows.size() * sizeof(uint32_t);
    if (!apply_rows(index, iteration, stats, budget)) {
      // What is left undone is found again, should a later phase go on.
      last_search_[index] = found.search_before;
    }
    matches_[index].rows.release();
    budget.release(rows_bytes);
    stats.edges += graph_.all_edges().size() - edges_before;
  }

  // False if the budget ended it.
  bool apply_rows(uint32_t index, IterationStats& iteration, RuleStats& stats, Budget& budget) {
    const CompiledRule& rule = search_.rule(index);
    const GrowArray<uint32_t>& rows = matches_[index].rows;
    const size_t count = rows.size() / rule.width;
    for (size_t begin = 0; begin < count;) {
      if (budget.spent(graph_)) return false;
      size_t batch = 1;
      if (rule.rule.code()) {
        apply_row(rule, index, rows.data() + begin * rule.width, stats);
      } else {
        batch = std::min(count - begin, batch_size(rule.term, budget));
        stats.unions +=
            rule.term.add_to_roots(graph_, rows.data() + begin * rule.width, batch, rule.width);
      }
      begin += batch;
      stats.applied += batch;
      iteration.matches += batch;
      if (graph_.waiting() > kMostWaiting) graph_.restore_congruence();
    }
    return true;
  }

  // Small where the limit is near, so that it holds.
  size_t batch_size(const Term& term, const Budget& budget) const {
    const auto left_of = [](uint64_t limit, uint64_t used) {
      return limit - std::min(limit, used);
    };
    const uint64_t left = std::min(left_of(budget.limits().nodes, graph_.node_count()),
                                   left_of(budget.limits().classes, graph_.class_count()));
    const uint64_t fits = left / std::max<size_t>(1, term.size());
    return std::clamp<uint64_t>(fits, 1, Term::kBatch);
  }

  void apply_row(const CompiledRule& rule, uint32_t index, const uint32_t* row, RuleStats& stats) {
    const Outcome outcome = rule.rule.code()(graph_, Match(graph_, rule.query.layout, row));
    if (outcome.reason != nullptr) {
      refusals_[index].list().push_back({row[0], outcome.reason});
    } else if (outcome.equal != kNoId &&
               Term::unite_by_match(graph_, row, rule.width, outcome.equal)) {
      ++stats.unions;
    }
  }

  EGraph& graph_;
  const RunOptions& options_;
  Search& search_;
  std::vector<uint32_t>& last_search_;
  std::vector<RuleMatches>& matches_;
  std::vector<ToApply> to_apply_;
  bool some_left_out_ = false;  // some rule was banned, or is from now on
  std::vector<RefusalCounter> refusals_;
  RunReport report_;
};

}  // namespace

Saturator::Saturator(EGraph& graph, const RuleSet& rules)
    : state_(std::make_unique<State>(graph, rules)) {}
Saturator::~Saturator() = default;

RunReport Saturator::run(const RunOptions& options) {
  if (state_->pops != state_->graph.pops()) {
    state_->pops = state_->graph.pops();
    std::ranges::fill(state_->last_search, Search::kFromTheStart);
  }
  return Runner(state_->graph, state_->search, state_->last_search, state_->matches, options).run();
}

RunReport run(EGraph& graph, const RuleSet& rules, const RunOptions& options) {
  return Saturator(graph, rules).run(options);
}

}  // namespace flipsat::egraph
