#include "tools/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <thread>

#include "extract/combiner_file.h"
#include "rules/catalogue.h"
#include "rules/text/family.h"
#include "tools/memory.h"
#include "tools/ranges.h"
#include "tools/rule_file.h"
#include "tools/suggest.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

constexpr int64_t kMostDevices = int64_t{1} << 20;  // devices of more are not known
constexpr int kMostAlternatives = 100;

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const rules::RuleInfo& rule : rules::catalogue()) names.push_back(rule.name);
  return names;
}

std::set<std::string> known_rules(const std::string& option, const std::vector<std::string>& asked,
                                  const std::vector<std::string>& known) {
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError(
        fmt::format("{}: there is no rule '{}'{}", option, name, did_you_mean(name, known)));
  }
  return {asked.begin(), asked.end()};
}

optimizer::VerifyLevel verify_option(const std::string& spelling) {
  if (spelling == "off") return optimizer::VerifyLevel::kOff;
  if (spelling == "full") return optimizer::VerifyLevel::kFull;
  return optimizer::VerifyLevel::kQuick;
}

extract::Objective objective_option(const std::string& spelling) {
  if (spelling == "bytes") return extract::Objective::kBytes;
  if (spelling == "launches") return extract::Objective::kLaunches;
  return extract::Objective::kTime;
}

hlo::CombinerOptions combiner_option(const std::string& name) {
  try {
    return extract::combiner_by_name(name);
  } catch (const std::invalid_argument&) {
    throw UsageError(
        fmt::format("--combiner: there is no combiner '{}' (neuron, xla-gpu, xla-cpu, none or the "
                    "path of a JSON file)",
                    name));
  }
}

std::optional<solvers::Program> solver_option(const std::string& name) {
  if (name == "none") return std::nullopt;
  try {
    return solvers::find_program(name);
  } catch (const solvers::Missing& missing) {
    throw UsageError(fmt::format("--solver {}: {}", name, missing.what()));
  }
}

}  // namespace

void add_device_options(CLI::App& parser, DeviceArguments& arguments) {
  parser.add_option("--replicas", arguments.replicas, "Replicas, where the file does not say")
      ->check(whole_number(1, kMostDevices))
      ->type_name("N");
  parser
      .add_option("--partitions", arguments.partitions, "Partitions, where the file does not say")
      ->check(whole_number(1, kMostDevices))
      ->type_name("N");
}

hlo::DeviceCountOverrides device_overrides(const DeviceArguments& arguments) {
  return {arguments.replicas, arguments.partitions};
}

void add_cost_options(CLI::App& parser, CostArguments& arguments) {
  parser
      .add_option(
          "--combiner", arguments.combiner,
          "The compiler's collective combiner: neuron, xla-gpu, xla-cpu, none or a JSON file")
      ->capture_default_str()
      ->type_name("NAME|FILE");
  parser
      .add_option(
          "--machine", arguments.machine,
          "What launches and bytes cost: trn1, trn2, tpu-v5e, tpu-v5p, a100, h100, b200 or a JSON "
          "file")
      ->capture_default_str()
      ->type_name("NAME|FILE");
  parser.add_option("--objective", arguments.objective, "What to make small")
      ->check(CLI::IsMember({"time", "bytes", "launches"}))
      ->capture_default_str()
      ->type_name("");
}

extract::CostOptions cost_options(const CostArguments& arguments) {
  try {
    extract::machine_preset(arguments.machine);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--machine: {}", error.what()));
  }
  return {combiner_option(arguments.combiner), arguments.machine,
          objective_option(arguments.objective)};
}

