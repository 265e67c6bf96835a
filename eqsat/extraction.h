// What the commands that extract have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "egraph/extract.h"
#include "solvers/program.h"

namespace flipsat::eqsat {

struct ExtractionArguments {
  std::string method = "tree";
  uint64_t work = egraph::SearchOptions().most_work;
  std::string solver = "none";
  double solver_limit = egraph::SearchOptions().solver_limit;
};

// The names of all methods, for options that take one.
CLI::Validator extraction_method();
// `--work`, `--solver` and `--solver-limit`, for the methods that search.
void add_search_options(CLI::App& parser, ExtractionArguments& arguments);
void add_extraction_options(CLI::App& parser, ExtractionArguments& arguments);

struct Extracted {
  egraph::Extraction extraction;
  std::optional<egraph::Cost> bound;  // nothing is cheaper; of methods that prove one
  std::vector<std::string> notes;     // what a solver had to do with it
};

// Nullopt for "none". Throws UsageError if there is no such solver, or it cannot help that method.
std::optional<solvers::Program> solver_program(const ExtractionArguments& arguments);

// Throws std::logic_error if the method is one that searches and a root cannot be had.
Extracted extract(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                  const egraph::CostFunction& cost, const ExtractionArguments& arguments,
                  const std::optional<solvers::Program>& solver);

// Whether every root can be had at all.
bool can_be_had(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                const egraph::CostFunction& cost);

}  // namespace flipsat::eqsat
