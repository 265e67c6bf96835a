// Passes as users name them: the six by their names in the registry, combiners, families of rules.
//
//   all_gather_convert          one of the six; what all their names begin with may stand before it
//   combine                     all combiners that the compiler has, one after the other
//   all_gather_combiner         one of them (all_reduce, reduce_scatter, collective_permute)
//   gather_own_shard            a family of rules, in mode `extended`
//   all_gather_convert*         a pass again and again, until it finds nothing
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "optimizer/family_step.h"
#include "passes/step.h"

namespace flipsat::laboratory {

enum class Mode : uint8_t {
  kLiteral,   // the six as the compiler has them
  kSound,     // the six where they are right
  kExtended,  // the six where they are right, and every other family of rules
};

struct PassList {
  std::vector<passes::StepRef> steps;
  std::vector<passes::StepRef> closing;
};

// Names that may stand in a list, without `*`.
std::vector<std::string> pass_names(Mode mode, const optimizer::Options& options);

// The list's steps for one module. An empty list stands for the six in the registry's order; in
// mode `extended` every order of them is then closed by all other families, as one step. Throws
// std::invalid_argument for a name that is not in `pass_names`.
PassList make_passes(Mode mode, const std::vector<std::string>& names,
                     const std::shared_ptr<const optimizer::FamilySetting>& setting);

// What a list calls a pass, as `pass_names` spells it: without `*`, and without what the names of
// all six begin with.
std::string plain_name(const std::string& name);

// As reports call a step.
std::string short_name(const passes::Step& step);

}  // namespace flipsat::laboratory
