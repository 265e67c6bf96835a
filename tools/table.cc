#include "tools/table.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "tools/differences.h"
#include "tools/key_rows.h"
#include "tools/options.h"
#include "tools/text_table.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using extract::KeyRow;
using extract::Objective;
using extract::ProgramCost;
using optimizer::Options;
using optimizer::Result;
using Align = TextTable::Align;

constexpr size_t kChangesShown = 20;
constexpr size_t kMostSource = 160;  // bytes of a source line

using Readable = std::string (*)(int64_t, int);

Readable in_unit_of(Objective objective) {
  if (objective == Objective::kTime) return readable_time;
  if (objective == Objective::kBytes) return readable_bytes;
  return +[](int64_t value, int) { return counted(value, "launch", "launches"); };
}

std::string in_objective_unit(int64_t value, Objective objective) {
  return in_unit_of(objective)(value, 0);
}

std::string before_and_after(int64_t before, int64_t after, Readable readable) {
  const std::vector<std::string> texts = told_apart({before, after}, readable);
  return texts[0] + " -> " + texts[1];
}

std::string gap_percent(double gap) {
  return 100 * gap < 0.005 ? "<0.01" : fmt::format("{:.2f}", 100 * gap);
}

// "proved optimal", or how far it may be from that.
std::string proof_words(const Options& options, const Result& result) {
  const std::optional<double> gap = optimizer::gap(result, options.cost.objective);
  if (!gap) return "not proved";
  return *gap == 0 ? "proved optimal" : fmt::format("within {} % of optimal", gap_percent(*gap));
}

bool is_proved_optimal(const Options& options, const Result& result) {
  return optimizer::gap(result, options.cost.objective) == 0;
}

// "time -26.9 % (12.1 us -> 8.9 us)", with nothing for a figure that did not change.
void add_figure(std::string& sentence, const std::string& name, int64_t before, int64_t after,
                Readable readable) {
  if (before == after) return;
  const std::string change = readable_change(before, after);
  if (!sentence.empty()) sentence += ", ";
  sentence += fmt::format("{} {}({})", name, change.empty() ? "" : change + " ",
                          before_and_after(before, after, readable));
}

std::string verification_word(const Result& result) {
  if (result.verified.how == "off") return "not verified";
  return fmt::format("verified ({}, {})", result.verified.how,
                     counted(result.verified.elements, "element"));
}

std::string gain_sentence(const Options& options, const Result& result) {
  const extract::Totals& before = result.input_cost.executed;
  const extract::Totals& after = result.output_cost.executed;
  std::string time, wire, launches;
  add_figure(time, "time", result.input_cost.time, result.output_cost.time, readable_time);
  add_figure(wire, "wire bytes", before.wire_bytes, after.wire_bytes, readable_bytes);
  add_figure(
      launches, "launches", before.launches, after.launches,
      +[](int64_t count, int) { return fmt::format("{}", count); });
  // What was asked for stands first.
  std::array<std::string, 3> order = {time, wire, launches};
  if (options.cost.objective == Objective::kBytes) order = {wire, time, launches};
  if (options.cost.objective == Objective::kLaunches) order = {launches, time, wire};
  std::string sentence;
  for (const std::string& figure : order) {
    if (!figure.empty()) sentence += (sentence.empty() ? "" : ", ") + figure;
  }
  if (!sentence.empty()) return sentence;
  if (result.combined && result.combined->written > 0) return "combined, at the same cost";
  return "fewer instructions at the same cost";
}

