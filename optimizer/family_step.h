// Families of rules as steps of a pass order: the laboratory's `extended` passes.
//
// Such a step stands for a pass that knows one family and nothing else, and is as greedy as can be:
// of all programs that the family alone leads to from the one at hand, it takes the cheapest by the
// model, and stays where none is cheaper. The e-graph with that family alone is what finds it, so
// conditions, directions and prices are those of `optimize`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "optimizer/options.h"
#include "passes/step.h"

namespace flipsat::optimizer {

// What the steps of one module share.
struct FamilySetting {
  hlo::DeviceCounts counts;
  Options options;
  std::vector<bool> surroundings;  // of the input
};

// By the name of a rule, of the catalogue or of `more_rules`; does nothing where the options leave
// it out.
passes::StepRef family_step(std::string name, const std::string& rule,
                            std::shared_ptr<const FamilySetting> setting);

// All families but those that the six local passes stand for, each once, in the catalogue's order,
// then the user's.
passes::StepRef other_families_step(std::string name, std::shared_ptr<const FamilySetting> setting);

// Is it one that a local pass stands for?
bool has_local_pass(const std::string& rule);

}  // namespace flipsat::optimizer
