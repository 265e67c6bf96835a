#include <fmt/format.h>

#include <algorithm>

#include "tools/orders.h"
#include "tools/text_table.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using laboratory::FinalProgram;
using laboratory::Study;
using Align = TextTable::Align;

constexpr size_t kProgramsShown = 20;
constexpr size_t kOrdersShown = 10;

std::string cost_of(const FinalProgram& program, extract::Objective objective) {
  return program.cost ? readable_cost(program.cost->value(objective), objective) : "-";
}

std::string above(const FinalProgram& program, std::optional<int64_t> least,
                  extract::Objective objective) {
  if (!program.cost || !least) return "-";
  const int64_t more = program.cost->value(objective) - *least;
  if (more == 0) return "0 %";
  if (*least == 0) return "-";
  return readable_share(static_cast<double>(more) / static_cast<double>(*least));
}

const FinalProgram* worst_of(const Study& study) {
  const FinalProgram* worst = nullptr;
  for (const FinalProgram& program : study.programs) {
    if (program.cost) worst = &program;
  }
  return worst;
}

std::string legend(const Study& study) {
  std::string line = "passes";
  for (size_t i = 0; i < study.listed; ++i) line += fmt::format("  {} {}", i + 1, study.passes[i]);
  for (size_t i = study.listed; i < study.passes.size(); ++i) {
    line += fmt::format("  then {}", study.passes[i]);
  }
  return line + "\n";
}

std::string headline(const Study& study, extract::Objective objective) {
  const auto orders = static_cast<int64_t>(study.orders.size());
  std::string line = fmt::format("{} at {}", counted(orders, "order ends", "orders end"),
                                 counted(static_cast<int64_t>(study.programs.size()), "program"));
  if (const FinalProgram* worst = worst_of(study)) {
    const FinalProgram& best = study.programs.front();
    const std::string one = cost_of(best, objective);
    const std::string other = cost_of(*worst, objective);
    line += one == other ? ", " + one : fmt::format(", {} to {}", one, other);
    line += fmt::format("; input {}",
                        readable_cost(study.result.input_cost.value(objective), objective));
    line += fmt::format(", e-graph {}",
                        readable_cost(study.result.output_cost.value(objective), objective));
  }
  if (study.result.bound) {
    line += fmt::format(", bound {}", readable_cost(*study.result.bound, objective));
  }
  if (study.result.orders && study.result.orders->is_output) {
    line += "; an order led the e-graph to what it had not found";
  }
  return line + "\n";
}

std::string program_lines(const Study& study, extract::Objective objective, bool all) {
  std::vector<Align> columns(8, Align::kRight);
  columns.insert(columns.end(), {Align::kLeft, Align::kRight, Align::kRight, Align::kLeft});
  TextTable table(columns);
  table.add({"program", "orders", "collectives", "launches", "wire bytes", "time", "peak", "",
             "right", "above e-graph", "above bound", "first order"});
  const size_t shown =
      all ? study.programs.size() : std::min(kProgramsShown, study.programs.size());
  std::string wrong;
  for (size_t i = 0; i < study.programs.size(); ++i) {
    const FinalProgram& program = study.programs[i];
    if (program.correctness.correct != laboratory::Correct::kYes) {
      wrong += fmt::format(
          "program {} is {}: {}\n", i + 1,
          program.correctness.correct == laboratory::Correct::kNo ? "wrong" : "not checked",
          program.correctness.why);
    }
    if (i >= shown) continue;
    std::vector<std::string> cells = {std::to_string(i + 1), std::to_string(program.orders.size())};
    if (program.cost) {
      const extract::ProgramCost& cost = *program.cost;
      cells.insert(cells.end(),
                   {std::to_string(cost.plain.collectives), std::to_string(cost.executed.launches),
                    readable_bytes(cost.executed.wire_bytes), readable_time(cost.time),
                    readable_bytes(cost.peak_bytes), ""});
    } else {
      cells.insert(cells.end(), {"-", "-", "-", "-", "-", ""});
    }
    cells.insert(cells.end(), {laboratory::to_string(program.correctness.correct),
                               above(program, study.result.output_cost.value(objective), objective),
                               above(program, study.result.bound, objective),
                               order_digits(study.orders[program.orders.front()])});
    table.add(cells);
  }
  std::string lines = table.text();
  if (shown < study.programs.size()) {
    lines += fmt::format("and {} more (--verbose lists them)\n", study.programs.size() - shown);
  }
  return wrong.empty() ? lines : lines + "\n" + wrong;
}