std::string key_rows(const Result& result) {
  std::vector<Align> columns(4, Align::kLeft);
  columns.resize(13, Align::kRight);
  TextTable table(columns);
  table.add({"collective", "type", "dim", "groups", "count", "", "", "launches", "", "", "bytes"});
  std::vector<std::string> labels(4);
  for (int i = 0; i < 3; ++i) labels.insert(labels.end(), {"before", "greedy", "after"});
  table.add(labels);

  KeyRows total;
  const auto add = [&](const Key& key, const KeyRows& row) {
    const auto& [opcode, type, dim, groups] = key;
    std::vector<std::string> cells = {opcode, type, dim, groups};
    for (const KeyRow& program : row) cells.push_back(std::to_string(program.count));
    for (const KeyRow& program : row) cells.push_back(std::to_string(program.launches));
    for (const KeyRow& program : row) {
      cells.push_back(program.count == 0 ? "0" : readable_bytes(program.bytes));
    }
    table.add(cells);
  };
  const std::map<Key, KeyRows> rows = rows_by_key(result);
  for (const auto& [key, row] : rows) {
    add(key, row);
    for (size_t i = 0; i < row.size(); ++i) {
      total[i].count += row[i].count;
      total[i].launches += row[i].launches;
      total[i].bytes += row[i].bytes;
    }
  }
  if (rows.empty()) return "no collectives\n";
  if (rows.size() > 1) add({"total", "", "", ""}, total);
  return table.text();
}

std::string combined_line(const Result& result) {
  if (!result.combined) return "";
  const optimizer::CombinedReport& combined = *result.combined;
  std::string line = fmt::format("pack  {} -> {} launches with combined collectives (",
                                 combined.walked, combined.planned);
  line += combined.planned == combined.bound
              ? "no packing has fewer"
              : fmt::format("no packing has fewer than {}", combined.bound);
  line += fmt::format("); {} written", counted(combined.written, "combined collective"));
  if (!combined.why_not.empty()) line += ": " + combined.why_not;
  return line + "\n";
}

std::string orders_line(Objective objective, const Result& result) {
  if (!result.orders) return "";
  const optimizer::OrdersReport& orders = *result.orders;
  const std::string best = in_objective_unit(orders.best.value(objective), objective);
  const std::string worst = in_objective_unit(orders.worst.value(objective), objective);
  return fmt::format("all {} orders of the local passes end at {}, {}\n", orders.order_count,
                     counted(orders.programs, "program"),
                     best == worst ? best : fmt::format("{} to {}", best, worst));
}

// Where loops and calls make the launches that are run others than those of the table.
std::string executed_line(const Result& result) {
  const auto counted_once = [](const ProgramCost& cost) {
    int64_t launches = 0;
    for (const KeyRow& row : cost.keys) launches += row.launches;
    return launches == cost.executed.launches;
  };
  if (counted_once(result.input_cost) && counted_once(result.greedy_cost) &&
      counted_once(result.output_cost)) {
    return "";
  }
  return fmt::format(
      "runs  {} -> {} launches (greedy {}) with loops; the table counts each instruction once\n",
      result.input_cost.executed.launches, result.output_cost.executed.launches,
      result.greedy_cost.executed.launches);
}

