// Any of the programs that an e-graph holds, not the cheapest: rules and export are tried much
// harder by these than by what an extractor wants.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "hlo/call_graph.h"
#include "language/export.h"
#include "rules/rule_book.h"
#include "tests/random_programs/random.h"

namespace flipsat::optimizer::testing {

class RandomSelection {
 public:
  // Imports and saturates; keeps a reference to the module. `everything`: all of the module comes
  // in as algebra, not only what stands near collectives.
  RandomSelection(const hlo::Module& module, const hlo::DeviceCounts& counts,
                  const rules::RuleOptions& rules,
                  const std::unordered_set<std::string>& assume_replicated, bool everything);

  // The module with some of its values defined as chance will have it; nullopt where that would
  // need a cycle, or where there is nothing to choose.
  std::optional<language::Export> draw(random_programs::Random& random);
  // What `draw` writes out; nullopt where there is nothing to choose.
  std::optional<language::Selection> select(random_programs::Random& random);

  language::HloGraph& hlo() { return hlo_; }
  const language::Import& import() const { return import_; }
  const hlo::CallGraph& calls() const { return calls_; }

  // Families behind a program's changes.
  std::set<std::string> rules_of(const language::Export& exported) const;

 private:
  void choose_cheapest(random_programs::Random& random);

  const hlo::Module& module_;
  hlo::CallGraph calls_;
  language::HloGraph hlo_;
  rules::RuleBook book_;
  language::Import import_;
  std::map<language::ClassId, std::vector<hlo::InstructionId>> originals_;
  std::map<language::ClassId, language::NodeId> cheapest_;  // under the random costs in force
};

}  // namespace flipsat::optimizer::testing
