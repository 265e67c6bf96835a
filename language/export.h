// A selection as patches to the module: the input, with some values defined anew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "language/import.h"
#include "language/selection.h"

namespace flipsat::language {

// One value that got another definition.
struct Patch {
  hlo::InstructionId at = hlo::kNoId;           // the value in the input
  hlo::InstructionId replacement = hlo::kNoId;  // in the output
  std::vector<hlo::InstructionId> from;         // instructions of the input that are gone for it
  std::vector<hlo::InstructionId> to;           // instructions of the output that are new for it
  std::vector<egraph::Reason> rules;            // that made the new nodes, each once, sorted
  std::vector<egraph::NodeId> nodes;  // behind `to`; kNoId for a collective of several operands
  bool is_refinement = false;         // a directed edge led there: more precise, not equal
};

struct Export {
  hlo::Module module;
  std::vector<Patch> patches;  // in text order of `at`
  bool is_regrouped = false;   // some collective has several operands again
};

// Are new collectives that stand for one of several operands written as one again (regroup.h)?
enum class Grouped : uint8_t { kOneByOne, kAsBefore };

// Nullopt where the selection has a cycle: a value would be defined by itself.
std::optional<Export> export_module(const hlo::Module& input, const Import& import, HloGraph& hlo,
                                    const Selection& selection,
                                    Grouped grouped = Grouped::kAsBefore);

// Instructions of the input by canonical class, in text order; copies left out.
std::map<ClassId, std::vector<hlo::InstructionId>> originals_by_class(const hlo::Module& input,
                                                                      const Import& import,
                                                                      const HloGraph& hlo);

}  // namespace flipsat::language
