#include "laboratory/study.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "optimizer/optimize.h"
#include "optimizer/partitioned.h"
#include "passes/pipeline.h"

namespace flipsat::laboratory {
namespace {

using passes::OrderSearch;
using State = OrderSearch::State;

// All that a report says of a program.
auto figures(const extract::ProgramCost& cost) {
  const extract::Totals& plain = cost.plain;
  const extract::Totals& executed = cost.executed;
  return std::tuple(cost.time, cost.peak_bytes, plain.collectives, plain.launches,
                    plain.gathered_bytes, plain.reduced_bytes, plain.wire_bytes,
                    executed.collectives, executed.launches, executed.gathered_bytes,
                    executed.reduced_bytes, executed.wire_bytes);
}

class Studying {
 public:
  Studying(const hlo::Module& input, const StudyOptions& options)
      : input_(input), options_(options), setting_(make_setting(input, options)) {}

  Study run() {
    PassList list = make_passes(options_.mode, options_.passes, setting_);
    for (const std::vector<passes::StepRef>* steps : {&list.steps, &list.closing}) {
      for (const passes::StepRef& step : *steps) study_.passes.push_back(short_name(*step));
    }
    study_.listed = list.steps.size();
    study_.left_alone = optimizer::why_untouchable(input_);
    if (!study_.left_alone.empty()) {
      for (passes::StepRef& step : list.steps) step = passes::idle_step(step->name());
      list.closing.clear();
      study_.passes.resize(study_.listed);
    }
    OrderSearch search(input_, std::move(list.steps), order_options(std::move(list.closing)));
    price_states(search);
    collect_programs(search);
    sort_programs();
    draw_lattice(search);
    study_.pass_runs = search.pass_runs();
    study_.result = best_of_all();
    return std::move(study_);
  }

 private:
  static std::shared_ptr<const optimizer::FamilySetting> make_setting(const hlo::Module& input,
                                                                      const StudyOptions& options) {
    optimizer::FamilySetting setting;
    setting.counts = hlo::infer_device_counts(input, options.optimizer.devices);
    setting.options = options.optimizer;
    setting.surroundings = extract::collective_surroundings(input);
    return std::make_shared<const optimizer::FamilySetting>(std::move(setting));
  }

  passes::OrderOptions order_options(std::vector<passes::StepRef> closing) const {
    passes::GreedyOptions greedy;
    greedy.numerics = options_.optimizer.numerics;
    greedy.devices = options_.optimizer.devices;
    greedy.assume_replicated.insert(options_.optimizer.assume_replicated.begin(),
                                    options_.optimizer.assume_replicated.end());
    passes::OrderOptions order;
    order.closing = std::move(closing);
    if (options_.mode == Mode::kLiteral) order.mode = passes::Mode::kLiteral;
    order.sweeps = options_.sweeps;
    order.context = passes::context_options(greedy);
    return order;
  }

  int64_t value(const extract::ProgramCost& cost) const {
    return cost.value(options_.optimizer.cost.objective);
  }

  void price_states(OrderSearch& search) {
    costs_.resize(static_cast<size_t>(search.state_count()));
    for (State state = 0; state < costs_.size(); ++state) {
      if (!search.failure(state).empty()) continue;
      costs_[state] = extract::price_program(search.program(state), setting_->counts,
                                             options_.optimizer.cost, setting_->surroundings);
    }
  }

  // Programs that differ in what nobody needs only are one where they cost the same.
  void collect_programs(OrderSearch& search) {
    program_of_state_.resize(costs_.size());
    for (const passes::OrderResult& result : search.results()) {
      std::vector<State> firsts;
      if (result.states.empty()) {
        add_wrong_end(search, result);
        continue;
      }
      for (State state : result.states) {
        const auto same = std::find_if(firsts.begin(), firsts.end(), [&](State first) {
          return figures(*costs_[first]) == figures(*costs_[state]);
        });
        if (same != firsts.end()) {
          program_of_state_[state] = program_of_state_[*same];
          continue;
        }
        firsts.push_back(state);
        program_of_state_[state] = static_cast<uint32_t>(study_.programs.size());
        FinalProgram& program = study_.programs.emplace_back();
        program.cost = costs_[state];
        program.settled = result.settled;
        program.correctness =
            state == OrderSearch::kInput
                ? Correctness{Correct::kYes, ""}
                : check(input_, search.program(state), setting_->counts, options_.optimizer);
      }
    }
    for (const OrderSearch::End& end : search.ends()) {
      const auto order = static_cast<uint32_t>(study_.orders.size());
      study_.orders.push_back(end.order);
      study_.program_of.push_back(*program_of_state_[end.state]);
      study_.programs[study_.program_of.back()].orders.push_back(order);
    }
  }

