// flipsat explain IN: why this result; --why-not RULE[@INSTR]: why not another.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "frontends/file.h"
#include "optimizer/rule_choice.h"
#include "tools/commands.h"
#include "tools/explain/explained.h"
#include "tools/inputs.h"
#include "tools/inspected_options.h"
#include "tools/memory.h"
#include "tools/output_files.h"
#include "tools/suggest.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

struct Arguments {
  std::string input;
  std::string at;
  std::string why_not;
  std::string json;
  bool each = false;
  DumpArguments dump;
  OptimizerArguments optimizer;
};

rules::RuleInfo rule_option(const std::string& name, const optimizer::Options& options) {
  std::vector<std::string> names;
  for (const rules::Family& family : optimizer::families(options)) {
    if (family.info.name == name) return family.info;
    names.push_back(family.info.name);
  }
  throw UsageError(fmt::format("--why-not: there is no rule '{}'{} ('flipsat rules' lists them)",
                               name, did_you_mean(name, names)));
}

void write(const Arguments& arguments, const Json& report, const std::string& text) {
  if (!arguments.json.empty()) write_output(arguments.json, json_text(report));
  if (arguments.json != "-") print(stdout, text);
}

ExitCode say_why_not(const Arguments& arguments, const hlo::Module& module,
                     const optimizer::Options& options) {
  const size_t split = arguments.why_not.find('@');
  const rules::RuleInfo rule = rule_option(arguments.why_not.substr(0, split), options);
  std::optional<hlo::InstructionId> at;
  if (split != std::string::npos) {
    at = instruction_option(module, "--why-not", arguments.why_not.substr(split + 1));
  }
  WhyNotAnswer answer;
  answer.rule = rule.name;
  const std::string off = optimizer::why_switched_off(rule, options);
  const optimizer::Result result =
      optimizer::inspect(module, options, [&](const optimizer::Inspection& inspection) {
        if (off.empty()) answer = why_not_answer(inspection, rule, at);
      });
  if (!off.empty()) {
    answer.note = "it is switched off: " + off;
  } else if (result.egraph.nodes == 0) {
    for (const std::string& note : result.notes) {
      answer.note += (answer.note.empty() ? "" : "; ") + note;
    }
  }
  write(arguments, why_not_report(arguments.input, options, answer), why_not_text(answer, rule));
  return kDone;
}

ExitCode run(Arguments arguments) {
  limit_this_process(memory_limit(arguments.optimizer));
  arguments.input = single_inputs({arguments.input}, arguments.dump).front();
  const optimizer::Options options = inspected_options(arguments.optimizer, "explain");
  check_are_no_inputs({arguments.json}, {arguments.input});
  check_are_no_inputs({arguments.json}, option_files(arguments.optimizer));
  if (!arguments.json.empty()) check_can_write(arguments.json);
  const hlo::Module module = frontends::module_from(
      frontends::read_bytes(arguments.input), arguments.input == "-" ? "<stdin>" : arguments.input);
  if (!arguments.why_not.empty()) return say_why_not(arguments, module, options);
  std::optional<hlo::InstructionId> at;
  if (!arguments.at.empty()) at = instruction_option(module, "--at", arguments.at);
  Explained found;
  const optimizer::Result result =
      optimizer::inspect(module, options, [&](const optimizer::Inspection& inspection) {
        found = explained(inspection, at, arguments.each);
      });
  write(arguments, explained_report(arguments.input, options, result, found),
        explained_text(arguments.input, options, result, found));
  return kDone;
}

}  // namespace

Command explain_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser =
      flipsat.add_subcommand("explain", "Say why the result is what it is, rule by rule");
  parser
      ->add_option("IN", arguments->input,
                   "The module, or a folder that --xla_dump_to filled; - is standard input")
      ->required();
  CLI::Option* at =
      parser->add_option("--at", arguments->at, "One instruction of the module, not all of it")
          ->type_name("INSTR");
  CLI::Option* each = parser->add_flag(
      "--each", arguments->each, "Tell each change's reason, also where it is like another's");
  parser
      ->add_option("--why-not", arguments->why_not,
                   "Why a rule did not fire, at an instruction or anywhere")
      ->type_name("RULE[@INSTR]")
      ->excludes(at)
      ->excludes(each);
  parser->add_option("--json", arguments->json, "Write it for programs; - is standard output")
      ->type_name("FILE");
  add_dump_options(*parser, arguments->dump);
  add_optimizer_options(*parser, arguments->optimizer);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
