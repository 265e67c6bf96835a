// flipsat verify A B: do two modules compute the same?
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "frontends/file.h"
#include "frontends/text/text.h"
#include "hlo/verifier.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/output_files.h"
#include "tools/ranges.h"
#include "tools/units.h"
#include "tools/usage_error.h"
#include "tools/verify_report.h"
#include "tools/xla_run.h"

namespace flipsat::tools {
namespace {

// Elements that numbers may look at unasked, after the symbolic answer: some seconds.
constexpr int64_t kUnaskedWork = 20'000'000;

struct Arguments {
  std::string before;
  std::string after;
  std::string with;
  std::string level = "quick";
  std::string numerics = "exact";
  std::vector<std::string> assume_replicated;
  bool assume_finite = false;
  std::string json;
  std::string write_pairs;
  double time_limit = XlaOptions{}.time_limit;
  DumpArguments dump;
  DeviceArguments devices;
};

verify::Options symbolic_options(const Arguments& arguments) {
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

verify::NumberOptions number_options(const verify::Options& symbolic) {
  verify::NumberOptions options;
  options.seed = symbolic.seed;
  options.devices = symbolic.devices;
  options.assume_replicated = symbolic.assume_replicated;
  return options;
}

XlaOptions xla_options(const Arguments& arguments, const verify::Options& symbolic) {
  return {symbolic.devices, symbolic.assume_replicated, arguments.time_limit};
}

XlaInput read_well_formed(const std::string& path, const hlo::DeviceCountOverrides& devices) {
  XlaInput input;
  input.module = frontends::module_from(frontends::read_bytes(path), path);
  input.text = *input.module.source;
  hlo::verify_module(input.module, hlo::infer_device_counts(input.module, devices));
  return input;
}

VerifyAnswer compare(const Arguments& arguments) {
  const verify::Options options = symbolic_options(arguments);
  const XlaInput one = read_well_formed(arguments.before, options.devices);
  const XlaInput other = read_well_formed(arguments.after, options.devices);
  const hlo::Module& before = one.module;
  const hlo::Module& after = other.module;

  VerifyAnswer answer;
  answer.before = arguments.before;
  answer.after = arguments.after;
  answer.numerics = arguments.numerics;
  answer.same_signature = have_same_signature(before, after);
  if (!answer.same_signature) return answer;
  if (arguments.with == "xla") {
    answer.xla = run_on_xla(one, other, xla_options(arguments, options));
    return answer;
  }
  verify::NumberOptions numbers = number_options(options);
  if (arguments.with != "numbers") answer.symbolic = verify::compare(before, after, options);
  if (arguments.with.empty()) {
    // Numbers cannot add to a proof; they can settle an open question and measure a difference.
    if (answer.symbolic->verdict == verify::Verdict::kSame) return answer;
    numbers.work = kUnaskedWork;
  }
  if (arguments.with != "symbolic") {
    answer.numbers = verify::compare_on_numbers(before, after, numbers);
  }
  return answer;
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
  const verify::Options options = symbolic_options(arguments);
  const std::filesystem::path folder = arguments.write_pairs;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const XlaInput before = read_well_formed(arguments.before, options.devices);
  const XlaInput after = read_well_formed(arguments.after, options.devices);
  const XlaExcerpts excerpts =
      write_xla_pairs(before, after, xla_options(arguments, options), folder);
  print(stdout, fmt::format("{} in excerpts, {} alike\n", counted(excerpts.values, "changed value"),
                            excerpts.alike));
  for (const verify::NotChecked& value : excerpts.left_out) {
    print(stdout, fmt::format("%{} is in no excerpt: {}\n", value.instruction, value.reason));
  }
}

ExitCode run(Arguments arguments) {
  if (!arguments.write_pairs.empty() && arguments.with != "xla") {
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
  parser
      ->add_option(
          "--with", arguments->with,
          "symbolic (all inputs), numbers (one random input, bit for bit) or xla (XLA itself, "
          "random inputs); default: symbolic, then numbers on small modules where that does "
          "not say 'the same'")
      ->check(CLI::IsMember({"symbolic", "numbers", "xla"}))
      ->type_name("HOW");
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
                   "No float is NaN or infinite, and no zero's sign counts: x * 0 is 0");
  parser->add_option("--json", arguments->json, "Write it for programs; - is standard output")
      ->type_name("FILE");
  parser
      ->add_option("--time-limit", arguments->time_limit,
                   "Seconds that XLA has for one pair of modules")
      ->check(number_above_zero())
      ->capture_default_str()
      ->type_name("SECONDS");
  parser
      ->add_option("--write-pairs", arguments->write_pairs,
                   "With --with xla: write what XLA would be given into a folder, and run nothing")
      ->type_name("DIR");
  add_dump_options(*parser, arguments->dump);
  add_device_options(*parser, arguments->devices);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
