// What there is, without changing anything: collectives of a module, and rules.
#include <nanobind/stl/pair.h>

#include "python/bindings/bindings.h"
#include "python/bindings/module.h"
#include "python/bindings/strings.h"
#include "python/bindings/words.h"
#include "tools/options.h"
#include "tools/rule_list.h"
#include "tools/stats.h"

namespace flipsat::python {
namespace {

tools::ModuleStats stats_of(const Module& module, const Words& words) {
  const nb::gil_scoped_release unlocked;
  tools::DeviceArguments devices;
  tools::CostArguments cost;
  parse_words(words, [&](CLI::App& parser) {
    tools::add_cost_options(parser, cost);
    tools::add_device_options(parser, devices);
  });
  tools::ModuleStats stats = tools::module_stats(module.input(), tools::device_overrides(devices),
                                                 tools::cost_options(cost));
  stats.input = module.module().file;
  return stats;
}

// JSON, and text for people.
std::pair<nb::str, nb::str> stats(const Module& module, nb::typed<nb::list, nb::str> words) {
  const tools::ModuleStats found = stats_of(module, to_words(words));
  return {to_str(tools::json_text(tools::stats_record(found))), to_str(tools::stats_text(found))};
}

nb::str rules(nb::str file) {
  return to_str(tools::json_text(tools::rules_report(tools::all_rules(to_bytes(file)))));
}

}  // namespace

void bind_lists(nb::module_& core) {
  core.def("stats", &stats, nb::arg("module"), nb::arg("words"));
  core.def("rules", &rules, nb::arg("file"), "JSON; `file` has more rules as text, or is empty.");
}

}  // namespace flipsat::python
