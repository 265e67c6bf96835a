// flipsat scramble IN -o OUT: the optimizer's work undone, at random.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "frontends/file.h"
#include "optimizer/scramble.h"
#include "tools/commands.h"
#include "tools/options.h"
#include "tools/output_files.h"
#include "tools/ranges.h"
#include "tools/units.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string input;
  std::string output;
  int64_t seed = static_cast<int64_t>(optimizer::ScrambleOptions{}.seed);
  int64_t steps = optimizer::ScrambleOptions{}.steps;
  std::optional<int64_t> count;
  std::string numerics = "exact";
  DeviceArguments devices;
};

// "step.hlo.gz" and 7: "step.7.hlo.gz".
std::string name_of(const std::string& input, uint64_t seed) {
  const std::string name = input == "-" ? "module.hlo" : fs::path(input).filename().string();
  const size_t text = std::min(name.rfind(".hlo"), name.size());
  const size_t dot = std::min(text, std::min(name.rfind(".pb"), name.size()));
  return fmt::format("{}.{}{}", name.substr(0, dot), seed, name.substr(dot));
}

void make_folder(const std::string& folder) {
  if (folder == "-") throw UsageError("--count: -o has to name a folder");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UsageError(fmt::format("cannot make {}: {}", folder, error.message()));
}

std::string rules_text(const std::map<std::string, int64_t>& rules) {
  std::string text;
  for (const auto& [rule, steps] : rules) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rule, steps);
  }
  return text;
}

ExitCode run(const Arguments& arguments) {
  optimizer::ScrambleOptions options;
  options.steps = arguments.steps;
  options.numerics = numerics_class(arguments.numerics);
  options.devices = device_overrides(arguments.devices);
  if (arguments.count) {
    make_folder(arguments.output);
  } else {
    check_can_write(arguments.output);
  }
  const hlo::Module input = frontends::read_module(arguments.input);
  for (int64_t i = 0; i < arguments.count.value_or(1); ++i) {
    options.seed = static_cast<uint64_t>(arguments.seed) + static_cast<uint64_t>(i);
    const optimizer::Scramble scramble = optimizer::scramble(input, options);
    if (scramble.steps < options.steps) {
      fmt::print(stderr, "flipsat: seed {}: only {} could be made, nothing is written\n",
                 options.seed, counted(scramble.steps, "step"));
      return kAnswerIsNo;
    }
    const std::string path =
        arguments.count
            ? (fs::path(arguments.output) / name_of(arguments.input, options.seed)).string()
            : arguments.output;
    const auto kind = frontends::kind_of_name(path).value_or(frontends::kind_of(input));
    write_output(path, frontends::module_bytes(scramble.module, kind));
    print(path == "-" ? stderr : stdout,
          fmt::format("seed {}: {} by {}: {}\n", options.seed, counted(scramble.steps, "step"),
                      counted(static_cast<int64_t>(scramble.rules.size()), "rule"),
                      rules_text(scramble.rules)));
  }
  return kDone;
}

}  // namespace

Command scramble_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand(
      "scramble", "Rewrite one module at random into a worse one that computes the same");
  parser->add_option("IN", arguments->input, "The module; - is standard input")->required();
  parser
      ->add_option("-o,--output", arguments->output,
                   "Where to write the result; - is standard output; with --count, a folder")
      ->required()
      ->type_name("OUT");
  parser->add_option("--seed", arguments->seed, "Another seed, another module")
      ->check(whole_number(0))
      ->capture_default_str()
      ->type_name("N");
  parser->add_option("--steps", arguments->steps, "Values that are rewritten, at least")
      ->check(whole_number(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  parser
      ->add_option("--count", arguments->count,
                   "As many modules, from --seed on, under names that tell the seed")
      ->check(whole_number(1))
      ->type_name("K");
  parser
      ->add_option("--numerics", arguments->numerics,
                   "Rules of which class: exact, precise or reassoc")
      ->capture_default_str()
      ->type_name("CLASS");
  add_device_options(*parser, arguments->devices);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
