// What an extractor chooses from: a module, its saturated e-graph, and each e-node as the
// instruction that it would become, so that one and the same cost model prices both.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "extract/grouping.h"
#include "extract/program_cost.h"
#include "hlo/combiner_keys.h"
#include "language/emit.h"
#include "language/import.h"

namespace flipsat::extract {

using language::ClassId;
using language::NodeId;

// A unit is one definition that a program may hold: an instruction of the input, or a new node.
// Units are numbered as instructions of `Problem::scratch`.
using Unit = hlo::InstructionId;

class Problem {
 public:
  Problem(const hlo::Module& input, const language::Import& import, language::HloGraph& hlo,
          const CostOptions& options, const hlo::CallGraph& calls,
          const std::vector<bool>& surroundings);

  const hlo::Module& input() const { return input_; }
  const language::Import& import() const { return import_; }
  language::HloGraph& hlo() { return hlo_; }
  const hlo::CallGraph& calls() const { return calls_; }
  const CostOptions& options() const { return options_; }
  const Machine& machine() const { return machine_; }

  // Instructions of the input in a class, copies left out, in text order; empty for new classes.
  const std::vector<Unit>& originals(ClassId cls) const;
  const std::map<ClassId, std::vector<Unit>>& classes_with_originals() const { return originals_; }

  // Nodes that may define a class of the input in place of what it has: its own, and where directed
  // edges lead. Of originals that are one node, written several times, only collectives are worth
  // making one: a compiler does the rest, and values would live longer.
  std::vector<NodeId> definitions(ClassId cls);

  // Can a program hold the node? Only such have a unit.
  bool can_hold(NodeId node) const { return language::is_instruction(hlo_.op(node).kind); }
  // The unit of a node: an instruction of the input where it is one.
  Unit unit(NodeId node);
  NodeId node_of(Unit unit) const;  // egraph::kNoId for copies and what was left out
  Unit unit_bound() const { return static_cast<Unit>(scratch_.instructions.size()); }
  bool is_new(Unit unit) const { return unit >= input_.instructions.size(); }
  // The class whose value a unit holds; egraph::kNoId outside the e-graph.
  ClassId class_of(Unit unit) const;
  const hlo::Instruction& instruction(Unit unit) const { return scratch_[unit]; }

  // What a unit refers to: operands first, then control predecessors. Where `cls` is set the
  // operand is whatever defines that class, and `written` as long as nothing else was chosen for
  // it; otherwise (copies, control predecessors) it is `written` whatever is chosen.
  struct Reference {
    Unit written = hlo::kNoId;
    ClassId cls = egraph::kNoId;
  };
  std::span<const Reference> references(Unit unit) const {
    const References& range = references_of_[unit];
    return {references_.data() + range.begin, range.operands + range.control};
  }
  size_t operand_count(Unit unit) const { return references_of_[unit].operands; }
  // The reference that stands for an instruction of the input used as a result.
  Reference reference_to(Unit original) const;

  // What a unit costs by itself, once: 0 for collectives and for what is not in the surroundings.
  Picoseconds local_cost(Unit unit);

  struct CollectiveUnit {
    hlo::Opcode opcode = hlo::Opcode::kAllReduce;
    int64_t bytes = 0;
    int64_t wire = 0;
    size_t grouping = 0;
    std::optional<hlo::CombinerGraph::Candidate> candidate;  // what the combiner sees
  };
  // Null where the unit is no collective.
  const CollectiveUnit* collective(Unit unit);
  Picoseconds launch_time(const CollectiveUnit& first, int64_t bytes) const;
  const std::vector<GroupSpan>& spans(const CollectiveUnit& unit) const {
    return groupings_[unit.grouping].spans;
  }
  // May the collective be launched together with others?
  bool is_combined(Unit unit);
  const std::vector<hlo::CombinerGraph::Limits>& limits(hlo::ComputationId region) const;

 private:
  struct References {
    uint32_t begin = 0;
    uint32_t operands = 0;
    uint32_t control = 0;
  };

  void add_references(Unit unit);

  const hlo::Module& input_;
  const language::Import& import_;
  language::HloGraph& hlo_;
  const CostOptions& options_;
  const hlo::CallGraph& calls_;
  const std::vector<bool>& surroundings_;
  const Machine& machine_;
  hlo::Module scratch_;
  language::Emitter emitter_;
  GroupingTable groupings_;
  hlo::CombinerKeys keys_;
  std::map<ClassId, std::vector<Unit>> originals_;
  std::vector<const std::vector<Unit>*> originals_of_;  // by class; null where it has none
  std::map<ClassId, Unit> stand_in_;  // an instruction with the shape of a new class
  std::vector<Unit> unit_of_node_;
  std::vector<NodeId> node_of_unit_;       // new units, by unit - input size
  std::vector<References> references_of_;  // by unit
  std::vector<Reference> references_;
  std::vector<bool> controls_others_;
  std::vector<Picoseconds> local_;      // by unit; -1: not asked yet
  std::vector<int32_t> collective_of_;  // by unit: place in collectives_, or one of the two below
  static constexpr int32_t kNotAsked = -2, kNoCollective = -1;
  std::deque<CollectiveUnit> collectives_;
  std::vector<hlo::CombinerGraph::Limits> limits_, no_limits_;
  std::vector<bool> combines_;  // by computation
};

}  // namespace flipsat::extract
