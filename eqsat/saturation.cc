#include "eqsat/saturation.h"

#include <charconv>
#include <cmath>

#include "eqsat/files.h"

namespace flipsat::eqsat {

using namespace egraph;

CLI::Validator whole_number() {
  const auto check = [](const std::string& text) -> std::string {
    uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data(), end, value);
    const bool is_number = error == std::errc() && stopped_at == end;
    return is_number ? "" : "'" + text + "' is not a whole number that fits";
  };
  return CLI::Validator(check, "COUNT");
}

void add_saturation_options(CLI::App& parser, SaturationArguments& arguments) {
  parser.add_option("--rules", arguments.rule_files, "Files of (more) rules, one a line")
      ->type_name("FILE")
      ->allow_extra_args(false);
  parser.add_option("--iters", arguments.iterations, "Iterations at most")->check(whole_number());
  parser.add_option("--nodes", arguments.nodes, "Nodes in the e-graph at most")
      ->check(whole_number());
  parser.add_option("--matches", arguments.matches, "Matches found at most")->check(whole_number());
  parser.add_option("--bytes", arguments.bytes, "Bytes held at most")->check(whole_number());
  parser.add_option("--seconds", arguments.seconds, "Seconds at most")
      ->check(CLI::Validator(
          [](const std::string& text) -> std::string {
            double value = 0;
            const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
            return is_number && value >= 0 ? "" : "'" + text + "' is not a number of seconds";
          },
          "SECONDS"));
  parser.add_option("--scheduler", arguments.scheduler, "Which rules run in an iteration")
      ->check(CLI::IsMember({"simple", "backoff"}))
      ->capture_default_str();
  parser.add_option("--search", arguments.search, "What is searched: what can be new, or all")
      ->check(CLI::IsMember({"incremental", "full"}))
      ->capture_default_str();
}

void add_start_option(CLI::App& parser, SaturationArguments& arguments) {
  parser.add_option("--start", arguments.start, "Only the first start nodes of the workload")
      ->check(whole_number());
}

RunOptions run_options(const SaturationArguments& arguments, const WorkloadFile& workload) {
  RunOptions options;
  Limits& limits = options.limits;
  if (workload.iterations != Limits::kNone) limits.iterations = workload.iterations;
  if (workload.nodes != Limits::kNone) limits.nodes = workload.nodes;
  limits.iterations = arguments.iterations.value_or(limits.iterations);
  limits.nodes = arguments.nodes.value_or(limits.nodes);
  limits.matches = arguments.matches.value_or(limits.matches);
  limits.bytes = arguments.bytes.value_or(limits.bytes);
  limits.seconds = arguments.seconds.value_or(limits.seconds);
  if (arguments.scheduler == "backoff") {
    options.scheduler.policy = SchedulerOptions::Policy::kBackoff;
  }
  if (arguments.search == "full") options.search = SearchMode::kFull;
  return options;
}

namespace {

void append_rule_files(WorkloadFile& workload, const SaturationArguments& arguments) {
  for (const std::string& path : arguments.rule_files) {
    std::vector<TextRule> more =
        read_rules(read_file(path), path, workload.symbols, workload.rules);
    for (TextRule& rule : more) workload.rules.push_back(std::move(rule));
  }
}

}  // namespace

WorkloadFile read_workload_file(const std::string& path, const SaturationArguments& arguments) {
  WorkloadFile workload = read_workload(read_file(path), path);
  append_rule_files(workload, arguments);
  return workload;
}

void add_language_option(CLI::App& parser, SaturationArguments& arguments) {
  parser
      .add_option("--workload", arguments.language,
                  "Take operators, costs and rules of this workload (.wl) first; without one, "
                  "every node costs 1")
      ->type_name("FILE");
}

WorkloadFile read_language(const SaturationArguments& arguments) {
  if (!arguments.language.empty()) return read_workload_file(arguments.language, arguments);
  WorkloadFile language;
  append_rule_files(language, arguments);
  return language;
}

Saturated saturate(WorkloadFile& workload, const SaturationArguments& arguments,
                   StartNodes start_nodes) {
  Saturated result;
  if (arguments.explanations) result.graph.keep_history();
  const Stopwatch load_time;
  result.roots = load(workload, result.graph, arguments.start).roots;
  result.graph.rebuild();
  result.load_seconds = load_time.seconds();
  if (start_nodes == StartNodes::kDrop) workload.drop_start_nodes();

  const Stopwatch compile_time;
  const RuleSet rules = make_rules(workload.rules, workload.symbols, result.graph);
  Saturator saturator(result.graph, rules);
  result.compile_seconds = compile_time.seconds();

  RunOptions options = run_options(arguments, workload);
  result.report = saturator.run(options);
  result.nodes = result.graph.node_count();
  result.classes = result.graph.class_count();
  if (!arguments.rerun) return result;
  options.limits.iterations = 1;
  result.rerun_seconds = saturator.run(options).seconds;
  return result;
}

CostFunction cost_function(const WorkloadFile& workload, const EGraph& graph) {
  return [&, costs = workload.cost_of_symbols()](NodeId node) {
    return costs[workload.symbols.symbol(graph.kind(node), graph.payload(node))];
  };
}

}  // namespace flipsat::eqsat
