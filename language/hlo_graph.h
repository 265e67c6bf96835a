// An e-graph of HLO: the engine's graph, the tables behind its operators and facts, and the
// builders that rules use to add operations. A builder derives the result's shape and facts from
// its operands; `like` is the matched node of the same opcode whose type, attributes and steering
// the new one takes over. Data movement can also be built like nothing (egraph::kNoId).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "egraph/egraph.h"
#include "language/collective.h"
#include "language/facts.h"
#include "language/operator.h"
#include "language/sums.h"

namespace flipsat::language {

using egraph::ClassId;
using egraph::NodeId;

inline egraph::Kind kind_number(Kind kind) { return static_cast<egraph::Kind>(kind); }

class HloGraph {
 public:
  explicit HloGraph(const hlo::DeviceCounts& counts);
  HloGraph(const HloGraph&) = delete;
  HloGraph& operator=(const HloGraph&) = delete;

  egraph::EGraph& graph() { return graph_; }
  const egraph::EGraph& graph() const { return graph_; }
  CollectiveTable& collectives() { return *collectives_; }
  const CollectiveTable& collectives() const { return *collectives_; }
  FactTable& facts() { return *facts_; }
  const hlo::DeviceCounts& counts() const { return collectives_->counts(); }

  // ---- reading ----
  const Operator& op(NodeId node) const { return (*operators_)[graph_.payload(node)]; }
  const Collective& collective(NodeId node) const { return (*collectives_)[op(node).collective]; }
  const Facts& facts_of(ClassId cls) const { return graph_.data<Facts>(cls); }
  const hlo::Shape& shape(ClassId cls) const { return facts_->shape(facts_of(cls).shape); }
  hlo::ElementType type(ClassId cls) const { return shape(cls).type; }
  const hlo::Dims& dims(ClassId cls) const { return shape(cls).dims; }
  // On which devices the value is known to be the same.
  const hlo::DevicePartition& equality(ClassId cls) const {
    return facts_->partition(facts_of(cls).uniform);
  }
  // Provably the same on all members of each group.
  bool uniform(ClassId cls, const hlo::DeviceGroups& groups) const;
  // An integer scalar's value on each device, or null.
  const std::vector<int64_t>* values(ClassId cls) const;

  // ---- adding ----
  ClassId add(Operator op, std::span<const ClassId> children);
  ClassId add(Operator op, std::span<const ClassId> children, const Facts& facts);
  ClassId convert(NodeId like, ClassId x);  // to like's element type
  ClassId reshape(NodeId like, ClassId x, hlo::Dims dims);
  ClassId transpose(NodeId like, ClassId x, std::vector<int64_t> permutation);
  ClassId elementwise(NodeId like, std::span<const ClassId> operands, const hlo::Dims& dims);
  // An operation of no attributes on operands of one shape, whose type its result has.
  ClassId elementwise(hlo::Opcode opcode, std::span<const ClassId> operands);
  ClassId broadcast(NodeId like, ClassId x, const hlo::Dims& dims);  // along like's dimensions
  // Dim i of x is dim `along[i]` of the result.
  ClassId broadcast(NodeId like, ClassId x, std::vector<int64_t> along, const hlo::Dims& dims);
  ClassId slice(NodeId like, ClassId x, const hlo::SliceDims& ranges);
  ClassId reverse(NodeId like, ClassId x, std::vector<int64_t> dims);
  ClassId pad(NodeId like, ClassId x, ClassId with, const hlo::PaddingDims& padding);
  ClassId concatenate(NodeId like, std::span<const ClassId> parts, int dim);
  ClassId dynamic_slice(NodeId like, ClassId x, std::span<const ClassId> starts, hlo::Dims sizes);
  ClassId dynamic_update_slice(NodeId like, ClassId x, ClassId update,
                               std::span<const ClassId> starts);
  ClassId reduce(NodeId like, ClassId x, ClassId init, const std::vector<int64_t>& dims);
  ClassId dot(NodeId like, ClassId lhs, ClassId rhs, const DotDims& dims);
  // The terms, in no order, as one node: see Kind::kSum.
  ClassId sum(hlo::Opcode opcode, std::span<const ClassId> terms);
  // The node's operation on other operands of the same shapes.
  ClassId with_operands(NodeId node, std::span<const ClassId> operands);
  // The same with each operand that is `from` replaced by `to`.
  ClassId with_operand(NodeId node, ClassId from, ClassId to);
  // A collective that stands for the collectives `sources`: what decides its channel number.
  ClassId all_gather(ClassId x, int dim, CollectiveIndex collective, std::vector<NodeId> sources);
  ClassId all_reduce(ClassId x, CollectiveIndex collective, std::vector<NodeId> sources);
  ClassId reduce_scatter(ClassId x, int dim, CollectiveIndex collective,
                         std::vector<NodeId> sources);
  ClassId all_to_all(ClassId x, int dim, CollectiveIndex collective, std::vector<NodeId> sources);
  ClassId collective_permute(ClassId x, CollectiveIndex collective, std::vector<NodeId> sources);
  // The part of a value that a member of a group would hold if `dim` were cut into one block a
  // member: DS(x, position * block). Nullopt where the position does not fit an s32.
  std::optional<ClassId> own_shard(ClassId x, int dim, const hlo::DeviceGroups& groups);
  // Any operation, as it is; for rules that are not written for one. The model gives a new node its
  // metadata; a collective has one operand.
  ClassId add_like(NodeId like, Operator op, std::span<const ClassId> children);
  ClassId add_collective(Operator op, ClassId x, const std::vector<NodeId>& sources);
  ClassId integer_constant(hlo::ComputationId region, hlo::ElementType type, int64_t value);
  // A scalar of any real type; nullopt where the type does not hold the value.
  std::optional<ClassId> constant(hlo::ComputationId region, hlo::ElementType type, int64_t value);
  // A scalar of an integer type with the given value on each device, read from a table indexed by
  // the device's number; nullopt for values that are negative or do not fit an s32.
  std::optional<ClassId> device_table(hlo::ComputationId region, const std::vector<int64_t>& values,
                                      hlo::ElementType type = hlo::ElementType::kS32);

  // The collectives of the input that a collective node stands for, sorted.
  const std::vector<hlo::InstructionId>& lineage(NodeId node) const;
  void set_lineage(NodeId node, std::vector<hlo::InstructionId> lineage);

  // Chains of additions as the module has them.
  const std::vector<SumChain>& sums() const { return sums_; }
  void set_sums(std::vector<SumChain> sums) { sums_ = std::move(sums); }

  // The node whose type and attributes a builder gave to a new one, followed back to a node of the
  // input; egraph::kNoId where there was none.
  NodeId model_of(NodeId node) const;

  // Facts of an operation from those of its operands. Opaque operations: nothing known.
  Facts derive(const Operator& op, std::span<const Facts* const> operands) const;

 private:
  // The operator of `like`, or one of no attributes in the region of an operand.
  Operator operator_like(NodeId like, Kind kind, hlo::Opcode opcode, ClassId operand) const;
  // replica-id * partitions + partition-id, as a u32.
  ClassId device_number(hlo::ComputationId region);

  std::unique_ptr<OperatorTable> operators_;
  std::unique_ptr<CollectiveTable> collectives_;
  std::unique_ptr<FactTable> facts_;
  egraph::EGraph graph_;
  std::vector<std::vector<hlo::InstructionId>> lineage_;  // by node
  std::vector<NodeId> model_;                             // by node
  std::vector<SumChain> sums_;
};

}  // namespace flipsat::language
