#include "tools/orders_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/html.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using laboratory::FinalProgram;
using laboratory::Study;

constexpr size_t kRowsShown = 40;

std::string row(const std::vector<std::string>& cells, size_t words, const char* tag = "td") {
  std::string text = "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) {
    text += fmt::format("<{}{}>{}</{}>", tag, i < words ? "" : " class=\"n\"", cells[i], tag);
  }
  return text + "</tr>\n";
}

std::string tile(const std::string& figure, const std::string& words) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>\n", escaped(figure), escaped(words));
}

std::string figure(const std::string& picture, const std::string& caption) {
  return fmt::format("<figure><div class=\"wide\">{}</div><figcaption>{}</figcaption></figure>\n",
                     picture, escaped(caption));
}

std::string pass_list(const Study& study) {
  std::string list = "<ol class=\"passes\">\n";
  for (size_t i = 0; i < study.listed; ++i) {
    list += fmt::format("<li><code>{}</code></li>\n", escaped(study.passes[i]));
  }
  list += "</ol>\n";
  for (size_t i = study.listed; i < study.passes.size(); ++i) {
    list += fmt::format("<p class=\"quiet\">and at the end of each order <code>{}</code></p>\n",
                        escaped(study.passes[i]));
  }
  return list;
}

std::string right_cell(const FinalProgram& program) {
  const std::string word = laboratory::to_string(program.correctness.correct);
  if (program.correctness.correct == laboratory::Correct::kYes) return word;
  return fmt::format("<span class=\"bad\" title=\"{}\">{}</span>", escaped(program.correctness.why),
                     word);
}

std::string above_cell(int64_t cost, std::optional<int64_t> least) {
  if (!least || *least == 0) return "-";
  return escaped(readable_share(static_cast<double>(cost - *least) / static_cast<double>(*least)));
}

std::string programs_table(const Study& study, extract::Objective objective) {
  std::string table = "<div class=\"wide\"><table>\n";
  table += row({"first order", "right", "orders", "collectives", "launches", "wire bytes", "time",
                "peak", "above e-graph", "above bound"},
               2, "th");
  for (size_t i = 0; i < std::min(kRowsShown, study.programs.size()); ++i) {
    const FinalProgram& program = study.programs[i];
    std::vector<std::string> cells = {
        fmt::format("<span class=\"mono\">{}</span>",
                    order_digits(study.orders[program.orders.front()])),
        right_cell(program), std::to_string(program.orders.size())};
    if (program.cost) {
      const extract::ProgramCost& cost = *program.cost;
      const int64_t value = cost.value(objective);
      cells.insert(cells.end(),
                   {std::to_string(cost.plain.collectives), std::to_string(cost.executed.launches),
                    readable_bytes(cost.executed.wire_bytes), readable_time(cost.time),
                    readable_bytes(cost.peak_bytes),
                    above_cell(value, study.result.output_cost.value(objective)),
                    above_cell(value, study.result.bound)});
    }
    table += row(cells, 2);
  }
  table += "</table></div>\n";
  if (study.programs.size() > kRowsShown) {
    table += fmt::format("<p class=\"quiet\">and {} more programs</p>\n",
                         study.programs.size() - kRowsShown);
  }
  return table;
}

std::string cost_line(const Study& study, extract::Objective objective) {
  std::string line = fmt::format(
      "input {}, e-graph {}", readable_cost(study.result.input_cost.value(objective), objective),
      readable_cost(study.result.output_cost.value(objective), objective));
  if (study.result.bound) {
    line += ", bound " + readable_cost(*study.result.bound, objective);
  }
  return line;
}

std::string study_part(const Study& study, extract::Objective objective) {
  std::string part;
  if (!study.left_alone.empty()) part += fmt::format("<p>{}</p>\n", escaped(study.left_alone));
  part += figure(cost_histogram(study, objective),
                 "Orders by what their program costs. The line marks what the e-graph finds, the "
                 "dashed one the bound that no program under the rules is below.");
  part += figure(lattice_graph(study, objective),
                 "All programs that some order comes to. An edge is a pass, by its number, that "
                 "changes the program; thicker where more orders take it. A ring, and the number "
                 "of orders: some end here.");
  return part + programs_table(study, objective);
}

