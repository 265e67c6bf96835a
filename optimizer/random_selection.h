// Any of the programs that an e-graph holds, not the cheapest: rules and export are tried much
// harder by these than by what an extractor wants.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "egraph/limits.h"
#include "hlo/call_graph.h"
#include "language/export.h"
#include "optimizer/random.h"
#include "rules/rule_book.h"

namespace flipsat::optimizer {

class RandomSelection {
 public:
  // Imports and saturates; keeps a reference to the module. `everything`: all of the module comes
  // in as algebra, not only what stands near collectives.
  RandomSelection(const hlo::Module& module, const hlo::DeviceCounts& counts,
                  const rules::RuleOptions& rules,
                  const std::unordered_set<std::string>& assume_replicated, bool everything,
                  std::optional<egraph::Limits> limits = std::nullopt);

  // The module with some of its values defined as chance will have it; nullopt where that would
  // need a cycle, or where there is nothing to choose.
  std::optional<language::Export> draw(Random& random);
  // What `draw` writes out; nullopt where there is nothing to choose.
  std::optional<language::Selection> select(Random& random);

  // A value of the module that some rule gives another definition.
  struct Step {
    language::ClassId cls = egraph::kNoId;
    language::NodeId node = egraph::kNoId;
    std::string rule;
  };
  // All that there are, by rule, in the order of the e-graph. Directed edges are none: what is more
  // precise is not equal.
  std::map<std::string, std::vector<Step>> steps() const;
  // The step with what it needs besides, which is left to chance; nullopt where the value would be
  // defined by itself.
  std::optional<language::Selection> define(const Step& step, Random& random) const;
  // Did the step leave a new definition in the program?
  bool is_taken(const Step& step, const language::Export& exported) const;

  const language::HloGraph& hlo() const { return hlo_; }
  language::HloGraph& hlo() { return hlo_; }
  const language::Import& import() const { return import_; }
  const hlo::CallGraph& calls() const { return calls_; }

  // Families behind a program's changes.
  std::set<std::string> rules_of(const language::Export& exported) const;

 private:
  void choose_cheapest(Random& random);
  // Chooses what defines the new classes that chosen nodes need.
  void complete(language::Selection& selection,
                const std::map<language::ClassId, language::NodeId>& definitions) const;
  // Classes of the module that refer to a class, directly or not, and itself.
  std::vector<bool> built_on(language::ClassId cls) const;

  const hlo::Module& module_;
  hlo::CallGraph calls_;
  language::HloGraph hlo_;
  rules::RuleBook book_;
  language::Import import_;
  std::map<language::ClassId, std::vector<hlo::InstructionId>> originals_;
  std::map<language::ClassId, language::NodeId> cheapest_;  // under the random costs in force
};

}  // namespace flipsat::optimizer