std::string swap_lines(const std::vector<laboratory::Swap>& swaps,
                       const std::vector<std::string>& passes) {
  TextTable table(
      {Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.add({"swapping", "with", "changes", "", "first is better", "second is better"});
  bool any = false;
  for (const laboratory::Swap& swap : swaps) {
    if (swap.changed == 0) continue;
    any = true;
    table.add(
        {passes[swap.first], passes[swap.second],
         fmt::format("{} of {}", swap.changed, swap.neighbours),
         readable_share(static_cast<double>(swap.changed) / static_cast<double>(swap.neighbours)),
         std::to_string(swap.first_is_better), std::to_string(swap.second_is_better)});
  }
  if (!any) return "swapping two neighbours never changes the program\n";
  return "neighbours in an order that change the program when swapped\n" + table.text(2);
}

std::string study_text(const OrdersRecord& record, const Orders& orders, bool verbose) {
  const Study& study = *record.study;
  const extract::Objective objective = orders.objective();
  std::string text = headline(study, objective);
  text += fmt::format(
      "{}: mode {}, {}; {} and {} runs of passes\n", record.path, to_string(orders.options.mode),
      orders.options.sweeps == passes::Sweeps::kOnce ? "one sweep" : "sweeps to a fix-point",
      counted(static_cast<int64_t>(study.states.size()), "state"), study.pass_runs);
  if (!study.left_alone.empty()) text += study.left_alone + "\n";
  text += legend(study) + "\n" + program_lines(study, objective, verbose);
  return text + "\n" + swap_lines(laboratory::swaps({&study}, objective), study.passes);
}

std::string module_lines(const Orders& orders) {
  const extract::Objective objective = orders.objective();
  std::vector<Align> columns(10, Align::kRight);
  columns[0] = Align::kLeft;
  columns[9] = Align::kLeft;
  TextTable table(columns);
  table.add({"module", "programs", "input", "worst", "as listed", "best", "e-graph", "bound",
             "best above e-graph", "right"});
  for (const OrdersRecord& record : orders.records) {
    if (!record.study) {
      table.add({record.relative, "failed"});
      continue;
    }
    const Study& study = *record.study;
    const FinalProgram* worst = worst_of(study);
    std::string right = "yes";
    for (const FinalProgram& program : study.programs) {
      if (program.correctness.correct == laboratory::Correct::kNo) right = "no";
      if (program.correctness.correct == laboratory::Correct::kUnchecked && right != "no") {
        right = "unchecked";
      }
    }
    table.add({record.relative, std::to_string(study.programs.size()),
               readable_cost(study.result.input_cost.value(objective), objective),
               worst ? cost_of(*worst, objective) : "-",
               cost_of(study.programs[study.program_of.front()], objective),
               cost_of(study.programs.front(), objective),
               readable_cost(study.result.output_cost.value(objective), objective),
               study.result.bound ? readable_cost(*study.result.bound, objective) : "-",
               above(study.programs.front(), study.result.output_cost.value(objective), objective),
               right});
  }
  return table.text();
}

std::string learning_lines(const Orders& orders, const Study& list, bool all) {
  const laboratory::Learning& learning = orders.learning;
  if (learning.counted.empty()) return "no order is right on any module\n";
  const laboratory::OrderClass& best = learning.classes.front();
  std::string lines = fmt::format("the order matters on {} of {}\n", learning.matters_on,
                                  counted(static_cast<int64_t>(learning.counted.size()), "module"));
  lines += fmt::format(
      "best single order {} (with {} more as good): regret {}; as listed {}, drawn at random {}\n",
      order_digits(list.orders[best.orders.front()]), best.orders.size() - 1,
      readable_share(best.mean_regret),
      readable_share(learning.classes[learning.class_of(0)].mean_regret),
      readable_share(learning.mean_regret));
  if (!learning.left_out.empty()) {
    lines +=
        fmt::format("learned on all modules but one, its regret on that one is {} on average\n",
                    readable_share(learning.left_out_regret));
  }
  TextTable table({Align::kRight, Align::kLeft, Align::kRight, Align::kRight, Align::kRight,
                   Align::kRight, Align::kRight});
  table.add({"orders", "first", "mean regret", "worst", "best on", "wrong on", "above e-graph"});
  const size_t shown =
      all ? learning.classes.size() : std::min(kOrdersShown, learning.classes.size());
  for (size_t i = 0; i < shown; ++i) {
    const laboratory::OrderClass& made = learning.classes[i];
    table.add({std::to_string(made.orders.size()), order_digits(list.orders[made.orders.front()]),
               readable_share(made.mean_regret), readable_share(made.worst_regret),
               std::to_string(made.best_on), std::to_string(made.wrong_on),
               readable_share(made.above_output)});
  }
  lines += table.text(2);
  if (shown < learning.classes.size()) {
    lines += fmt::format("  and {} more kinds of orders (--verbose lists them)\n",
                         learning.classes.size() - shown);
  }
  return lines;
}

}  // namespace

std::string orders_text(const Orders& orders, bool verbose) {
  const std::vector<const OrdersRecord*> studied = orders.studied();
  if (orders.is_one) return study_text(*studied.front(), orders, verbose);
  std::string text = module_lines(orders);
  for (const OrdersRecord& record : orders.records) {
    if (!record.error.empty()) text += record.error + "\n";
  }
  if (studied.empty()) return text;
  const Study& list = *studied.front()->study;
  text += "\n" + legend(list) + learning_lines(orders, list, verbose);
  return text + "\n" + swap_lines(orders.swaps, list.passes);
}

}  // namespace flipsat::tools
