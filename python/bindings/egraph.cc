// The engine: terms and rules as text.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.h"
#include "python/bindings/term_graph.h"

namespace flipsat::python {
namespace {

using egraph::RunReport;
using egraph::Stop;

const char* stopped_by(const RunReport& report) {
  switch (report.stop.stop) {
    case Stop::kSaturated:
      return "saturated";
    case Stop::kNodes:
      return "nodes";
    case Stop::kClasses:
      return "classes";
    case Stop::kIterations:
      return "iterations";
    case Stop::kMatches:
      return "matches";
    case Stop::kBytes:
      return "bytes";
    case Stop::kSeconds:
      return "seconds";
    case Stop::kRunning:
    case Stop::kClient:
      break;
  }
  return "";
}

// Of each rule: matched, applied, unions, bans.
using RuleRow = std::tuple<std::string, uint64_t, uint64_t, uint64_t, uint64_t>;

std::vector<RuleRow> rule_rows(const RunReport& report) {
  std::vector<RuleRow> rows;
  for (const egraph::RuleStats& rule : report.rules) {
    rows.emplace_back(rule.name, rule.matched, rule.applied, rule.unions, rule.bans);
  }
  return rows;
}

RunReport run(TermGraph& graph, uint64_t iterations, uint64_t nodes,
              std::optional<uint64_t> matches, uint64_t bytes, std::optional<double> seconds,
              bool backoff) {
  egraph::RunOptions options;
  options.limits.iterations = iterations;
  options.limits.nodes = nodes;
  options.limits.matches = matches.value_or(options.limits.matches);
  options.limits.bytes = bytes;
  options.limits.seconds = seconds.value_or(options.limits.seconds);
  if (backoff) options.scheduler.policy = egraph::SchedulerOptions::Policy::kBackoff;
  return graph.run(options);
}

TermGraph::Extracted extract(TermGraph& graph, const std::string& term,
                             const std::map<std::string, std::optional<uint64_t>>& costs,
                             uint64_t other, const std::string& method, uint64_t work) {
  return graph.extract(term, {{costs.begin(), costs.end()}, other}, method, work);
}

}  // namespace

void bind_egraph(nb::module_& core) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<RunReport>(core, "RunReport", "How a run ended.")
      .def_prop_ro("stop", [](const RunReport& report) { return egraph::to_string(report.stop); })
      .def_prop_ro("stopped_by", &stopped_by)
      .def_prop_ro("iterations", [](const RunReport& report) { return report.iterations.size(); })
      .def_ro("seconds", &RunReport::seconds)
      .def("rules", &rule_rows, "Name, matched, applied, unions and bans of each.");

  nb::class_<TermGraph::Extracted>(core, "Extracted", "A term of low cost.")
      .def_ro("term", &TermGraph::Extracted::term)
      .def_ro("cost", &TermGraph::Extracted::cost)
      .def_ro("bound", &TermGraph::Extracted::bound);

  nb::class_<TermGraph::Step>(core, "Step", "One rewrite of an explanation.")
      .def_ro("term", &TermGraph::Step::term)
      .def_ro("rule", &TermGraph::Step::rule)
      .def_ro("is_reversed", &TermGraph::Step::is_reversed);

  nb::class_<TermGraph::Explained>(core, "Explained", "Why two terms are equal.")
      .def_ro("text", &TermGraph::Explained::text)
      .def_ro("steps", &TermGraph::Explained::steps);

  nb::class_<TermGraph>(core, "TermGraph", "An e-graph of terms as text.")
      .def(nb::init<bool>(), nb::arg("explanations"))
      .def("add_rules", &TermGraph::add_rules, nb::arg("text"), nb::arg("file"), Unlocked())
      .def("add", &TermGraph::add, nb::arg("term"), Unlocked())
      .def("unite", &TermGraph::unite, nb::arg("a"), nb::arg("b"), Unlocked())
      .def("run", &run, nb::arg("iterations"), nb::arg("nodes"), nb::arg("matches").none(),
           nb::arg("bytes"), nb::arg("seconds").none(), nb::arg("backoff"), Unlocked())
      .def("are_equal", &TermGraph::are_equal, nb::arg("a"), nb::arg("b"), Unlocked())
      .def("extract", &extract, nb::arg("term"), nb::arg("costs"), nb::arg("other"),
           nb::arg("method"), nb::arg("work"), Unlocked())
      .def("explain", &TermGraph::explain, nb::arg("a"), nb::arg("b"), Unlocked())
      .def("rules", &TermGraph::rules, Unlocked())
      .def("node_count", &TermGraph::node_count, Unlocked())
      .def("class_count", &TermGraph::class_count, Unlocked())
      .def("graphviz", &TermGraph::graphviz, nb::arg("max_nodes"), Unlocked());
}

}  // namespace flipsat::python
