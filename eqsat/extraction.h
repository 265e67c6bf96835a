// What the commands that extract have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "egraph/extract.h"

namespace flipsat::eqsat {

struct ExtractionArguments {
  std::string method = "tree";
};

void add_extraction_options(CLI::App& parser, ExtractionArguments& arguments);

egraph::Extraction extract(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                           const egraph::CostFunction& cost, const ExtractionArguments& arguments);

}  // namespace flipsat::eqsat