std::string summary(const OrdersRecord& record, extract::Objective objective) {
  const Study& study = *record.study;
  std::string best = "-", worst = "-";
  for (const FinalProgram& program : study.programs) {
    if (!program.cost) continue;
    worst = readable_cost(program.cost->value(objective), objective);
    if (best == "-") best = worst;
  }
  return fmt::format("<b>{}</b> <span class=\"quiet\">{}: {}{}; {}</span>",
                     escaped(record.relative),
                     counted(static_cast<int64_t>(study.programs.size()), "program"), best,
                     best == worst ? "" : " to " + worst, cost_line(study, objective));
}

std::string learning_part(const Orders& orders, const Study& list) {
  const laboratory::Learning& learning = orders.learning;
  if (learning.counted.empty()) return "<p>No order is right on any module.</p>\n";
  const laboratory::OrderClass& best = learning.classes.front();
  std::string part = "<div class=\"tiles\">\n";
  part += tile(std::to_string(learning.counted.size()), "modules");
  part += tile(std::to_string(learning.matters_on), "on which the order matters");
  part += tile(readable_share(best.mean_regret), "regret of the best single order");
  part += tile(readable_share(learning.classes[learning.class_of(0)].mean_regret),
               "regret of the order as listed");
  part += tile(readable_share(learning.mean_regret), "regret of an order drawn at random");
  if (!learning.left_out.empty()) {
    part += tile(readable_share(learning.left_out_regret), "regret on a module left out");
  }
  part += tile(readable_share(best.above_output), "best single order above the e-graph");
  part += "</div>\n";
  part += fmt::format(
      "<p>Best single order: <span class=\"mono\">{}</span>{}. The regret of an order on a module "
      "is how much more its program costs than that of the module's best order.</p>\n",
      order_digits(list.orders[best.orders.front()]),
      best.orders.size() > 1 ? fmt::format(", and {} more as good", best.orders.size() - 1) : "");
  if (const std::string map = regret_map(orders); !map.empty()) {
    part += "<h2>Regret</h2>\n" + scale_legend();
    part += figure(map,
                   "A column for each kind of order (orders that end alike on every module), the "
                   "best first; a row for each module on which the order matters.");
  }
  return part;
}

std::string failures(const Orders& orders) {
  std::string lines;
  for (const OrdersRecord& record : orders.records) {
    if (record.study) continue;
    lines += fmt::format("<li class=\"bad\">{}</li>\n", escaped(record.error));
  }
  return lines.empty() ? "" : "<h2>Failed</h2>\n<ul>\n" + lines + "</ul>\n";
}

std::string modules_part(const Orders& orders) {
  const extract::Objective objective = orders.objective();
  std::string several = "<h2>Modules on which orders end at several programs</h2>\n";
  std::string same;
  const char* open = " open";  // the first
  for (const OrdersRecord* record : orders.studied()) {
    const std::string line = summary(*record, objective);
    if (record->study->programs.size() == 1) {
      same += fmt::format("<li>{}</li>\n", line);
    } else {
      several += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open, line,
                             study_part(*record->study, objective));
      open = "";
    }
  }
  return several + "<h2>Modules on which all orders end at one</h2>\n<ul>\n" + same + "</ul>\n";
}

}  // namespace

std::string orders_page(const Orders& orders) {
  const std::vector<const OrdersRecord*> studied = orders.studied();
  std::string body = lattice_arrow() + "<h1>Orders of local passes</h1>\n";
  if (studied.empty()) return html_page("Orders of local passes", body + failures(orders));
  const Study& list = *studied.front()->study;
  const extract::Objective objective = orders.objective();
  body += fmt::format(
      "<p class=\"quiet\">{} orders, mode {}, {}; {} modelled for {} with combiner {}</p>\n",
      list.orders.size(), to_string(orders.options.mode),
      orders.options.sweeps == passes::Sweeps::kOnce ? "one sweep" : "sweeps to a fix-point",
      counted(static_cast<int64_t>(studied.size()), "module"),
      escaped(orders.options.optimizer.cost.machine),
      escaped(orders.options.optimizer.cost.combiner.name));
  if (orders.is_one) {
    body += fmt::format("<p>{}</p>\n", summary(*studied.front(), objective)) + scale_legend() +
            study_part(list, objective);
  } else {
    body += learning_part(orders, list);
  }
  body += "<h2>Pairs of passes</h2>\n" +
          figure(swap_matrix(orders.swaps, list.passes, list.listed),
                 "How often the program changes where two passes that are neighbours in an order "
                 "change places.") +
          "<h2>The passes</h2>\n" + pass_list(list);
  if (!orders.is_one) body += modules_part(orders);
  return html_page("Orders of local passes", body + failures(orders));
}

}  // namespace flipsat::tools
