#include "passes/order_search.h"

#include <algorithm>
#include <stdexcept>

#include "hlo/verifier.h"
#include "passes/errors.h"

namespace flipsat::passes {

OrderSearch::OrderSearch(const hlo::Module& input, const GreedyOptions& options)
    : input_(input),
      options_(options),
      program_(input),
      context_(program_, context_options(options)),
      identities_(input, options.mode) {
  if (options_.order.size() > kMaxPasses) {
    throw std::invalid_argument("all orders of more than " + std::to_string(kMaxPasses) +
                                " passes are too many");
  }
  for (const std::string& name : options_.order) {
    std::unique_ptr<Pass> pass = make_pass(name, options_.mode);
    if (options_.disabled.count(name) > 0) pass.reset();
    passes_.push_back(std::move(pass));
  }
  hlo::verify_module(program_, context_.counts());
  states_.push_back({{}, std::vector<Edge>(passes_.size()), ""});
  state_of_.emplace(identities_.of(program_), kInput);
  search();
}

void OrderSearch::search() {
  Order order;
  for (const std::string& name : options_.order) {
    const auto first = std::find(options_.order.begin(), options_.order.end(), name);
    order.push_back(static_cast<uint32_t>(first - options_.order.begin()));
  }
  std::sort(order.begin(), order.end());
  do {
    bool settled = true;
    const State end = walk(order, settled);
    count(order, end, settled);
  } while (std::next_permutation(order.begin(), order.end()));
}

OrderSearch::State OrderSearch::walk(const Order& order, bool& settled) {
  State state = kInput;
  bool again = true;
  for (int sweep = 0; again && sweep < options_.max_sweeps; ++sweep) {
    bool fired = false;
    for (uint32_t pass : order) {
      const Edge& taken = edge(state, pass);
      fired |= taken.fired;
      state = taken.to;
    }
    again = fired && options_.sweeps == Sweeps::kFixPoint;
  }
  settled = !again;
  return state;
}

const OrderSearch::Edge& OrderSearch::edge(State from, uint32_t pass) {
  if (states_[from].edges[pass].to == kUnknown) {
    Edge found{from, false};
    if (passes_[pass]) found.to = run(from, pass, found.fired);
    states_[from].edges[pass] = found;
  }
  return states_[from].edges[pass];
}

OrderSearch::State OrderSearch::run(State from, uint32_t pass, bool& fired) {
  program(from);
  PassReport report;
  ++pass_runs_;
  try {
    fired = run_pass(*passes_[pass], context_, inheritance(options_.mode), report);
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
    states_.push_back({{}, std::vector<Edge>(passes_.size(), {known->second, false}), failure});
  }
  return known->second;
}

// Of what a pass has left in `program_`.
OrderSearch::State OrderSearch::state_of_program() {
  const auto [known, is_new] =
      state_of_.try_emplace(identities_.of(program_), static_cast<State>(states_.size()));
  ProgramDelta delta(input_, program_);
  if (is_new) {
    states_.push_back({std::move(delta), std::vector<Edge>(passes_.size()), ""});
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
  ++order_count_;
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
  for (uint32_t pass : order) names.push_back(options_.order[pass]);
  return names;
}

}  // namespace flipsat::passes
