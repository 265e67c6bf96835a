#include "tools/viewer/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "language/node_text.h"
#include "optimizer/changes.h"
#include "tools/units.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

using language::ClassId;
using language::NodeId;
using optimizer::Inspection;
using optimizer::Site;

class Viewing {
 public:
  Viewing(const Inspection& inspection, const ViewOptions& options)
      : inspection_(inspection), options_(options), reasons_(inspection) {}

  View run() {
    const std::vector<Site> sites = optimizer::find_sites(inspection_, options_.most_classes);
    View view;
    if (options_.site || options_.at) {
      view.sites.push_back(listed(*chosen(sites)));
      draw(*chosen(sites), view.sites.back());
      return view;
    }
    std::map<std::string, size_t> like;
    const bool any_change =
        std::ranges::any_of(sites, [](const Site& site) { return !site.changes.empty(); });
    size_t drawn = 0;
    for (const Site* site : by_gain(sites)) {
      if (any_change && site->changes.empty()) {
        ++view.without_change;
        continue;
      }
      const auto [first, is_new] = like.try_emplace(site->likeness, view.sites.size());
      if (!is_new) {
        view.sites[first->second].alike.push_back(site->number);
        continue;
      }
      view.sites.push_back(listed(*site));
      if (drawn++ < options_.most_sites) draw(*site, view.sites.back());
    }
    for (ViewSite& site : view.sites) std::ranges::sort(site.alike);
    return view;
  }

 private:
  const Site* chosen(const std::vector<Site>& sites) const {
    if (options_.site) {
      if (*options_.site >= 1 && *options_.site <= sites.size()) return &sites[*options_.site - 1];
      throw UsageError(
          fmt::format("--site: there {} in this module",
                      sites.size() == 1 ? "is 1 site" : fmt::format("are {} sites", sites.size())));
    }
    const ClassId cls = inspection_.class_of(*options_.at);
    const std::string name = "%" + inspection_.input()[*options_.at].name;
    const Site* found = nullptr;
    if (cls != egraph::kNoId) {
      for (const Site& site : sites) {
        for (const optimizer::SiteClass& one : site.classes) {
          if (one.cls != cls) continue;
          // Its own site, or the first that it stands beside.
          if (!one.is_around) return &site;
          if (found == nullptr) found = &site;
        }
      }
    }
    if (found == nullptr) {
      throw UsageError(
          fmt::format("--at: no rule found anything at {} or next to it ('flipsat explain IN --at "
                      "{}' says why)",
                      name, name));
    }
    return found;
  }

  static std::vector<const Site*> by_gain(const std::vector<Site>& sites) {
    std::vector<const Site*> order;
    for (const Site& site : sites) order.push_back(&site);
    std::ranges::stable_sort(order, std::greater{}, [](const Site* site) {
      return std::pair(site->time_before - site->time_after, site->changes.size());
    });
    return order;
  }

  ViewSite listed(const Site& site) const {
    ViewSite view;
    view.number = site.number;
    hlo::InstructionId id = site.first;
    const std::vector<optimizer::Change>& changes = inspection_.result().changes;
    for (size_t i : site.changes) view.changed.push_back(changes[i].at);
    // What is changed says more than what comes first.
    if (!site.changes.empty()) id = inspection_.patches()[site.changes.front()].at;
    if (id != hlo::kNoId) {
      const hlo::Instruction& instruction = inspection_.input()[id];
      view.title = "%" + instruction.name;
      view.computation = inspection_.input().computations[instruction.computation].name;
      view.source = optimizer::source_of(inspection_.input(), instruction);
    }
    view.time_before = site.time_before;
    view.time_after = site.time_after;
    view.bytes_before = site.bytes_before;
    view.bytes_after = site.bytes_after;
    view.left_out = site.left_out;
    return view;
  }

  void draw(const Site& site, ViewSite& view) {
    std::map<ClassId, size_t> place;
    for (const optimizer::SiteClass& one : site.classes) place.emplace(one.cls, place.size());
    for (const optimizer::SiteClass& one : site.classes) {
      ViewClass cls;
      cls.name = inspection_.name(one.cls);
      cls.shape = hlo::to_string_without_layout(inspection_.hlo().shape(one.cls));
      if (!inspection_.originals(one.cls).empty()) {
        cls.source = optimizer::source_of(
            inspection_.input(), inspection_.input()[inspection_.originals(one.cls).front()]);
      }
      cls.is_around = one.is_around;
      for (NodeId node : one.forms) cls.forms.push_back(form(one, node, place));
      if (!one.is_around) {
        for (const egraph::Edge& edge : inspection_.graph().edges(one.cls)) {
          const auto to = place.find(inspection_.graph().find(edge.to));
          const rules::RuleInfo* rule = inspection_.rule(edge.reason);
          if (to != place.end()) cls.edges.push_back({to->second, rule ? rule->name : ""});
        }
      }
      view.classes.push_back(std::move(cls));
    }
  }

  ViewForm form(const optimizer::SiteClass& cls, NodeId node,
                const std::map<ClassId, size_t>& place) {
    ViewForm form;
    form.text = inspection_.text(node, false);
    form.operation = language::node_text(inspection_.hlo(), inspection_.hlo().op(node), {}, true);
    for (hlo::InstructionId id : inspection_.written_as(node)) {
      form.written.push_back("%" + inspection_.input()[id].name);
    }
    // What is read by what stands around a site, and is not in it, is not drawn.
    for (ClassId child : inspection_.graph().children(node)) {
      const auto found = place.find(inspection_.graph().find(child));
      if (found != place.end() && found->first != cls.cls) form.operands.push_back(found->second);
    }
    form.is_output = inspection_.is_in_output(node);
    form.is_instruction = language::is_instruction(inspection_.hlo().op(node).kind);
    if (const auto cost = inspection_.cost(node)) form.cost = *cost;
    if (form.written.empty()) {
      const rules::RuleInfo* rule = inspection_.rule(inspection_.graph().born_of(node));
      if (rule != nullptr) form.rule = rule->name;
    }
    if (node != cls.forms.front()) form.reason = reasons_.between(cls.forms.front(), node);
    return form;
  }

  const Inspection& inspection_;
  const ViewOptions& options_;
  optimizer::Reasons reasons_;
};

}  // namespace

View view_of(const Inspection& inspection, const ViewOptions& options) {
  return Viewing(inspection, options).run();
}

std::string cost_words(const ViewForm& form) {
  if (!form.is_instruction) return "no instruction";
  if (!form.cost.is_collective) {
    return form.cost.time == 0 ? "free" : readable_time(form.cost.time);
  }
  return readable_time(form.cost.time) + ", " + readable_bytes(form.cost.wire_bytes);
}

}  // namespace flipsat::tools
