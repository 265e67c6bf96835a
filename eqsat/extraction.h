// What the commands that extract have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "egraph/extract.h"

namespace flipsat::eqsat {

struct ExtractionArguments {
  std::string method = "tree";
  uint64_t work = egraph::SearchOptions().most_work;
};

// The names of all methods, for options that take one.
CLI::Validator extraction_method();
// `--work`, for the methods that search.
void add_work_option(CLI::App& parser, uint64_t& work);
void add_extraction_options(CLI::App& parser, ExtractionArguments& arguments);

struct Extracted {
  egraph::Extraction extraction;
  std::optional<egraph::Cost> bound;  // nothing is cheaper; of methods that prove one
};

// Throws std::logic_error if the method is one that searches and a root cannot be had.
Extracted extract(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                  const egraph::CostFunction& cost, const ExtractionArguments& arguments);

// Whether every root can be had at all.
bool can_be_had(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                const egraph::CostFunction& cost);

}  // namespace flipsat::eqsat