void add_optimizer_options(CLI::App& parser, OptimizerArguments& arguments) {
  parser
      .add_option("--numerics", arguments.numerics,
                  "How far values may move: exact, precise or reassoc")
      ->capture_default_str()
      ->type_name("CLASS");
  parser.add_flag("--bitwise", arguments.bitwise,
                  "No rule that relies on HLO leaving the order of a reduction open");
  add_cost_options(parser, arguments.cost);
  parser.add_option("--disable", arguments.disable, "Rules to leave out (see 'flipsat rules')")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("RULE,..");
  parser.add_option("--only", arguments.only, "Use these rules and no others")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("RULE,..");
  parser.add_option("--rules", arguments.rules, "More rules, written as text")->type_name("FILE");
  add_device_options(parser, arguments.devices);
  parser
      .add_option("--assume-replicated", arguments.assume_replicated,
                  "Entry parameters that are equal on all devices")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PARAM,..");
  parser.add_flag("--assume-finite", arguments.assume_finite,
                  "No float is NaN or infinite, and no zero's sign counts: x * 0 is 0");
  parser
      .add_option("--min-gain", arguments.min_gain,
                  "Change nothing for less than this many percent")
      ->check(number(0, 100))
      ->type_name("PERCENT");
  parser
      .add_option("--max-peak-growth", arguments.max_peak_growth,
                  "How far the peak of live bytes may grow, in percent (default: unlimited)")
      ->check(number(0))
      ->type_name("PERCENT");
  parser
      .add_option("--node-limit", arguments.node_limit,
                  "Most e-nodes alive at once (default: by the size of the module)")
      ->check(whole_number(1))
      ->type_name("N");
  parser.add_option("--effort", arguments.effort, "Scales every budget of work; deterministic")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  parser
      .add_option("--time-limit", arguments.time_limit,
                  "Safety net in seconds; when it bites, the result may differ from run to run")
      ->check(number(0))
      ->type_name("SECONDS");
  parser.add_flag("--hoist", arguments.hoist,
                  "Also try gathers of what stays the same in a loop outside of it");
  parser.add_flag("--emit-combined", arguments.emit_combined,
                  "Write collectives that are launched together as one, in the fewest launches");
  CLI::Option* no_seed = parser.add_flag("--no-greedy-seed", arguments.no_greedy_seed,
                                         "Do not start from what the greedy pass order finds");
  parser
      .add_flag("--beat-orders", arguments.beat_orders,
                "Also start from what every order of the greedy passes finds")
      ->excludes(no_seed);
  parser
      .add_option("--alternatives", arguments.alternatives,
                  "Also tell the next best programs, and what each costs more")
      ->check(whole_number(1, kMostAlternatives))
      ->type_name("K");
  parser.add_option("--verify", arguments.verify, "How much of each changed value is proved")
      ->check(CLI::IsMember({"quick", "full", "off"}))
      ->capture_default_str()
      ->type_name("");
  parser
      .add_option("--solver", arguments.solver,
                  "Who is asked about choices that stay open: none, cp-sat or highs")
      ->capture_default_str()
      ->type_name("NAME");
  parser
      .add_option("--threads", arguments.threads,
                  "Of several modules so many are worked on at once; never changes a result "
                  "(default: as many as there are processors)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  parser
      .add_option("--memory", arguments.memory,
                  "How much may be held, by all processes of a batch together, as 512M or 4G "
                  "(default: unlimited)")
      ->type_name("SIZE");
}

int thread_count(const OptimizerArguments& arguments) {
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  return arguments.threads.value_or(std::max(processors, 1));
}

int64_t memory_limit(const OptimizerArguments& arguments) {
  return arguments.memory.empty() ? 0 : memory_size(arguments.memory);
}

std::vector<std::string> option_files(const OptimizerArguments& arguments) {
  return {arguments.cost.machine, arguments.cost.combiner, arguments.rules};
}

optimizer::Options optimizer_options(const OptimizerArguments& arguments) {
  std::vector<std::string> rules = rule_names();
  optimizer::Options options;
  options.solver = solver_option(arguments.solver);
  if (!arguments.rules.empty()) {
    for (const rules::text::TextRuleRef& rule : read_rule_file(arguments.rules)) {
      options.more_rules.push_back(rules::text::family_of(rule));
      rules.push_back(rule->name);
    }
  }
  options.numerics = numerics_class(arguments.numerics);
  options.bitwise = arguments.bitwise;
  options.cost = cost_options(arguments.cost);
  options.disable = known_rules("--disable", arguments.disable, rules);
  options.only = known_rules("--only", arguments.only, rules);
  options.devices = device_overrides(arguments.devices);
  for (const std::string& name : arguments.assume_replicated) {
    options.assume_replicated.insert(without_percent(name));
  }
  options.assume_finite = arguments.assume_finite;
  options.min_gain = arguments.min_gain;
  options.max_peak_growth = arguments.max_peak_growth;
  options.node_limit = arguments.node_limit;
  options.effort = arguments.effort;
  options.time_limit_seconds = arguments.time_limit;
  options.hoist = arguments.hoist;
  options.emit_combined = arguments.emit_combined;
  options.greedy_seed = !arguments.no_greedy_seed;
  options.beat_orders = arguments.beat_orders;
  options.alternatives = arguments.alternatives;
  options.verify = verify_option(arguments.verify);
  return options;
}

hlo::Numerics numerics_class(const std::string& spelling) {
  const std::optional<hlo::Numerics> numerics = hlo::numerics_from_string(spelling);
  if (!numerics) {
    throw UsageError(
        fmt::format("--numerics: there is no class '{}' (exact, precise or reassoc)", spelling));
  }
  if (*numerics == hlo::Numerics::kFast) {
    throw UsageError("--numerics fast: not available yet (no rule needs it)");
  }
  return *numerics;
}

std::string without_percent(const std::string& name) {
  return name.starts_with('%') ? name.substr(1) : name;
}

std::string to_string(extract::Objective objective) {
  switch (objective) {
    case extract::Objective::kTime:
      return "time";
    case extract::Objective::kBytes:
      return "bytes";
    case extract::Objective::kLaunches:
      return "launches";
  }
  return "";
}

}  // namespace flipsat::tools
