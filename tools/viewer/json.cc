// The sites as JSON: a graph of the egraph-serialize format, with fields beside its own.
#include <fmt/format.h>

#include "tools/report.h"
#include "tools/viewer/view.h"

namespace flipsat::tools {
namespace {

std::string class_id(const ViewSite& site, size_t cls) {
  return fmt::format("s{}.c{}", site.number, cls);
}
std::string form_id(const ViewSite& site, size_t cls, size_t form) {
  return fmt::format("{}.{}", class_id(site, cls), form);
}

Json reason_record(const ViewForm& form) {
  if (!form.reason) return nullptr;
  Json steps = Json::array();
  for (const optimizer::ReasonStep& step : form.reason->steps) {
    steps.push_back({{"term", step.after},
                     {"rule", step.rule.empty() ? Json(nullptr) : Json(step.rule)},
                     {"refinement", step.is_refinement}});
  }
  return {{"from", form.reason->before}, {"steps", steps}};
}

Json form_record(const ViewSite& site, size_t cls, const ViewForm& form) {
  Json children = Json::array();
  for (size_t operand : form.operands) children.push_back(form_id(site, operand, 0));
  Json record = {{"op", form.operation}, {"children", children}, {"eclass", class_id(site, cls)}};
  record["cost"] = microseconds(form.cost.time);
  // No extraction could choose what no program can hold.
  record["subsumed"] = !form.is_instruction;
  record["text"] = form.text;
  record["input"] = form.written;
  record["output"] = form.is_output;
  record["wire_bytes"] = form.cost.is_collective ? Json(form.cost.wire_bytes) : Json(nullptr);
  record["launched_together"] = form.cost.launched_together;
  record["rule"] = form.rule.empty() ? Json(nullptr) : Json(form.rule);
  record["why"] = reason_record(form);
  return record;
}

Json site_record(const ViewSite& site) {
  Json record = {
      {"number", site.number},           {"at", site.title},
      {"computation", site.computation}, {"source", site.source},
      {"changes", site.changed},         {"bytes", {site.bytes_before, site.bytes_after}}};
  record["time_us"] = Json::array({microseconds(site.time_before), microseconds(site.time_after)});
  record["drawn"] = !site.classes.empty();
  record["left_out"] = site.left_out;
  record["alike"] = site.alike;
  return record;
}

}  // namespace

Json view_json(const ViewTitle& title, const View& view) {
  Json report = report_head();
  report["input"] = title.input;
  report["headline"] = title.headline;
  report["notes"] = title.notes;
  report["sites"] = Json::array();
  report["sites_without_change"] = view.without_change;
  report["nodes"] = Json::object();
  report["root_eclasses"] = Json::array();
  report["class_data"] = Json::object();
  for (const ViewSite& site : view.sites) {
    report["sites"].push_back(site_record(site));
    std::vector<bool> is_read(site.classes.size(), false);
    for (size_t cls = 0; cls < site.classes.size(); ++cls) {
      const ViewClass& one = site.classes[cls];
      for (size_t i = 0; i < one.forms.size(); ++i) {
        report["nodes"][form_id(site, cls, i)] = form_record(site, cls, one.forms[i]);
        for (size_t operand : one.forms[i].operands) is_read[operand] = true;
      }
      Json edges = Json::array();
      for (const ViewEdge& edge : one.edges) {
        edges.push_back({{"to", class_id(site, edge.to)}, {"rule", edge.rule}});
      }
      report["class_data"][class_id(site, cls)] = {{"type", one.shape},
                                                   {"name", one.name},
                                                   {"source", one.source},
                                                   {"around", one.is_around},
                                                   {"may_become", edges}};
    }
    for (size_t cls = 0; cls < site.classes.size(); ++cls) {
      if (!is_read[cls]) report["root_eclasses"].push_back(class_id(site, cls));
    }
  }
  return report;
}

}  // namespace flipsat::tools
