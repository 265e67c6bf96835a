#include "eqsat/extraction.h"

#include <fmt/format.h>

#include <algorithm>

#include "eqsat/commands.h"
#include "eqsat/saturation.h"
#include "solvers/process_solver.h"

namespace flipsat::eqsat {

CLI::Validator extraction_method() {
  return CLI::IsMember({"tree", "greedy-dag", "local", "exact"});
}

void add_search_options(CLI::App& parser, ExtractionArguments& arguments) {
  parser.add_option("--work", arguments.work, "Steps that local and exact may take at most")
      ->check(whole_number())
      ->capture_default_str();
  parser
      .add_option("--solver", arguments.solver,
                  "What exact asks about parts that it leaves open: none, cp-sat or highs")
      ->capture_default_str()
      ->type_name("NAME");
  parser
      .add_option("--solver-limit", arguments.solver_limit,
                  "What the solver may spend, in about seconds that it counts without a clock")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void add_extraction_options(CLI::App& parser, ExtractionArguments& arguments) {
  parser
      .add_option("--method", arguments.method,
                  "tree counts a shared node once for every use; the others once")
      ->check(extraction_method())
      ->capture_default_str();
  add_search_options(parser, arguments);
}

std::optional<solvers::Program> solver_program(const ExtractionArguments& arguments) {
  if (arguments.solver == "none") return std::nullopt;
  if (arguments.method != "exact") throw UsageError("--solver: only with --method exact");
  try {
    return solvers::find_program(arguments.solver);
  } catch (const solvers::Missing& missing) {
    throw UsageError(fmt::format("--solver {}: {}", arguments.solver, missing.what()));
  }
}

Extracted extract(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                  const egraph::CostFunction& cost, const ExtractionArguments& arguments,
                  const std::optional<solvers::Program>& solver) {
  egraph::SearchOptions options;
  options.most_work = arguments.work;
  if (arguments.method == "tree") return {extract_tree(graph, cost), {}, {}};
  if (arguments.method == "greedy-dag") return {extract_greedy_dag(graph, roots, cost), {}, {}};
  if (arguments.method == "local") return {extract_local(graph, roots, cost, options), {}, {}};
  if (!solver) {
    egraph::BoundedExtraction exact = extract_exact(graph, roots, cost, options);
    return {std::move(exact.extraction), exact.bound, {}};
  }
  solvers::ProcessSolver process(*solver);
  egraph::dag::CheckedSolver checked(process);
  options.solver = &checked;
  options.solver_limit = arguments.solver_limit;
  egraph::BoundedExtraction exact = extract_exact(graph, roots, cost, options);
  return {std::move(exact.extraction), exact.bound,
          solvers::sentences(solver->name, checked.tally())};
}

bool can_be_had(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                const egraph::CostFunction& cost) {
  const egraph::Extraction any = extract_tree(graph, cost);
  return std::ranges::all_of(roots,
                             [&](egraph::ClassId root) { return any.has(graph.find(root)); });
}

}  // namespace flipsat::eqsat