std::string figure_lines(const Options& options, const Result& result) {
  const ProgramCost& before = result.input_cost;
  const ProgramCost& greedy = result.greedy_cost;
  const ProgramCost& after = result.output_cost;
  const std::vector<std::string> times =
      told_apart({before.time, after.time, greedy.time}, readable_time);
  const std::vector<std::string> peaks =
      told_apart({before.peak_bytes, after.peak_bytes, greedy.peak_bytes}, readable_bytes);
  const std::vector<std::string> wire = told_apart(
      {before.executed.wire_bytes, after.executed.wire_bytes, greedy.executed.wire_bytes},
      readable_bytes);
  const Objective objective = options.cost.objective;
  std::string lines = executed_line(result);
  lines += fmt::format("time  {} -> {} (greedy {}) for collectives and their surroundings on {}\n",
                       times[0], times[1], times[2], options.cost.machine);
  lines += fmt::format(
      "wire  {} -> {} (greedy {}) sent by each device, with loops; above: sizes of arrays\n",
      wire[0], wire[1], wire[2]);
  lines += fmt::format("peak  {} -> {} (greedy {}) of live values\n", peaks[0], peaks[1], peaks[2]);
  lines += orders_line(objective, result);
  lines += combined_line(result);
  if (result.order_open > 0) {
    lines +=
        fmt::format("order {} on HLO leaving the order of a sum open (--bitwise avoids that)\n",
                    counted(result.order_open, "change rests", "changes rest"));
  }
  for (const optimizer::Headroom& looser : result.headroom) {
    lines += fmt::format("more  --numerics {} would reach {}\n", hlo::to_string(looser.numerics),
                         told_apart({looser.cost.value(objective), after.value(objective)},
                                    in_unit_of(objective))[0]);
  }
  if (!result.bound) return lines + "gap   not known: no lower bound for this program\n";
  const int64_t reached = after.value(objective);
  if (is_proved_optimal(options, result)) {
    return lines + fmt::format("gap   0 %: no program under these rules takes less than {}\n",
                               in_objective_unit(reached, objective));
  }
  return lines + fmt::format("gap   {} %: no program under these rules takes less than {}\n",
                             gap_percent(*optimizer::gap(result, objective)),
                             told_apart({*result.bound, reached}, in_unit_of(objective))[0]);
}

std::string shortened(const std::string& text) {
  return text.size() <= kMostSource ? text : text.substr(0, kMostSource) + "...";
}

std::string change_lines(const Result& result, bool all) {
  if (result.changes.empty()) return "";
  std::string lines = "changes\n";
  const size_t shown = all ? result.changes.size() : std::min(kChangesShown, result.changes.size());
  for (size_t i = 0; i < shown; ++i) {
    const optimizer::Change& change = result.changes[i];
    lines += fmt::format("  {} in {}: {}{}{}\n", change.at, change.computation,
                         fmt::join(change.rules, ", "), change.source.empty() ? "" : "; ",
                         on_one_line(all ? change.source : shortened(change.source)));
    lines += fmt::format("    {} -> {}; alone: wire {}, {}\n", fmt::join(change.from, " "),
                         change.to.empty() ? "gone" : fmt::format("{}", fmt::join(change.to, " ")),
                         before_and_after(change.bytes_before, change.bytes_after, readable_bytes),
                         before_and_after(change.time_before, change.time_after, readable_time));
  }
  if (shown < result.changes.size()) {
    lines += fmt::format("  and {} more (--verbose lists them)\n", result.changes.size() - shown);
  }
  return lines;
}

std::string alternative_lines(Objective objective, const Result& result, bool all) {
  if (!result.alternatives) return "";
  const optimizer::AlternativesReport& report = *result.alternatives;
  if (report.programs.empty()) return "no other program\n";
  std::string lines =
      report.is_exact ? "next best programs\n" : "next best programs that were found\n";
  for (const optimizer::Alternative& other : report.programs) {
    const int64_t value = other.cost.value(objective);
    const int64_t chosen = result.output_cost.value(objective);
    const std::string difference =
        value == chosen ? "no" : told_apart({value - chosen, 0}, in_unit_of(objective))[0];
    lines += fmt::format("  {}, {} more{}\n", told_apart({value, chosen}, in_unit_of(objective))[0],
                         difference, other.changes.empty() ? ": the input" : "");
    if (other.changes.empty()) continue;
    const std::vector<Difference> found = differences(result.changes, other.changes);
    lines += found.empty() ? kSameChanges : difference_lines(found, all);
  }
  return lines;
}

std::string not_checked_lines(const Result& result) {
  if (result.verified.not_checked.empty()) return "";
  std::string lines = "not checked, so left as they were\n";
  for (const optimizer::NotChecked& value : result.verified.not_checked) {
    lines += fmt::format("  {}: {}\n", value.at, value.why);
  }
  return lines;
}

