// An optimised module with its e-graph still there: what it holds, in terms of the input.
//
//   inspect(module, options, [](const Inspection& inspection) {
//     const Reason why = Reasons(inspection).of_patch(inspection.patches().front());   // reasons.h
//   });
//
// A class of the e-graph is called by the instruction of the input that it is the value of ("%w"),
// or by its number ("c17") where rules made it. Everything here reads; nothing changes the e-graph.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/egraph_program.h"
#include "optimizer/optimize.h"

namespace flipsat::optimizer {

class Inspection {
 public:
  // Keeps references to the arguments, of which the e-graph has been extracted from.
  Inspection(const hlo::Module& input, const Options& options, EGraphProgram& program,
             const Result& result);

  const hlo::Module& input() const { return input_; }
  const Options& options() const { return options_; }
  const Result& result() const { return result_; }
  const EGraphProgram& program() const { return program_; }
  const language::HloGraph& hlo() const { return program_.hlo(); }
  const egraph::EGraph& graph() const { return program_.hlo().graph(); }

  // ---- the output ----
  // One for each of the result's changes, in their order; empty where the output is no program of
  // this e-graph (Origin::kGreedy) or is the input.
  const std::vector<language::Patch>& patches() const;
  // The module that the patches lead to; null where there are none.
  const hlo::Module* output() const { return output_ ? &output_->module : nullptr; }
  // The definition of a class where it is not the input's; egraph::kNoId otherwise.
  language::NodeId chosen(language::ClassId cls) const;
  // Is the node a part of the output?
  bool is_in_output(language::NodeId node) const;

  // ---- the input ----
  // Nullopt where there is none of this name (without '%').
  std::optional<hlo::InstructionId> instruction_named(const std::string& name) const;
  // egraph::kNoId for instructions of computations that were left out.
  language::ClassId class_of(hlo::InstructionId id) const;
  // Instructions of the input with this value, copies left out, in text order.
  const std::vector<hlo::InstructionId>& originals(language::ClassId cls) const;
  // Instructions that came in as this very node.
  const std::vector<hlo::InstructionId>& written_as(language::NodeId node) const;
  // Why the instruction cannot be looked into; empty where it can, nullopt where it is not in the
  // e-graph at all.
  std::optional<std::string> why_opaque(hlo::InstructionId id) const;

  // ---- rules ----
  // Null for what no rule did.
  const rules::RuleInfo* rule(egraph::Reason reason) const;
  // Did the search for rewrites go on until there was nothing new?
  bool is_saturated() const;

  // ---- in words ----
  std::string name(language::ClassId cls) const;
  // "convert(%full)", with the names of classes as operands.
  std::string text(language::NodeId node, bool with_shape) const;

  struct Cost {
    bool is_collective = false;
    int64_t wire_bytes = 0;
    // As a launch of its own, or local work.
    extract::Picoseconds time = 0;
    // How many collectives the combiner launches with it in the output, itself counted; 0 where it
    // is not there.
    int64_t launched_together = 0;
  };
  // Nullopt where no program can hold the node.
  std::optional<Cost> cost(language::NodeId node) const;

 private:
  void note_batches();

  const hlo::Module& input_;
  const Options& options_;
  EGraphProgram& program_;
  const Result& result_;
  language::Selection selection_;
  std::optional<language::Export> output_;
  std::map<language::ClassId, std::vector<hlo::InstructionId>> originals_;
  std::map<language::NodeId, std::vector<hlo::InstructionId>> written_as_;
  std::vector<bool> has_control_successor_;
  mutable std::optional<extract::ProgramState> state_;  // of the output
  std::map<extract::Unit, int64_t> batch_size_;
};

// Optimises and hands over what there is to see, once; not at all at a module that is left alone as
// a whole, of which the result's notes tell. Options that make the output a program of something
// else than the module's own e-graph (hoist, beat_orders, emit_combined) are not looked at.
Result inspect(const hlo::Module& input, Options options,
               const std::function<void(const Inspection&)>& look);

}  // namespace flipsat::optimizer
