// The e-graph's way through a module: import, saturate, extract, describe.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "egraph/runner.h"
#include "extract/extraction.h"
#include "hlo/call_graph.h"
#include "hlo/device_values.h"
#include "hlo/uniformity.h"
#include "language/export.h"
#include "optimizer/options.h"
#include "optimizer/result.h"
#include "rules/rule_book.h"
#include "solvers/process_solver.h"

namespace flipsat::optimizer {

class EGraphProgram {
 public:
  // Keeps references to the arguments.
  EGraphProgram(const hlo::Module& input, const hlo::DeviceCounts& counts, const Options& options,
                const std::vector<bool>& surroundings);

  void import();
  void saturate();
  // The best program that the e-graph holds and the search finds; nullopt where that is the input.
  std::optional<language::Export> extract();
  // What no program of the last extraction costs less than, given what the input costs, both in the
  // objective's unit. Nullopt where it is not known.
  std::optional<int64_t> bound(int64_t input_cost) const;

  // Hands over the next best programs in order of cost, the one of the last extraction and the
  // input (nullopt) among them, until no more is wanted or `most` were handed over. True where no
  // other program of the e-graph costs less than one that was.
  bool next_best(size_t most,
                 const std::function<bool(std::optional<language::Export>)>& wants_more);

  // Goes on with the rules of a looser class, from the program that was found: the best that these
  // would allow. Nullopt where they allow nothing better. Nothing is proved, and the e-graph is no
  // longer one of the class that was asked for.
  std::optional<language::Export> loosen(hlo::Numerics numerics);

  // Leaves the values behind these instructions of an exported program as the input has them from
  // now on; false if none of them is a value that was redefined.
  bool give_up(const language::Export& exported, const std::vector<NotChecked>& unchecked);

  // Names of the reductions of an exported program that a directed edge led to.
  std::vector<std::string> wider_sums(const language::Export& exported) const;

  std::vector<Change> describe(const language::Export& exported, Result& result);
  // Rules, e-graph, what was kept, notes.
  void report(Result& result);

  const language::HloGraph& hlo() const { return hlo_; }

  // ---- for who looks at what was found (inspection.h) ----
  const language::Import& imported() const { return import_; }
  const rules::RuleBook& rule_book() const { return book_; }
  const egraph::RunReport& saturation() const { return run_; }
  const hlo::DeviceCounts& counts() const { return counts_; }
  bool is_near_collective(hlo::InstructionId id) const { return surroundings_[id]; }
  // Null before the first extraction.
  extract::Problem* problem() { return problem_ ? &*problem_ : nullptr; }
  // With the choices of the last extraction, which `selection` has, too.
  extract::ProgramState* state() { return state_ ? &*state_ : nullptr; }
  language::Selection selection() const;
  // The program of the last extraction, once more.
  std::optional<language::Export> chosen_program() { return exported(selection()); }

 private:
  // Nodes, classes and directed edges: what rules have made of the module.
  std::array<uint64_t, 3> size() const;
  egraph::RunOptions run_options() const;
  extract::SearchOptions search_options(int64_t work) const;
  int64_t value(const hlo::Module& module) const;  // in the objective's unit
  // Nullopt where the selection is the input.
  std::optional<language::Export> exported(const language::Selection& selection);
  // Rules that made other values equal to this one.
  std::vector<egraph::Reason> rules_within(hlo::InstructionId value) const;
  void report_rules(Result& result);
  void report_kept(Result& result);
  void report_solver(Result& result) const;
  egraph::dag::BranchOptions proof_options();

  const hlo::Module& input_;
  const hlo::DeviceCounts& counts_;
  const Options& options_;
  const std::vector<bool>& surroundings_;
  hlo::CallGraph calls_;
  language::HloGraph hlo_;
  rules::RuleBook book_;
  language::Import import_;
  egraph::RunReport run_;
  egraph::dag::SolvedParts solved_;  // where options have none
  std::optional<solvers::ProcessSolver> solver_process_;
  std::optional<egraph::dag::CheckedSolver> solver_;  // asks the process
  std::optional<extract::Problem> problem_;
  std::optional<extract::ProgramState> state_;
  std::optional<extract::ExtractionResult> extraction_;
  std::set<language::ClassId> given_up_;
};

}  // namespace flipsat::optimizer
