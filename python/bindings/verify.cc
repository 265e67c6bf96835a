
#include "python/bindings/bindings.h"
#include "python/bindings/module.h"
#include "python/bindings/strings.h"
#include "python/bindings/words.h"
#include "tools/verify_pair.h"

namespace flipsat::python {
namespace {

tools::VerifyAnswer verify(const Module& before, const Module& after,
                           nb::typed<nb::list, nb::str> listed) {
  const Words words = to_words(listed);
  const nb::gil_scoped_release unlocked;
  tools::VerifyArguments arguments;
  parse_words(words, [&](CLI::App& parser) { tools::add_verify_options(parser, arguments); });
  const hlo::DeviceCountOverrides devices = tools::device_overrides(arguments.devices);
  return tools::verify_pair(tools::well_formed(before.input(), devices),
                            tools::well_formed(after.input(), devices), arguments);
}

}  // namespace

void bind_verify(nb::module_& core) {
  using tools::VerifyAnswer;
  nb::class_<VerifyAnswer>(core, "VerifyAnswer", "What the verifier answered.")
      .def(
          "report",
          [](const VerifyAnswer& answer) {
            return to_str(tools::json_text(tools::verify_report(answer)));
          },
          "The report as JSON.")
      .def("text", [](const VerifyAnswer& answer) { return to_str(tools::verify_text(answer)); });
  core.def("verify", &verify, nb::arg("before"), nb::arg("after"), nb::arg("words"));
}

}  // namespace flipsat::python
