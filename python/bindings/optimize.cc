#include "optimizer/optimize.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "python/bindings/bindings.h"
#include "python/bindings/module.h"
#include "python/bindings/strings.h"
#include "python/bindings/words.h"
#include "tools/options.h"
#include "tools/report.h"
#include "tools/report_page/report_page.h"
#include "tools/table.h"

namespace flipsat::python {
namespace {

// What the optimizer answered, and what it was asked.
struct Outcome {
  std::shared_ptr<Module> module;  // the input itself where nothing changed
  std::string file;
  optimizer::Options options;
  optimizer::Result result;  // without its module
};

Outcome optimize(const std::shared_ptr<Module>& input, nb::typed<nb::list, nb::str> listed) {
  const Words words = to_words(listed);
  const nb::gil_scoped_release unlocked;
  tools::OptimizerArguments arguments;
  parse_words(words, [&](CLI::App& parser) { tools::add_optimizer_options(parser, arguments); });
  Outcome outcome{input, input->module().file, tools::optimizer_options(arguments), {}};
  outcome.result = optimizer::optimize(input->input(), outcome.options);
  hlo::Module made = std::move(outcome.result.output);
  outcome.result.output = {};
  if (outcome.result.origin != optimizer::Origin::kInput) {
    outcome.module = std::make_shared<Module>(std::move(made), *input);
  }
  return outcome;
}

nb::str report(const Outcome& outcome) {
  return to_str(
      tools::json_text(tools::optimize_report(outcome.file, outcome.options, outcome.result)));
}

nb::str page(const Outcome& outcome) {
  return to_str(
      tools::report_page(tools::optimize_report(outcome.file, outcome.options, outcome.result)));
}

nb::str table(const Outcome& outcome, bool verbose) {
  return to_str(
      tools::result_table(outcome.file, outcome.options, outcome.result, {verbose, false}));
}

}  // namespace

void bind_optimize(nb::module_& core) {
  nb::class_<Outcome>(core, "Outcome", "What the optimizer answered.")
      .def_ro("module", &Outcome::module)
      .def_prop_ro(
          "changed",
          [](const Outcome& outcome) { return outcome.result.origin != optimizer::Origin::kInput; })
      .def_prop_ro("headline",
                   [](const Outcome& outcome) {
                     return to_str(tools::headline(outcome.options, outcome.result));
                   })
      .def("report", &report, "The report as JSON.")
      .def("page", &page, "The report as a page.")
      .def("table", &table, nb::arg("verbose"));
  core.def("optimize", &optimize, nb::arg("module"), nb::arg("words"));
}

}  // namespace flipsat::python
