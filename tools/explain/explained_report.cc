#include "tools/explain/explained.h"
#include "tools/report.h"
#include "tools/table.h"

namespace flipsat::tools {
namespace {

Json reason_record(const optimizer::Reason& reason) {
  Json steps = Json::array();
  for (const optimizer::ReasonStep& step : reason.steps) {
    steps.push_back({{"term", step.after},
                     {"rule", step.rule.empty() ? Json(nullptr) : Json(step.rule)},
                     {"why", step.why},
                     {"equation", step.equation},
                     {"condition", step.condition},
                     {"refinement", step.is_refinement}});
  }
  return {{"from", reason.before},
          {"steps", steps},
          {"facts", reason.facts},
          {"whole", reason.is_whole},
          {"replayed", reason.fault.empty()}};
}

Json change_record(const Explained& explained, const ExplainedChange& one) {
  const optimizer::Change& change = one.change;
  Json record = {{"at", change.at},
                 {"computation", change.computation},
                 {"source", change.source},
                 {"rules", change.rules},
                 {"was", one.was},
                 {"now", one.now},
                 {"bytes", {change.bytes_before, change.bytes_after}}};
  record["time_us"] =
      Json::array({microseconds(change.time_before), microseconds(change.time_after)});
  record["reason"] = one.reason ? reason_record(*one.reason) : Json(nullptr);
  record["like"] = one.like ? Json(explained.changes[*one.like].change.at) : Json(nullptr);
  return record;
}

}  // namespace

Json explained_report(const std::string& input, const optimizer::Options& options,
                      const optimizer::Result& result, const Explained& explained) {
  Json report = report_head();
  report["input"] = input;
  report.update(options_record(options));
  report["headline"] = headline(options, result);
  report["origin"] = to_string(result.origin);
  report["egraph"] = {{"nodes", result.egraph.nodes},
                      {"classes", result.egraph.classes},
                      {"iterations", result.egraph.iterations},
                      {"stop", result.egraph.stop}};
  report["verified"] = {{"how", result.verified.how},
                        {"values", result.verified.values},
                        {"elements", result.verified.elements}};
  report["changes"] = Json::array();
  for (const ExplainedChange& one : explained.changes) {
    report["changes"].push_back(change_record(explained, one));
  }
  report["kept"] = Json::array();
  for (const optimizer::Kept& kept : explained.kept) {
    Json record = {{"at", kept.at}, {"rule", kept.rule}, {"why", kept.why}};
    record["time_us"] =
        Json::array({microseconds(kept.time_before), microseconds(kept.time_after)});
    report["kept"].push_back(record);
  }
  report["refused"] = Json::array();
  for (const Refused& refused : explained.refused) {
    report["refused"].push_back({{"rule", refused.rule},
                                 {"reason", refused.reason},
                                 {"count", refused.count},
                                 {"at", refused.at}});
  }
  report["notes"] = result.notes;
  return report;
}

}  // namespace flipsat::tools
