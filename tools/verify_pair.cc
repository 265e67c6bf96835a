#include "tools/verify_pair.h"

#include "hlo/verifier.h"
#include "tools/ranges.h"
#include "verify/compare.h"
#include "verify/numbers.h"

namespace flipsat::tools {
void add_verify_options(CLI::App& parser, VerifyArguments& arguments) {
  parser
      .add_option(
          "--with", arguments.with,
          "symbolic (all inputs), numbers (one random input, bit for bit) or xla (XLA itself, "
          "random inputs); default: symbolic, then numbers on small modules where that does "
          "not say 'the same'")
      ->check(CLI::IsMember({"symbolic", "numbers", "xla"}))
      ->type_name("HOW");
  parser
      .add_option("--verify", arguments.level,
                  "How many elements of each value: quick (some hundreds) or full (all)")
      ->check(CLI::IsMember({"quick", "full"}))
      ->capture_default_str()
      ->type_name("");
  parser
      .add_option("--numerics", arguments.numerics,
                  "What counts as the same: exact, precise or reassoc")
      ->capture_default_str()
      ->type_name("CLASS");
  parser
      .add_option("--assume-replicated", arguments.assume_replicated,
                  "Entry parameters that are equal on all devices")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PARAM,..");
  parser.add_flag("--assume-finite", arguments.assume_finite,
                  "No float is NaN or infinite, and no zero's sign counts: x * 0 is 0");
  parser
      .add_option("--time-limit", arguments.time_limit,
                  "Seconds that XLA has for one pair of modules")
      ->check(number_above_zero())
      ->capture_default_str()
      ->type_name("SECONDS");
  add_device_options(parser, arguments.devices);
}

verify::Options symbolic_options(const VerifyArguments& arguments) {
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

XlaOptions xla_options(const VerifyArguments& arguments) {
  const verify::Options symbolic = symbolic_options(arguments);
  return {symbolic.devices, symbolic.assume_replicated, arguments.time_limit};
}

XlaInput well_formed(hlo::Module module, const hlo::DeviceCountOverrides& devices) {
  XlaInput input;
  input.module = std::move(module);
  input.text = *input.module.source;
  hlo::verify_module(input.module, hlo::infer_device_counts(input.module, devices));
  return input;
}

VerifyAnswer verify_pair(const XlaInput& one, const XlaInput& other,
                         const VerifyArguments& arguments) {
  const verify::Options options = symbolic_options(arguments);
  const hlo::Module& before = one.module;
  const hlo::Module& after = other.module;
  VerifyAnswer answer;
  answer.before = before.file;
  answer.after = after.file;
  answer.numerics = arguments.numerics;
  answer.same_signature = have_same_signature(before, after);
  if (!answer.same_signature) return answer;
  if (arguments.with == "xla") {
    answer.xla = run_on_xla(one, other, xla_options(arguments));
    return answer;
  }
  verify::NumberOptions numbers = verify::number_options(options);
  if (arguments.with != "numbers") answer.symbolic = verify::compare(before, after, options);
  if (arguments.with.empty()) {
    // Numbers cannot add to a proof; they can settle an open question and measure a difference.
    if (answer.symbolic->verdict == verify::Verdict::kSame) return answer;
    numbers.work = verify::kUnaskedWork;
  }
  if (arguments.with != "symbolic") {
    answer.numbers = verify::compare_on_numbers(before, after, numbers);
  }
  return answer;
}

}  // namespace flipsat::tools
