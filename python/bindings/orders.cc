// The pass-order laboratory, of one module or of several.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.h"
#include "python/bindings/module.h"
#include "python/bindings/strings.h"
#include "python/bindings/words.h"
#include "tools/compare.h"
#include "tools/orders.h"
#include "tools/orders_options.h"
#include "tools/orders_page.h"

namespace flipsat::python {
namespace {

using Modules = std::vector<std::shared_ptr<Module>>;

tools::Orders orders_of(const Modules& modules, bool is_one, const Words& words) {
  tools::OrdersArguments arguments;
  parse_words(words, [&](CLI::App& parser) { tools::add_orders_options(parser, arguments); });
  const laboratory::StudyOptions options = tools::study_options(arguments);
  std::vector<tools::OrdersRecord> records;
  for (const std::shared_ptr<Module>& module : modules) {
    const std::string& file = module->module().file;
    records.push_back({file, file, laboratory::study(module->input(), options), ""});
  }
  return tools::learn_from(std::move(records), options, is_one);
}

// JSON, text for people, and a page.
nb::tuple orders(const Modules& modules, bool is_one, nb::typed<nb::list, nb::str> listed) {
  const Words words = to_words(listed);
  std::string report, text, page;
  {
    const nb::gil_scoped_release unlocked;
    const tools::Orders found = orders_of(modules, is_one, words);
    report = tools::json_text(tools::orders_report(found));
    text = tools::orders_text(found, false);
    page = tools::orders_page(found);
  }
  return nb::make_tuple(to_str(report), to_str(text), to_str(page));
}

// JSON.
nb::str compare(const Modules& modules, nb::typed<nb::list, nb::str> listed) {
  const Words words = to_words(listed);
  std::string report;
  {
    const nb::gil_scoped_release unlocked;
    tools::OptimizerArguments arguments;
    parse_words(words, [&](CLI::App& parser) { tools::add_optimizer_options(parser, arguments); });
    const optimizer::Options options = tools::optimizer_options(arguments);
    std::vector<tools::CompareRecord> records;
    for (const std::shared_ptr<Module>& module : modules) {
      const std::string& file = module->module().file;
      records.push_back({file, file, tools::compare_module(module->input(), options), ""});
    }
    report = tools::json_text(tools::compare_report(records, options));
  }
  return to_str(report);
}

}  // namespace

void bind_orders(nb::module_& core) {
  core.def("orders", &orders, nb::arg("modules"), nb::arg("is_one"), nb::arg("words"),
           "JSON, text and a page.");
  core.def("compare", &compare, nb::arg("modules"), nb::arg("words"), "JSON.");
}

}  // namespace flipsat::python