  void add_wrong_end(const OrderSearch& search, const passes::OrderResult& result) {
    for (State state = 0; state < program_of_state_.size(); ++state) {
      if (search.failure(state) != result.failure) continue;
      program_of_state_[state] = static_cast<uint32_t>(study_.programs.size());
    }
    FinalProgram& program = study_.programs.emplace_back();
    program.correctness = {Correct::kNo, result.failure};
  }

  void sort_programs() {
    std::vector<uint32_t> sorted(study_.programs.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
      const auto& one = study_.programs[a].cost;
      const auto& other = study_.programs[b].cost;
      if (!one || !other) return one.has_value() && !other.has_value();
      return value(*one) < value(*other);
    });
    std::vector<uint32_t> place(sorted.size());
    std::vector<FinalProgram> programs;
    for (uint32_t i = 0; i < sorted.size(); ++i) {
      place[sorted[i]] = i;
      programs.push_back(std::move(study_.programs[sorted[i]]));
    }
    study_.programs = std::move(programs);
    for (uint32_t& program : study_.program_of) program = place[program];
    for (std::optional<uint32_t>& program : program_of_state_) {
      if (program) program = place[*program];
    }
  }

  void draw_lattice(const OrderSearch& search) {
    study_.states.resize(costs_.size());
    for (State state = 0; state < costs_.size(); ++state) {
      if (costs_[state]) study_.states[state].cost = value(*costs_[state]);
      study_.states[state].ends_program = program_of_state_[state];
    }
    std::map<std::pair<State, State>, LatticeEdge> edges;
    for (const OrderSearch::Edge& edge : search.edges()) {
      LatticeEdge& drawn = edges[{edge.from, edge.to}];
      drawn.from = edge.from;
      drawn.to = edge.to;
      drawn.steps.push_back(edge.step);
    }
    for (const OrderSearch::End& end : search.ends()) {
      State at = OrderSearch::kInput;
      for (State next : search.path(end.order)) {
        if (next != at) ++edges[{at, next}].orders;
        at = next;
      }
      ++study_.states[end.state].ending_orders;
    }
    for (auto& [ends, edge] : edges) study_.edges.push_back(std::move(edge));
    find_depths();
  }

  void find_depths() {
    std::vector<uint32_t> reached{OrderSearch::kInput};
    std::vector<bool> is_reached(study_.states.size());
    is_reached[OrderSearch::kInput] = true;
    for (size_t i = 0; i < reached.size(); ++i) {
      for (const LatticeEdge& edge : study_.edges) {
        if (edge.from != reached[i] || is_reached[edge.to]) continue;
        is_reached[edge.to] = true;
        study_.states[edge.to].depth = study_.states[edge.from].depth + 1;
        reached.push_back(edge.to);
      }
    }
  }

  optimizer::Result best_of_all() const {
    optimizer::Options options = options_.optimizer;
    options.beat_orders = options.greedy_seed;
    options.headroom = false;
    optimizer::Result result = optimizer::optimize(input_, options);
    result.output = {};
    return result;
  }

  const hlo::Module& input_;
  const StudyOptions& options_;
  const std::shared_ptr<const optimizer::FamilySetting> setting_;
  std::vector<std::optional<extract::ProgramCost>> costs_;  // by state
  std::vector<std::optional<uint32_t>> program_of_state_;
  Study study_;
};

}  // namespace

std::vector<std::string> Study::names(uint32_t order) const {
  std::vector<std::string> names;
  for (uint32_t pass : orders[order]) names.push_back(passes[pass]);
  return names;
}

std::optional<int64_t> Study::cost(uint32_t order, extract::Objective objective) const {
  const FinalProgram& program = programs[program_of[order]];
  if (!program.cost) return std::nullopt;
  return program.cost->value(objective);
}

Study study(const hlo::Module& module, const StudyOptions& options) {
  return Studying(module, options).run();
}

}  // namespace flipsat::laboratory
