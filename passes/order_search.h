// What all orders of a list of passes make of a module: a search over the programs that they reach.
//
// A state is a program, told by its identity (program_identity.h), and an edge what one pass makes
// of it; orders are walks. Each state is kept as its difference from the input, and each edge is
// run once, when the first order comes to it, so that 720 orders of six passes cost as many runs
// as there are different ones: a pass that finds nothing leads from a state to itself, and passes
// that do not meet lead to the same state whichever is first.
//
//   OrderSearch search(module, {.order = registry_order()});
//   for (const OrderResult& result : search.results()) price(search.program(result.states[0]));
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "passes/pipeline.h"
#include "passes/program_delta.h"
#include "passes/program_identity.h"
#include "passes/step.h"

namespace flipsat::passes {

// Positions in the list of passes, first to last; of equal names always the first.
using Order = std::vector<uint32_t>;

// How the orders of a list of steps are run.
struct OrderOptions {
  std::vector<StepRef> closing = {};  // run as they stand at the end of each order
  Mode mode = Mode::kSound;           // what tells programs apart
  Sweeps sweeps = Sweeps::kOnce;
  int max_sweeps = 64;
  ContextOptions context = {};
};

// A program that some orders end at.
struct OrderResult {
  using State = uint32_t;

  std::vector<Order> orders;  // in lexicographic order; each order is in exactly one result
  // Programs that differ in what nobody needs only, which is priced all the same; the first is that
  // of the first order. None where a pass went wrong.
  std::vector<State> states;
  std::string failure;  // what a pass that went wrong said: IllFormedModule or FatalError
  bool settled = true;  // false where an order was given up by max_sweeps
};

class OrderSearch {
 public:
  using State = OrderResult::State;
  static constexpr State kInput = 0;
  static constexpr size_t kMaxPasses = 9;

  // All orders of `options.order`; one of `options.disabled` stands in them and does nothing.
  // Keeps a reference to the input. Throws as run_greedy does for the input and for names, and
  // std::invalid_argument for more than kMaxPasses.
  OrderSearch(const hlo::Module& input, const GreedyOptions& options);
  OrderSearch(const hlo::Module& input, std::vector<StepRef> steps, OrderOptions options);
  OrderSearch(const OrderSearch&) = delete;
  OrderSearch& operator=(const OrderSearch&) = delete;

  // In the order of their first order.
  const std::vector<OrderResult>& results() const { return results_; }
  int64_t order_count() const { return static_cast<int64_t>(ends_.size()); }

  // Where an order ends: in lexicographic order of the orders.
  struct End {
    Order order;
    State state;
  };
  const std::vector<End>& ends() const { return ends_; }

  // What one step makes of a state, where it makes another of it and some order asked for that.
  struct Edge {
    State from;
    State to;
    uint32_t step;  // in the list; closing steps come after it
  };
  // By state, then step.
  std::vector<Edge> edges() const;
  // The states that an order passes through, one for each step that is run, the last one `End`'s.
  std::vector<State> path(const Order& order) const;
  // What a pass that went wrong said; empty for a program.
  const std::string& failure(State state) const { return states_[state].failure; }

  // Valid until the next call. A patched copy of the input: that of the first order which comes to
  // the state, as run_greedy leaves it.
  const hlo::Module& program(State state);
  // The names of an order's passes.
  std::vector<std::string> names(const Order& order) const;

  // How much there was to look at.
  int64_t state_count() const { return static_cast<int64_t>(states_.size()); }
  int64_t pass_runs() const { return pass_runs_; }

 private:
  static constexpr State kUnknown = ~State{0};

  struct Taken {
    State to = kUnknown;
    bool fired = false;
  };
  struct Reached {
    ProgramDelta delta;
    std::vector<Taken> edges;  // by step
    std::string failure;
  };

  void search();
  State walk(const Order& order, bool& settled);
  const Taken& edge(State from, uint32_t step);
  State run(State from, uint32_t step, bool& fired);
  const Step& step(uint32_t step) const;
  size_t step_count() const { return steps_.size() + options_.closing.size(); }
  State fail(const std::string& failure);
  State state_of_program();
  void count(const Order& order, State state, bool settled);

  const hlo::Module& input_;
  const std::vector<StepRef> steps_;
  const OrderOptions options_;
  hlo::Module program_;  // that of `at_`
  State at_ = kInput;
  Context context_;  // of `program_`
  IdentityFinder identities_;
  std::vector<Reached> states_;
  std::map<Identity, State> state_of_;
  std::map<std::string, State> failed_;
  std::vector<End> ends_;
  std::vector<OrderResult> results_;
  std::map<Identity, size_t> result_of_live_;
  std::map<State, size_t> result_of_;
  int64_t pass_runs_ = 0;
};

}  // namespace flipsat::passes
