// flipsat verify A B: do two modules compute the same?
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "frontends/file.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/output_files.h"
#include "tools/units.h"
#include "tools/usage_error.h"
#include "tools/verify_pair.h"

namespace flipsat::tools {
namespace {

struct Arguments {
  std::string before;
  std::string after;
  std::string json;
  std::string write_pairs;
  VerifyArguments verify;
  DumpArguments dump;
};

XlaInput read_well_formed(const std::string& path, const hlo::DeviceCountOverrides& devices) {
  hlo::Module module = frontends::module_from(frontends::read_bytes(path), path);
  return well_formed(std::move(module), devices);
}

VerifyAnswer compare(const Arguments& arguments) {
  const hlo::DeviceCountOverrides devices = symbolic_options(arguments.verify).devices;
  const XlaInput before = read_well_formed(arguments.before, devices);
  const XlaInput after = read_well_formed(arguments.after, devices);
  return verify_pair(before, after, arguments.verify);
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

// What XLA would be given, for those who run it themselves.
void write_pairs(const Arguments& arguments) {
  const XlaOptions options = xla_options(arguments.verify);
  const std::filesystem::path folder = arguments.write_pairs;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const XlaInput before = read_well_formed(arguments.before, options.devices);
  const XlaInput after = read_well_formed(arguments.after, options.devices);
  const XlaExcerpts excerpts = write_xla_pairs(before, after, options, folder);
  print(stdout, fmt::format("{} in excerpts, {} alike\n", counted(excerpts.values, "changed value"),
                            excerpts.alike));
  for (const verify::NotChecked& value : excerpts.left_out) {
    print(stdout, fmt::format("%{} is in no excerpt: {}\n", value.instruction, value.reason));
  }
}

ExitCode run(Arguments arguments) {
  if (!arguments.write_pairs.empty() && arguments.verify.with != "xla") {
    throw UsageError("--write-pairs goes with --with xla");
  }
  if (arguments.before == "-" && arguments.after == "-") {
    throw UsageError("only one of the two modules can come from standard input");
  }
  const std::vector<std::string> inputs =
      single_inputs({arguments.before, arguments.after}, arguments.dump);
  arguments.before = inputs.front();
  arguments.after = inputs.back();
  if (!arguments.write_pairs.empty()) {
    write_pairs(arguments);
    return kDone;
  }
  check_are_no_inputs({arguments.json}, inputs);
  if (!arguments.json.empty()) check_can_write(arguments.json);
  const VerifyAnswer answer = compare(arguments);
  if (!arguments.json.empty()) write_output(arguments.json, json_text(verify_report(answer)));
  if (arguments.json != "-") print(stdout, verify_text(answer));
  return exit_code(answer.verdict());
}

}  // namespace

Command verify_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand("verify", "Say whether two modules compute the same");
  parser
      ->add_option("A", arguments->before,
                   "One module, or a folder that --xla_dump_to filled; - is standard input")
      ->required();
  parser->add_option("B", arguments->after, "The other")->required();
  add_verify_options(*parser, arguments->verify);
  parser->add_option("--json", arguments->json, "Write it for programs; - is standard output")
      ->type_name("FILE");
  parser
      ->add_option("--write-pairs", arguments->write_pairs,
                   "With --with xla: write what XLA would be given into a folder, and run nothing")
      ->type_name("DIR");
  add_dump_options(*parser, arguments->dump);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
