#include "tools/report.h"

#include <algorithm>
#include <vector>

#include "tools/differences.h"
#include "tools/key_rows.h"
#include "tools/options.h"
#include "tools/table.h"
#include "tools/version.h"

namespace flipsat::tools {
namespace {

using extract::Objective;

Json before_and_after(extract::Picoseconds before, extract::Picoseconds after) {
  return Json::array({microseconds(before), microseconds(after)});
}

Json totals_record(const extract::Totals& totals) {
  return {{"collectives", totals.collectives},
          {"launches", totals.launches},
          {"gathered_bytes", totals.gathered_bytes},
          {"reduced_bytes", totals.reduced_bytes},
          {"wire_bytes", totals.wire_bytes}};
}

Json gap_number(const optimizer::Result& result, Objective objective) {
  if (!result.bound) return nullptr;
  return *optimizer::gap(result, objective);
}

Json key_record(const extract::KeyRow& row) {
  return {{"count", row.count}, {"launches", row.launches}, {"bytes", row.bytes}};
}

Json key_records(const optimizer::Result& result) {
  Json records = Json::array();
  for (const auto& [key, rows] : rows_by_key(result)) {
    const auto& [opcode, type, dim, groups] = key;
    records.push_back({{"opcode", opcode},
                       {"type", type},
                       {"dim", dim},
                       {"groups", groups},
                       {"input", key_record(rows[0])},
                       {"greedy", key_record(rows[1])},
                       {"output", key_record(rows[2])}});
  }
  return records;
}

Json kept_records(const std::vector<optimizer::Kept>& kept) {
  Json records = Json::array();
  for (const optimizer::Kept& site : kept) {
    records.push_back({{"at", site.at},
                       {"rule", site.rule},
                       {"why", site.why},
                       {"time_us", before_and_after(site.time_before, site.time_after)}});
  }
  return records;
}

Json verified_record(const optimizer::Verification& verified) {
  Json not_checked = Json::array();
  for (const optimizer::NotChecked& value : verified.not_checked) {
    not_checked.push_back({{"at", value.at}, {"why", value.why}});
  }
  return {{"how", verified.how},
          {"values", verified.values},
          {"elements", verified.elements},
          {"not_checked", not_checked}};
}

Json change_records(const std::vector<optimizer::Change>& changes) {
  Json records = Json::array();
  for (const optimizer::Change& change : changes) {
    records.push_back({{"at", change.at},
                       {"computation", change.computation},
                       {"rules", change.rules},
                       {"from", change.from},
                       {"to", change.to},
                       {"bytes", Json::array({change.bytes_before, change.bytes_after})},
                       {"time_us", before_and_after(change.time_before, change.time_after)},
                       {"source", change.source}});
  }
  return records;
}

Json rule_records(const std::vector<optimizer::RuleReport>& rules) {
  Json records = Json::array();
  for (const optimizer::RuleReport& rule : rules) {
    Json refused = Json::object();
    for (const auto& [reason, count] : rule.refused) refused[reason] = count;
    records.push_back({{"name", rule.name},
                       {"matches", rule.matches},
                       {"applied", rule.applied},
                       {"refused", refused},
                       {"time_us", microseconds(rule.gain)}});
  }
  return records;
}

Json headroom_record(const std::vector<optimizer::Headroom>& headroom) {
  Json record = Json::object();
  for (const optimizer::Headroom& looser : headroom) {
    record[std::string(hlo::to_string(looser.numerics))] = {
        {"time_us", microseconds(looser.cost.time)},
        {"launches", looser.cost.plain.launches},
        {"wire_bytes", looser.cost.plain.wire_bytes},
        {"executed", totals_record(looser.cost.executed)}};
  }
  return record;
}

Json combined_record(const std::optional<optimizer::CombinedReport>& combined) {
  if (!combined) return nullptr;
  return {{"launches", Json::array({combined->walked, combined->planned})},
          {"bound", combined->bound},
          {"written", combined->written},
          {"members", combined->members},
          {"why_not", combined->why_not}};
}

Json orders_record(const optimizer::OrdersReport& orders) {
  return {{"order_count", orders.order_count},
          {"programs", orders.programs},
          {"states", orders.states},
          {"best", program_record(orders.best)},
          {"worst", program_record(orders.worst)},
          {"best_order", orders.best_order},
          {"is_output", orders.is_output}};
}

Json alternative_records(const optimizer::Result& result, Objective objective) {
  Json records = Json::array();
  for (const optimizer::Alternative& other : result.alternatives->programs) {
    Json record = program_record(other.cost);
    const int64_t more = other.cost.value(objective) - result.output_cost.value(objective);
    record["more"] = objective_number(more, objective);
    record["changes"] = other.changes.size();
    record["differences"] = difference_records(differences(result.changes, other.changes));
    record["verified"] = {{"values", other.values}, {"elements", other.elements}};
    records.push_back(std::move(record));
  }
  return records;
}

Json solver_record(const optimizer::SolverReport& solver) {
  return {{"name", solver.name},       {"version", solver.version}, {"asked", solver.asked},
          {"cheaper", solver.cheaper}, {"proved", solver.proved},   {"refused", solver.refused}};
}

Json elapsed_record(const optimizer::Elapsed& elapsed) {
  return {{"read", milliseconds(elapsed.read)},
          {"import", milliseconds(elapsed.import)},
          {"saturate", milliseconds(elapsed.saturate)},
          {"extract", milliseconds(elapsed.extract)},
          {"verify", milliseconds(elapsed.verify)},
          {"write", milliseconds(elapsed.write)},
          {"combine", milliseconds(elapsed.combine)},
          {"headroom", milliseconds(elapsed.headroom)},
          {"orders", milliseconds(elapsed.orders)},
          {"alternatives", milliseconds(elapsed.alternatives)}};
}

}  // namespace

std::string to_string(optimizer::Origin origin) {
  switch (origin) {
    case optimizer::Origin::kInput:
      return "input";
    case optimizer::Origin::kGreedy:
      return "greedy";
    case optimizer::Origin::kEGraph:
      return "egraph";
  }
  return "";
}

Json objective_number(int64_t value, Objective objective) {
  return objective == Objective::kTime ? microseconds(value) : Json(value);
}

Json bound_record(const optimizer::Result& result, Objective objective) {
  if (!result.bound) return nullptr;
  return {{"objective", tools::to_string(objective)},
          {"value", objective_number(*result.bound, objective)}};
}

Json assumed_record(const optimizer::Options& options, const hlo::DeviceCounts& counts) {
  std::vector<std::string> replicated(options.assume_replicated.begin(),
                                      options.assume_replicated.end());
  std::sort(replicated.begin(), replicated.end());
  return {{"replicas", counts.replicas}, {"partitions", counts.partitions},
          {"known", counts.known},       {"source", counts.source},
          {"replicated", replicated},    {"finite", options.assume_finite}};
}

Json report_head() { return {{"flipsat", kVersion}, {"schema", kReportSchema}}; }

Json options_record(const optimizer::Options& options) {
  return {{"numerics", hlo::to_string(options.numerics)},
          {"combiner", options.cost.combiner.name},
          {"machine", options.cost.machine},
          {"objective", to_string(options.cost.objective)}};
}

Json program_record(const extract::ProgramCost& cost) {
  Json by_opcode = Json::object();
  for (const auto& [opcode, totals] : cost.by_opcode) {
    by_opcode[opcode] = {{"count", totals.count}, {"bytes", totals.bytes}};
  }
  const extract::Totals& plain = cost.plain;
  return {{"collectives", plain.collectives},
          {"launches", plain.launches},
          {"by_opcode", by_opcode},
          {"gathered_bytes", plain.gathered_bytes},
          {"reduced_bytes", plain.reduced_bytes},
          {"wire_bytes", plain.wire_bytes},
          {"executed", totals_record(cost.executed)},
          {"time_us", microseconds(cost.time)},
          {"peak_bytes", cost.peak_bytes}};
}

Json optimize_report(const std::string& input, const optimizer::Options& options,
                     const optimizer::Result& result) {
  const Objective objective = options.cost.objective;
  Json report = report_head();
  report["input"] = input;
  report["headline"] = headline(options, result);
  report.update(options_record(options));
  report["assumed"] = assumed_record(options, result.counts);
  report["deterministic"] = result.deterministic;
  report["programs"] = {{"input", program_record(result.input_cost)},
                        {"greedy", program_record(result.greedy_cost)},
                        {"output", program_record(result.output_cost)}};
  report["keys"] = key_records(result);
  report["bound"] = bound_record(result, objective);
  report["gap"] = gap_number(result, objective);
  report["origin"] = to_string(result.origin);
  report["kept"] = kept_records(result.kept);
  report["verified"] = verified_record(result.verified);
  report["changes"] = change_records(result.changes);
  report["rules"] = rule_records(result.rules);
  report["order_open"] = result.order_open;
  report["headroom"] = headroom_record(result.headroom);
  if (result.orders) report["orders"] = orders_record(*result.orders);
  if (result.alternatives) {
    report["alternatives"] = alternative_records(result, objective);
    report["alternatives_exact"] = result.alternatives->is_exact;
  }
  report["combined"] = combined_record(result.combined);
  if (result.solver) report["solver"] = solver_record(*result.solver);
  report["egraph"] = {{"nodes", result.egraph.nodes},
                      {"classes", result.egraph.classes},
                      {"iterations", result.egraph.iterations},
                      {"stop", result.egraph.stop}};
  report["notes"] = result.notes;
  report["elapsed_ms"] = elapsed_record(result.elapsed);
  return report;
}

}  // namespace flipsat::tools
