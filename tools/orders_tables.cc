#include <fmt/format.h>

#include "tools/csv.h"
#include "tools/orders.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using laboratory::Study;

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

std::string share(double value) { return fmt::format("{:.6f}", value); }

std::string cost_text(int64_t cost, extract::Objective objective) {
  return objective == extract::Objective::kTime ? exact_microseconds(cost) : std::to_string(cost);
}

// A row for each distinct program of each module.
std::string programs_table(const Orders& orders) {
  const extract::Objective objective = orders.objective();
  std::string table = csv_line({"input", "program", "orders", "collectives", "launches",
                                "wire_bytes", "executed_launches", "executed_wire_bytes", "time_us",
                                "peak_bytes", "correct", "output", "bound", "first_order", "why"});
  for (const OrdersRecord* record : orders.studied()) {
    const Study& study = *record->study;
    for (size_t i = 0; i < study.programs.size(); ++i) {
      const laboratory::FinalProgram& program = study.programs[i];
      std::vector<std::string> cells = {record->path, std::to_string(i + 1),
                                        std::to_string(program.orders.size())};
      if (program.cost) {
        const extract::ProgramCost& cost = *program.cost;
        for (int64_t figure : {cost.plain.collectives, cost.plain.launches, cost.plain.wire_bytes,
                               cost.executed.launches, cost.executed.wire_bytes}) {
          cells.push_back(std::to_string(figure));
        }
        cells.push_back(exact_microseconds(cost.time));
        cells.push_back(std::to_string(cost.peak_bytes));
      } else {
        cells.resize(cells.size() + 7);
      }
      cells.push_back(laboratory::to_string(program.correctness.correct));
      cells.push_back(cost_text(study.result.output_cost.value(objective), objective));
      cells.push_back(study.result.bound ? cost_text(*study.result.bound, objective) : "");
      cells.push_back(joined(study.names(program.orders.front())));
      cells.push_back(program.correctness.why);
      table += csv_line(cells);
    }
  }
  return table;
}

// A row for each order, over all modules.
std::string orders_table(const Orders& orders, const Study& list) {
  std::string table = csv_line(
      {"order", "mean_regret", "worst_regret", "best_on", "wrong_on", "above_output", "modules"});
  for (const laboratory::OrderClass& made : orders.learning.classes) {
    for (uint32_t order : made.orders) {
      table +=
          csv_line({joined(list.names(order)), share(made.mean_regret), share(made.worst_regret),
                    std::to_string(made.best_on), std::to_string(made.wrong_on),
                    share(made.above_output), std::to_string(orders.learning.counted.size())});
    }
  }
  return table;
}

std::string left_out_table(const Orders& orders, const Study& list) {
  std::string table = csv_line({"input", "order", "regret"});
  const std::vector<const OrdersRecord*> studied = orders.studied();
  for (size_t i = 0; i < orders.learning.left_out.size(); ++i) {
    const laboratory::LeftOut& left_out = orders.learning.left_out[i];
    table +=
        csv_line({studied[orders.learning.counted[i]]->path, joined(list.names(left_out.order)),
                  left_out.regret ? share(*left_out.regret) : ""});
  }
  return table;
}

std::string swaps_table(const Orders& orders, const Study& list) {
  std::string table = csv_line({"first", "second", "neighbours", "changed", "first_is_better",
                                "second_is_better", "modules"});
  for (const laboratory::Swap& swap : orders.swaps) {
    table += csv_line({list.passes[swap.first], list.passes[swap.second],
                       std::to_string(swap.neighbours), std::to_string(swap.changed),
                       std::to_string(swap.first_is_better), std::to_string(swap.second_is_better),
                       std::to_string(swap.modules)});
  }
  return table;
}

}  // namespace

std::map<std::string, std::string> orders_tables(const Orders& orders) {
  std::map<std::string, std::string> tables = {{"programs.csv", programs_table(orders)}};
  const std::vector<const OrdersRecord*> studied = orders.studied();
  if (studied.empty()) return tables;
  const Study& list = *studied.front()->study;
  tables["orders.csv"] = orders_table(orders, list);
  tables["left_out.csv"] = left_out_table(orders, list);
  tables["swaps.csv"] = swaps_table(orders, list);
  return tables;
}

}  // namespace flipsat::tools