std::string kept_lines(const Result& result) {
  if (result.kept.empty()) return "";
  std::string lines = "kept as they were\n";
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft});
  for (const optimizer::Kept& site : result.kept) {
    table.add({site.at, site.rule, site.why,
               before_and_after(site.time_before, site.time_after, readable_time)});
  }
  return lines + table.text(2);
}

std::string rule_lines(const Result& result) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kLeft});
  table.add({"rule", "matches", "applied", "refused"});
  bool any = false;
  for (const optimizer::RuleReport& rule : result.rules) {
    if (rule.matches == 0 && rule.refused.empty()) continue;
    any = true;
    std::string refused;
    for (const auto& [reason, count] : rule.refused) {
      refused += fmt::format("{}{} ({})", refused.empty() ? "" : "; ", reason, count);
    }
    table.add({rule.name, std::to_string(rule.matches), std::to_string(rule.applied), refused});
  }
  return any ? table.text() : "";
}

std::string effort_lines(const Result& result) {
  const optimizer::EGraphReport& egraph = result.egraph;
  const optimizer::Elapsed& elapsed = result.elapsed;
  return fmt::format(
      "e-graph: {} nodes in {} classes after {}, {}\n"
      "milliseconds: read {:.1f}, import {:.1f}, saturate {:.1f}, extract {:.1f}, verify {:.1f}, "
      "orders {:.1f}, combine {:.1f}, alternatives {:.1f}, headroom {:.1f}\n",
      egraph.nodes, egraph.classes, counted(egraph.iterations, "iteration"), egraph.stop,
      elapsed.read, elapsed.import, elapsed.saturate, elapsed.extract, elapsed.verify,
      elapsed.orders, elapsed.combine, elapsed.alternatives, elapsed.headroom);
}

std::string device_line(const std::string& input, const Options& options, const Result& result) {
  const std::string finite = options.assume_finite ? "; floats taken as finite" : "";
  if (!result.counts.known) {
    return fmt::format("{}: number of devices not known{}\n", input, finite);
  }
  return fmt::format("{}: {} x {} ({}){}\n", input, counted(result.counts.replicas, "replica"),
                     counted(result.counts.partitions, "partition"), result.counts.source, finite);
}

}  // namespace

std::string headline(const Options& options, const Result& result) {
  const Objective objective = options.cost.objective;
  const bool gained = result.output_cost.value(objective) < result.input_cost.value(objective);
  if (!gained && result.changes.empty()) {
    if (is_proved_optimal(options, result)) return "nothing to gain, proved";
    return result.bound ? "nothing to gain, not proved: " + proof_words(options, result)
                        : "nothing to gain, not proved";
  }
  return fmt::format("{}; {}, {}, {}", gain_sentence(options, result),
                     counted(static_cast<int64_t>(result.changes.size()), "change"),
                     verification_word(result), proof_words(options, result));
}

std::string result_table(const std::string& input, const Options& options, const Result& result,
                         const TableOptions& table) {
  const std::string title = headline(options, result);
  std::string text = table.colour ? fmt::format("\x1b[1m{}\x1b[0m\n", title) : title + "\n";
  text += device_line(input, options, result);
  std::set<std::string> told;
  for (const std::string& note : result.notes) {
    if (told.insert(note).second) text += note + "\n";
  }
  if (!result.deterministic) {
    text += "the time limit was reached: another run may find another program\n";
  }
  text += "\n" + key_rows(result) + "\n" + figure_lines(options, result);
  const std::string changes = change_lines(result, table.verbose) + not_checked_lines(result);
  if (!changes.empty()) text += "\n" + changes;
  const std::string others = alternative_lines(options.cost.objective, result, table.verbose);
  if (!others.empty()) text += "\n" + others;
  if (!table.verbose) return text;
  for (const std::string& part : {kept_lines(result), rule_lines(result), effort_lines(result)}) {
    if (!part.empty()) text += "\n" + part;
  }
  return text;
}

}  // namespace flipsat::tools
