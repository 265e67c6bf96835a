// flipsat verify A B: do two modules compute the same?
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "frontends/file.h"
#include "hlo/verifier.h"
#include "tools/commands.h"
#include "tools/options.h"
#include "tools/output_files.h"
#include "tools/report.h"
#include "tools/units.h"
#include "tools/usage_error.h"
#include "verify/compare.h"

namespace flipsat::tools {
namespace {

struct Arguments {
  std::string before;
  std::string after;
  std::string with = "symbolic";
  std::string level = "quick";
  std::string numerics = "exact";
  std::vector<std::string> assume_replicated;
  bool assume_finite = false;
  std::string json;
  DeviceArguments devices;
};

verify::Options verify_options(const Arguments& arguments) {
  verify::Options options;
  if (arguments.level == "full") options.level = verify::Options::Level::kFull;
  options.numerics = numerics_class(arguments.numerics);
  options.devices = device_overrides(arguments.devices);
  for (const std::string& name : arguments.assume_replicated) {
    options.assume_replicated.insert(without_percent(name));
  }
  options.assume_finite = arguments.assume_finite;
  return options;
}

hlo::Module read_well_formed(const std::string& path, const hlo::DeviceCountOverrides& devices) {
  hlo::Module module = frontends::read_module(path);
  hlo::verify_module(module, hlo::infer_device_counts(module, devices));
  return module;
}

std::string answer(verify::Verdict verdict) {
  switch (verdict) {
    case verify::Verdict::kSame:
      return "same";
    case verify::Verdict::kDifferent:
      return "different";
    case verify::Verdict::kNotChecked:
      return "not checked";
  }
  return "";
}

Json verify_report(const Arguments& arguments, const verify::Result& result) {
  Json differences = Json::array();
  for (const verify::Difference& difference : result.differences) {
    differences.push_back({{"at", "%" + difference.instruction},
                           {"computation", difference.computation},
                           {"device", difference.device},
                           {"index", difference.index},
                           {"text", difference.text}});
  }
  Json not_checked = Json::array();
  for (const verify::NotChecked& value : result.not_checked) {
    not_checked.push_back({{"at", "%" + value.instruction}, {"why", value.reason}});
  }
  Json report = report_head();
  report["before"] = arguments.before;
  report["after"] = arguments.after;
  report["how"] = arguments.with;
  report["numerics"] = arguments.numerics;
  report["answer"] = answer(result.verdict);
  report["values"] = result.values;
  report["elements"] = result.elements;
  report["differences"] = differences;
  report["not_checked"] = not_checked;
  return report;
}

std::string verify_text(const Arguments& arguments, const verify::Result& result) {
  const std::string proved =
      fmt::format("{} compared on {} ({}, {})", counted(result.values, "changed value"),
                  counted(result.elements, "element"), arguments.with, arguments.numerics);
  std::string text;
  switch (result.verdict) {
    case verify::Verdict::kSame:
      text = fmt::format("the modules compute the same: {}\n", proved);
      break;
    case verify::Verdict::kDifferent:
      text = fmt::format("the modules differ: {}\n", proved);
      break;
    case verify::Verdict::kNotChecked:
      text = fmt::format("not checked, so nothing is known: {}\n", proved);
      break;
  }
  for (const verify::Difference& difference : result.differences) {
    text += fmt::format("  %{} in {}, device {}, element [{}]: {}\n", difference.instruction,
                        difference.computation, difference.device, fmt::join(difference.index, ","),
                        difference.text);
  }
  for (const verify::NotChecked& value : result.not_checked) {
    text += fmt::format("  %{}: {}\n", value.instruction, value.reason);
  }
  return text;
}

ExitCode exit_code(verify::Verdict verdict) {
  switch (verdict) {
    case verify::Verdict::kSame:
      return kDone;
    case verify::Verdict::kDifferent:
      return kAnswerIsNo;
    case verify::Verdict::kNotChecked:
      return kNotChecked;
  }
  return kInternalError;
}

ExitCode run(const Arguments& arguments) {
  if (arguments.with == "xla") throw UsageError("--with xla: not available yet");
  if (arguments.before == "-" && arguments.after == "-") {
    throw UsageError("only one of the two modules can come from standard input");
  }
  const verify::Options options = verify_options(arguments);
  const hlo::Module before = read_well_formed(arguments.before, options.devices);
  const hlo::Module after = read_well_formed(arguments.after, options.devices);
  const verify::Result result = verify::compare(before, after, options);
  if (!arguments.json.empty()) {
    write_output(arguments.json, json_text(verify_report(arguments, result)));
  }
  if (arguments.json != "-") fmt::print("{}", verify_text(arguments, result));
  return exit_code(result.verdict);
}

}  // namespace

Command verify_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand("verify", "Say whether two modules compute the same");
  parser->add_option("A", arguments->before, "One module; - is standard input")->required();
  parser->add_option("B", arguments->after, "The other")->required();
  parser->add_option("--with", arguments->with, "How: symbolic or numbers")
      ->check(CLI::IsMember({"symbolic", "numbers", "xla"}))
      ->capture_default_str()
      ->type_name("");
  parser
      ->add_option("--verify", arguments->level,
                   "How many elements of each value: quick (some hundreds) or full (all)")
      ->check(CLI::IsMember({"quick", "full"}))
      ->capture_default_str()
      ->type_name("");
  parser
      ->add_option("--numerics", arguments->numerics,
                   "What counts as the same: exact, precise or reassoc")
      ->capture_default_str()
      ->type_name("CLASS");
  parser
      ->add_option("--assume-replicated", arguments->assume_replicated,
                   "Entry parameters that are equal on all devices")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PARAM,..");
  parser->add_flag("--assume-finite", arguments->assume_finite,
                   "No infinities and NaNs occur: x times 0 is 0");
  parser->add_option("--json", arguments->json, "Write it for programs; - is standard output")
      ->type_name("FILE");
  add_device_options(*parser, arguments->devices);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
