#include <fmt/format.h>

#include "tools/orders.h"
#include "tools/report.h"

namespace flipsat::tools {
namespace {

using laboratory::FinalProgram;
using laboratory::Study;

// Down to a millionth: less is what rounding to whole picoseconds makes of it.
Json ratio(double value) {
  std::string text = fmt::format("{:.6f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return exact_number(text == "-0" ? "0" : text);
}

Json optional_ratio(const std::optional<double>& value) {
  return value ? ratio(*value) : Json(nullptr);
}

// How far above something a cost is, as a share of that.
Json above(int64_t cost, std::optional<int64_t> least) {
  if (!least) return nullptr;
  if (*least == 0) return cost == 0 ? ratio(0) : Json(nullptr);
  return ratio(static_cast<double>(cost - *least) / static_cast<double>(*least));
}

Json result_record(const Study& study, const FinalProgram& program, extract::Objective objective) {
  Json orders = Json::array();
  for (uint32_t order : program.orders) orders.push_back(study.names(order));
  Json record = {{"orders", std::move(orders)}, {"count", program.orders.size()}};
  record["program"] = program.cost ? program_record(*program.cost) : Json(nullptr);
  record["correct"] = laboratory::to_string(program.correctness.correct);
  if (!program.correctness.why.empty()) record["why"] = program.correctness.why;
  if (!program.settled) record["settled"] = false;
  if (program.cost) {
    const int64_t cost = program.cost->value(objective);
    record["above_output"] = above(cost, study.result.output_cost.value(objective));
    record["above_bound"] = above(cost, study.result.bound);
  }
  return record;
}

Json lattice_record(const Study& study, extract::Objective objective) {
  Json states = Json::array();
  for (const laboratory::LatticeState& state : study.states) {
    states.push_back(
        {{"cost", state.cost ? objective_number(*state.cost, objective) : Json(nullptr)},
         {"depth", state.depth},
         {"result", state.ends_program ? Json(*state.ends_program) : Json(nullptr)},
         {"ending_orders", state.ending_orders}});
  }
  Json edges = Json::array();
  for (const laboratory::LatticeEdge& edge : study.edges) {
    Json names = Json::array();
    for (uint32_t step : edge.steps) names.push_back(study.passes[step]);
    edges.push_back({{"from", edge.from},
                     {"to", edge.to},
                     {"passes", std::move(names)},
                     {"orders", edge.orders}});
  }
  return {{"states", std::move(states)}, {"edges", std::move(edges)}};
}

Json swap_records(const std::vector<laboratory::Swap>& swaps,
                  const std::vector<std::string>& passes) {
  Json records = Json::array();
  for (const laboratory::Swap& swap : swaps) {
    records.push_back({{"passes", {passes[swap.first], passes[swap.second]}},
                       {"neighbours", swap.neighbours},
                       {"changed", swap.changed},
                       {"first_is_better", swap.first_is_better},
                       {"second_is_better", swap.second_is_better},
                       {"modules", swap.modules}});
  }
  return records;
}

// What was asked: the same for all modules of a run.
void add_request(Json& report, const Orders& orders) {
  report["mode"] = to_string(orders.options.mode);
  report["sweeps"] = to_string(orders.options.sweeps);
  report.update(options_record(orders.options.optimizer));
}

void add_study(Json& report, const Study& study, const Orders& orders) {
  const extract::Objective objective = orders.objective();
  report["assumed"] = assumed_record(orders.options.optimizer, study.result.counts);
  report["passes"] =
      std::vector(study.passes.begin(), study.passes.begin() + static_cast<int64_t>(study.listed));
  report["closing"] =
      std::vector(study.passes.begin() + static_cast<int64_t>(study.listed), study.passes.end());
  report["order_count"] = study.orders.size();
  report["results"] = Json::array();
  for (const FinalProgram& program : study.programs) {
    report["results"].push_back(result_record(study, program, objective));
  }
  report["input_program"] = program_record(study.result.input_cost);
  report["output"] = program_record(study.result.output_cost);
  report["bound"] = bound_record(study.result, objective);
  report["origin"] = to_string(study.result.origin);
  report["order_won"] = study.result.orders && study.result.orders->is_output;
  report["lattice"] = lattice_record(study, objective);
  report["pass_runs"] = study.pass_runs;
  report["deterministic"] = study.result.deterministic;
  report["notes"] = study.result.notes;
}

Json learning_record(const Orders& orders) {
  const laboratory::Learning& learning = orders.learning;
  if (learning.counted.empty()) return nullptr;
  const std::vector<const OrdersRecord*> studied = orders.studied();
  const Study& list = *studied[learning.counted.front()]->study;
  Json record = {{"modules", learning.counted.size()}, {"matters_on", learning.matters_on}};
  record["best_order"] = list.names(learning.classes.front().orders.front());
  record["mean_regret"] = ratio(learning.classes.front().mean_regret);
  record["mean_regret_of_all"] = ratio(learning.mean_regret);
  record["first_order_regret"] = ratio(learning.classes[learning.class_of(0)].mean_regret);
  Json left_out = Json::array();
  for (size_t i = 0; i < learning.left_out.size(); ++i) {
    left_out.push_back({{"input", studied[learning.counted[i]]->path},
                        {"order", list.names(learning.left_out[i].order)},
                        {"regret", optional_ratio(learning.left_out[i].regret)}});
  }
  record["leave_one_out"] = {{"mean_regret", ratio(learning.left_out_regret)},
                             {"records", std::move(left_out)}};
  Json regrets = Json::array();
  for (const laboratory::OrderClass& made : learning.classes) {
    for (uint32_t order : made.orders) {
      regrets.push_back({{"order", list.names(order)},
                         {"mean_regret", ratio(made.mean_regret)},
                         {"worst_regret", ratio(made.worst_regret)},
                         {"best_on", made.best_on},
                         {"wrong_on", made.wrong_on},
                         {"above_output", ratio(made.above_output)}});
    }
  }
  record["orders"] = std::move(regrets);
  record["swaps"] = swap_records(orders.swaps, list.passes);
  return record;
}

}  // namespace

Json orders_report(const Orders& orders) {
  Json report = report_head();
  if (orders.is_one) {
    const OrdersRecord& record = orders.records.front();
    report["input"] = record.path;
    add_request(report, orders);
    add_study(report, *record.study, orders);
    report["swaps"] = swap_records(orders.swaps, record.study->passes);
    return report;
  }
  add_request(report, orders);
  report["records"] = Json::array();
  for (const OrdersRecord& record : orders.records) {
    Json one = {{"input", record.path}};
    if (record.study) {
      one["mode"] = to_string(orders.options.mode);
      add_study(one, *record.study, orders);
    } else {
      one["error"] = record.error;
    }
    report["records"].push_back(std::move(one));
  }
  report["learning"] = learning_record(orders);
  return report;
}

}  // namespace flipsat::tools
