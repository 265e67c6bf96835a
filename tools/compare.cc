#include "tools/compare.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tools/csv.h"
#include "tools/orders.h"
#include "tools/report.h"
#include "tools/text_table.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using extract::ProgramCost;
using laboratory::Study;
using Align = TextTable::Align;

Json compare_record(const CompareRecord& record, extract::Objective objective) {
  Json one = {{"input", record.path}};
  if (!record.comparison) {
    one["error"] = record.error;
    return one;
  }
  const auto& [study, literal] = *record.comparison;
  Json programs = Json::object();
  for (const auto& [name, cost] : programs_of(*record.comparison)) {
    programs[name] = cost ? program_record(*cost) : Json(nullptr);
  }
  one["programs"] = std::move(programs);
  one["bound"] = bound_record(study.result, objective);
  one["origin"] = to_string(study.result.origin);
  one["literal_correct"] = laboratory::to_string(literal.correctness.correct);
  if (!literal.correctness.why.empty()) one["literal_why"] = literal.correctness.why;
  one["order_count"] = study.orders.size();
  one["distinct_programs"] = study.programs.size();
  one["best_orders"] = study.programs.front().orders.size();
  one["best_order"] = study.names(study.programs.front().orders.front());
  one["worst_order"] = study.names(study.programs.back().orders.front());
  one["deterministic"] = study.result.deterministic;
  one["notes"] = study.result.notes;
  return one;
}

}  // namespace

std::array<NamedProgram, 6> programs_of(const Comparison& comparison) {
  const Study& study = comparison.study;
  const laboratory::FinalProgram& listed = study.programs[study.program_of.front()];
  const std::optional<ProgramCost>& literal = comparison.literal.cost;
  return {{{"input", &study.result.input_cost},
           {"greedy_literal", literal ? &*literal : nullptr},
           {"greedy_sound", &*listed.cost},
           {"best_order", &*study.programs.front().cost},
           {"worst_order", &*study.programs.back().cost},
           {"output", &study.result.output_cost}}};
}

Comparison compare_module(const hlo::Module& module, const optimizer::Options& options) {
  laboratory::StudyOptions orders;
  orders.optimizer = options;
  Comparison comparison{laboratory::study(module, orders),
                        laboratory::run_literal(module, options)};
  const laboratory::FinalProgram& last = comparison.study.programs.back();
  if (!last.cost) throw std::logic_error("a sound pass went wrong: " + last.correctness.why);
  return comparison;
}

Json compare_report(const std::vector<CompareRecord>& records, const optimizer::Options& options) {
  Json report = report_head();
  report.update(options_record(options));
  report["records"] = Json::array();
  for (const CompareRecord& record : records) {
    report["records"].push_back(compare_record(record, options.cost.objective));
  }
  return report;
}

std::string compare_csv(const std::vector<CompareRecord>& records,
                        const optimizer::Options& options) {
  const extract::Objective objective = options.cost.objective;
  std::string table =
      csv_line({"input", "program", "collectives", "launches", "wire_bytes", "executed_launches",
                "executed_wire_bytes", "time_us", "peak_bytes", "bound"});
  for (const CompareRecord& record : records) {
    if (!record.comparison) continue;
    const std::optional<int64_t>& bound = record.comparison->study.result.bound;
    std::string bound_cell;
    if (bound) {
      bound_cell = objective == extract::Objective::kTime ? exact_microseconds(*bound)
                                                          : std::to_string(*bound);
    }
    for (const auto& [name, cost] : programs_of(*record.comparison)) {
      if (!cost) continue;
      std::vector<std::string> cells = {record.path, name};
      for (int64_t figure : {cost->plain.collectives, cost->plain.launches, cost->plain.wire_bytes,
                             cost->executed.launches, cost->executed.wire_bytes}) {
        cells.push_back(std::to_string(figure));
      }
      cells.push_back(exact_microseconds(cost->time));
      cells.push_back(std::to_string(cost->peak_bytes));
      cells.push_back(bound_cell);
      table += csv_line(cells);
    }
  }
  return table;
}

std::string compare_text(const std::vector<CompareRecord>& records,
                         const optimizer::Options& options) {
  const extract::Objective objective = options.cost.objective;
  std::vector<Align> columns(8, Align::kRight);
  columns[0] = Align::kLeft;
  TextTable table(columns);
  table.add({"module", "input", "greedy literal", "greedy sound", "worst order", "best order",
             "e-graph", "bound"});
  std::string remarks;
  for (const CompareRecord& record : records) {
    if (!record.comparison) {
      table.add({record.relative, "failed"});
      remarks += record.error + "\n";
      continue;
    }
    const auto& [study, literal] = *record.comparison;
    const auto programs = programs_of(*record.comparison);
    std::vector<std::string> cells = {record.relative};
    for (size_t i : {0, 1, 2, 4, 3, 5}) {
      const ProgramCost* cost = programs[i].second;
      cells.push_back(cost ? readable_cost(cost->value(objective), objective) : "stopped");
    }
    if (literal.cost && literal.correctness.correct == laboratory::Correct::kNo) {
      cells[2] = "wrong " + cells[2];
    }
    cells.push_back(study.result.bound ? readable_cost(*study.result.bound, objective) : "-");
    table.add(cells);
  }
  return table.text() + remarks;
}

}  // namespace flipsat::tools
