#include "passes/order_search.h"

#include <algorithm>
#include <stdexcept>

#include "hlo/verifier.h"
#include "passes/errors.h"

namespace flipsat::passes {
namespace {

std::vector<StepRef> steps_of(const GreedyOptions& greedy) {
  std::vector<StepRef> steps;
  for (const std::string& name : greedy.order) {
    StepRef step = pass_step(name, greedy.mode);
    if (greedy.disabled.count(name) > 0) step = idle_step(name);
    steps.push_back(std::move(step));
  }
  return steps;
}

OrderOptions order_options(const GreedyOptions& greedy) {
  OrderOptions options;
  options.mode = greedy.mode;
  options.sweeps = greedy.sweeps;
  options.max_sweeps = greedy.max_sweeps;
  options.context = context_options(greedy);
  return options;
}

}  // namespace

OrderSearch::OrderSearch(const hlo::Module& input, const GreedyOptions& options)
    : OrderSearch(input, steps_of(options), order_options(options)) {}

OrderSearch::OrderSearch(const hlo::Module& input, std::vector<StepRef> steps, OrderOptions options)
    : input_(input),
      steps_(std::move(steps)),
      options_(std::move(options)),
      program_(input),
      context_(program_, options_.context),
      identities_(input, options_.mode) {
  if (steps_.size() > kMaxPasses) {
    throw std::invalid_argument("all orders of more than " + std::to_string(kMaxPasses) +
                                " passes are too many");
  }
  hlo::verify_module(program_, context_.counts());
  states_.push_back({{}, std::vector<Taken>(step_count()), ""});
  state_of_.emplace(identities_.of(program_), kInput);
  search();
}

void OrderSearch::search() {
  Order order;
  for (const StepRef& step : steps_) {
    const auto first = std::find_if(steps_.begin(), steps_.end(),
                                    [&](const StepRef& s) { return s->name() == step->name(); });
    order.push_back(static_cast<uint32_t>(first - steps_.begin()));
  }
  std::sort(order.begin(), order.end());
  do {
    bool settled = true;
    const State end = walk(order, settled);
    count(order, end, settled);
  } while (std::next_permutation(order.begin(), order.end()));
}

const Step& OrderSearch::step(uint32_t step) const {
  const size_t listed = steps_.size();
  return step < listed ? *steps_[step] : *options_.closing[step - listed];
}

OrderSearch::State OrderSearch::walk(const Order& order, bool& settled) {
  State state = kInput;
  bool again = true;
  for (int sweep = 0; again && sweep < options_.max_sweeps; ++sweep) {
    bool fired = false;
    const auto take = [&](uint32_t step) {
      const Taken& taken = edge(state, step);
      fired |= taken.fired;
      state = taken.to;
    };
    for (uint32_t step : order) take(step);
    for (size_t step = steps_.size(); step < step_count(); ++step) {
      take(static_cast<uint32_t>(step));
    }
    again = fired && options_.sweeps == Sweeps::kFixPoint;
  }
  settled = !again;
  return state;
}

// Every edge of it is known.
std::vector<OrderSearch::State> OrderSearch::path(const Order& order) const {
  std::vector<State> path;
  State state = kInput;
  bool again = true;
  for (int sweep = 0; again && sweep < options_.max_sweeps; ++sweep) {
    bool fired = false;
    for (size_t i = 0; i < step_count(); ++i) {
      const Taken& taken = states_[state].edges[i < order.size() ? order[i] : i];
      fired |= taken.fired;
      state = taken.to;
      path.push_back(state);
    }
    again = fired && options_.sweeps == Sweeps::kFixPoint;
  }
  return path;
}

std::vector<OrderSearch::Edge> OrderSearch::edges() const {
  std::vector<Edge> edges;
  for (State from = 0; from < states_.size(); ++from) {
    for (uint32_t step = 0; step < step_count(); ++step) {
      const State to = states_[from].edges[step].to;
      if (to != kUnknown && to != from) edges.push_back({from, to, step});
    }
  }
  return edges;
}

const OrderSearch::Taken& OrderSearch::edge(State from, uint32_t step) {
  if (states_[from].edges[step].to == kUnknown) {
    Taken found{from, false};
    found.to = run(from, step, found.fired);
    states_[from].edges[step] = found;
  }
  return states_[from].edges[step];
}

OrderSearch::State OrderSearch::run(State from, uint32_t step, bool& fired) {
  program(from);
  ++pass_runs_;
  try {
    fired = this->step(step).run(context_);
  } catch (const IllFormedModule& error) {
    return fail(error.what());
  } catch (const FatalError& error) {
    return fail(error.what());
  }
  return fired ? state_of_program() : from;
}

// The compiler ends here, so every pass leads from there to itself.
OrderSearch::State OrderSearch::fail(const std::string& failure) {
  program_ = input_;
  at_ = kInput;
  context_.refresh();
  const auto [known, is_new] = failed_.try_emplace(failure, static_cast<State>(states_.size()));
  if (is_new) {
    states_.push_back({{}, std::vector<Taken>(step_count(), {known->second, false}), failure});
  }
  return known->second;
}

// Of what a pass has left in `program_`.
OrderSearch::State OrderSearch::state_of_program() {
  const auto [known, is_new] =
      state_of_.try_emplace(identities_.of(program_), static_cast<State>(states_.size()));
  ProgramDelta delta(input_, program_);
  if (is_new) {
    states_.push_back({std::move(delta), std::vector<Taken>(step_count()), ""});
    at_ = known->second;
  } else {
    // Written otherwise than the one that is kept.
    delta.revert(input_, program_);
    at_ = kInput;
    context_.refresh();
  }
  return known->second;
}

const hlo::Module& OrderSearch::program(State state) {
  if (state != at_) {
    states_[at_].delta.revert(input_, program_);
    states_[state].delta.apply(program_);
    at_ = state;
    context_.refresh();
  }
  return program_;
}

void OrderSearch::count(const Order& order, State state, bool settled) {
  ends_.push_back({order, state});
  auto known = result_of_.find(state);
  if (known == result_of_.end()) {
    size_t result = results_.size();
    if (states_[state].failure.empty()) {
      result =
          result_of_live_.try_emplace(identities_.of_live(program(state)), result).first->second;
    }
    if (result == results_.size()) {
      results_.emplace_back();
      results_.back().failure = states_[state].failure;
    }
    if (states_[state].failure.empty()) results_[result].states.push_back(state);
    known = result_of_.emplace(state, result).first;
  }
  OrderResult& result = results_[known->second];
  result.orders.push_back(order);
  result.settled &= settled;
}

std::vector<std::string> OrderSearch::names(const Order& order) const {
  std::vector<std::string> names;
  for (uint32_t pass : order) names.push_back(steps_[pass]->name());
  return names;
}

}  // namespace flipsat::passes
