// From an e-graph to a problem and back.
#pragma once

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

struct Imported {
  Problem problem;
  std::vector<ClassId> classes;  // by class of the problem
  std::vector<Choice> choices;   // by node of the problem
};

// Holds what the roots can reach by nodes that can be had: usable, and built of such in the end.
// Roots that cannot be had are left out. Classes are numbered so that, cycles aside, what is
// needed comes first. Costs so high that their sum might not fit are cut down: what is proved of
// the problem as a lower bound holds for the e-graph.
Imported import(const EGraph& graph, std::span<const ClassId> roots, const CostFunction& cost,
                const ExtractOptions& options);

// For the classes that the selection uses; what nobody needs has no choice.
Extraction to_extraction(const EGraph& graph, const Imported& imported, const Selection& selection);

}  // namespace flipsat::egraph::dag
