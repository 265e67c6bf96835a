#include "language/hlo_graph.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace flipsat::language {
namespace {

class FactAnalysis : public egraph::AnalysisOf<Facts> {
 public:
  FactAnalysis(const HloGraph& hlo, FactTable& facts) : hlo_(hlo), facts_(facts) {}

  // A fact is known at birth; what a merge adds later is not carried up to parents.
  bool propagates() const override { return false; }

  Facts make(const egraph::EGraph& graph, NodeId node) const override {
    std::vector<const Facts*> operands;
    for (ClassId child : graph.children(node)) operands.push_back(&of(graph.find(child)));
    return hlo_.derive(hlo_.op(node), operands);
  }

  egraph::MergeResult merge(Facts& into, const Facts& from) const override {
    Facts both = facts_.both(into, from);
    egraph::MergeResult result{!(both == into), !(both == from)};
    into = both;
    return result;
  }

 private:
  const HloGraph& hlo_;
  FactTable& facts_;
};

hlo::LiteralRef table_literal(const std::vector<int64_t>& values) {
  auto literal = std::make_shared<hlo::Literal>();
  literal->shape = hlo::Shape::array(hlo::ElementType::kS32, {static_cast<int64_t>(values.size())});
  literal->bytes.resize(values.size() * 4);
  for (size_t i = 0; i < values.size(); ++i) {
    int32_t value = static_cast<int32_t>(values[i]);
    std::memcpy(literal->bytes.data() + i * 4, &value, 4);
  }
  return literal;
}

// The same element storage (packed or not) on other dims.
hlo::Shape shape_like(const hlo::Shape& like, hlo::Dims dims) {
  hlo::Shape shape = like;
  shape.dims = std::move(dims);
  return value_shape(shape);
}

}  // namespace

HloGraph::HloGraph(const hlo::DeviceCounts& counts)
    : operators_(std::make_unique<OperatorTable>()),
      collectives_(std::make_unique<CollectiveTable>(counts)),
      facts_(std::make_unique<FactTable>(counts.devices())),
      graph_(std::make_unique<FactAnalysis>(*this, *facts_)) {
  graph_.declare_unordered(kind_number(Kind::kSum));
  graph_.keep_history();  // which rule made a node, or showed two values to be equal
}

bool HloGraph::uniform(ClassId cls, const hlo::DeviceGroups& groups) const {
  return equality(cls).uniform_within(groups);
}

const std::vector<int64_t>* HloGraph::values(ClassId cls) const {
  uint32_t index = facts_of(cls).values;
  return index == kNone ? nullptr : &facts_->values(index);
}

Facts HloGraph::derive(const Operator& op, std::span<const Facts* const> operands) const {
  Facts result;
  result.shape = facts_->intern_shape(op.shape);
  result.region = op.region;
  uint32_t uniform = facts_->all_equal();
  for (const Facts* operand : operands) uniform = facts_->meet(uniform, operand->uniform);
  switch (op.kind) {
    case Kind::kOpaque:
    case Kind::kPartitionId:
    case Kind::kReplicaId:
      uniform = facts_->all_distinct();
      break;
    case Kind::kAllGather:
      uniform = facts_->intern_partition(hlo::after_all_gather(
          facts_->partition(uniform), *(*collectives_)[op.collective].groups));
      break;
    case Kind::kAllReduce:
    case Kind::kReduceScatter: {
      const Collective& collective = (*collectives_)[op.collective];
      auto after = op.kind == Kind::kAllReduce ? hlo::after_all_reduce : hlo::after_reduce_scatter;
      uniform = facts_->intern_partition(after(facts_->partition(uniform), *collective.groups,
                                               hlo::is_idempotent(collective.reducer->kind)));
      break;
    }
    case Kind::kAllToAll:
      uniform = facts_->intern_partition(hlo::after_all_to_all(
          facts_->partition(uniform), *(*collectives_)[op.collective].groups));
      break;
    case Kind::kCollectivePermute:
      uniform = facts_->intern_partition(
          hlo::after_permute(facts_->partition(uniform), *(*collectives_)[op.collective].pairs));
      break;
    default:
      break;
  }
  result.uniform = uniform;
  if (op.kind == Kind::kConstant && op.literal && op.shape.rank() == 0) {
    if (std::optional<int64_t> value = op.literal->integer_at(0)) {
      result.values = facts_->intern_values(std::vector<int64_t>(facts_->devices(), *value));
    }
  }
  return result;
}

ClassId HloGraph::add(Operator op, std::span<const ClassId> children) {
  std::vector<const Facts*> operands;
  for (ClassId child : children) operands.push_back(&facts_of(child));
  Facts facts = derive(op, operands);
  return add(std::move(op), children, facts);
}

ClassId HloGraph::add(Operator op, std::span<const ClassId> children, const Facts& facts) {
  egraph::Kind kind = kind_number(op.kind);
  return graph_.add(graph_.intern(kind, operators_->intern(std::move(op))), children, facts);
}

ClassId HloGraph::add_like(NodeId like, Operator op, std::span<const ClassId> children) {
  const uint32_t bound = graph_.node_bound();
  ClassId cls = add(std::move(op), children);
  if (graph_.node_bound() == bound) return cls;  // it was there
  model_.resize(bound, egraph::kNoId);
  const NodeId model = like == egraph::kNoId ? egraph::kNoId : model_of(like);
  model_.push_back(model == egraph::kNoId ? like : model);
  return cls;
}

Operator HloGraph::operator_like(NodeId like, Kind kind, hlo::Opcode opcode,
                                 ClassId operand) const {
  if (like != egraph::kNoId) {
    assert(op(like).kind == kind);
    return op(like);
  }
  Operator op;
  op.kind = kind;
  op.opcode = opcode;
  op.region = facts_of(operand).region;
  return op;
}

NodeId HloGraph::model_of(NodeId node) const {
  return node < model_.size() ? model_[node] : egraph::kNoId;
}

ClassId HloGraph::convert(NodeId like, ClassId x) {
  Operator op = this->op(like);
  op.shape = shape_like(op.shape, dims(x));
  return add_like(like, std::move(op), {&x, 1});
}

ClassId HloGraph::reshape(NodeId like, ClassId x, hlo::Dims new_dims) {
  Operator op = operator_like(like, Kind::kReshape, hlo::Opcode::kReshape, x);
  op.shape = shape_like(shape(x), std::move(new_dims));
  return add_like(like, std::move(op), {&x, 1});
}

ClassId HloGraph::transpose(NodeId like, ClassId x, std::vector<int64_t> permutation) {
  Operator op = operator_like(like, Kind::kTranspose, hlo::Opcode::kTranspose, x);
  hlo::Dims permuted;
  for (int64_t dim : permutation) permuted.push_back(dims(x)[dim]);
  op.shape = shape_like(shape(x), std::move(permuted));
  op.ints = std::move(permutation);
  return add_like(like, std::move(op), {&x, 1});
}

ClassId HloGraph::elementwise(NodeId like, std::span<const ClassId> operands,
                              const hlo::Dims& new_dims) {
  Operator op = this->op(like);
  op.shape = shape_like(op.shape, new_dims);
  return add_like(like, std::move(op), operands);
}

ClassId HloGraph::broadcast(NodeId like, ClassId x, const hlo::Dims& new_dims) {
  Operator op = this->op(like);
  op.shape = shape_like(op.shape, new_dims);
  return add_like(like, std::move(op), {&x, 1});
}

ClassId HloGraph::dynamic_slice(NodeId like, ClassId x, std::span<const ClassId> starts,
                                hlo::Dims sizes) {
  Operator op = operator_like(like, Kind::kDynamicSlice, hlo::Opcode::kDynamicSlice, x);
  op.ints.assign(sizes.begin(), sizes.end());
  op.shape = shape_like(shape(x), std::move(sizes));
  std::vector<ClassId> children{x};
  children.insert(children.end(), starts.begin(), starts.end());
  return add_like(like, std::move(op), children);
}

ClassId HloGraph::elementwise(hlo::Opcode opcode, std::span<const ClassId> operands) {
  Operator op = operator_like(egraph::kNoId, Kind::kElementwise, opcode, operands[0]);
  op.shape = value_shape(shape(operands[0]));
  return add(std::move(op), operands);
}

ClassId HloGraph::broadcast(NodeId like, ClassId x, std::vector<int64_t> along,
                            const hlo::Dims& new_dims) {
  Operator op = operator_like(like, Kind::kBroadcast, hlo::Opcode::kBroadcast, x);
  op.ints = std::move(along);
  op.shape = shape_like(shape(x), new_dims);
  return add_like(like, std::move(op), {&x, 1});
}

ClassId HloGraph::slice(NodeId like, ClassId x, const hlo::SliceDims& ranges) {
  Operator op = operator_like(like, Kind::kSlice, hlo::Opcode::kSlice, x);
  op.ints.clear();
  hlo::Dims sizes;
  for (const hlo::SliceDim& range : ranges) {
    op.ints.insert(op.ints.end(), {range.start, range.limit, range.stride});
    sizes.push_back((range.limit - range.start + range.stride - 1) / range.stride);
  }
  op.shape = shape_like(shape(x), std::move(sizes));
  return add_like(like, std::move(op), {&x, 1});
}

ClassId HloGraph::reverse(NodeId like, ClassId x, std::vector<int64_t> reversed) {
  Operator op = operator_like(like, Kind::kReverse, hlo::Opcode::kReverse, x);
  op.ints = std::move(reversed);
  op.shape = value_shape(shape(x));
  return add_like(like, std::move(op), {&x, 1});
}

ClassId HloGraph::pad(NodeId like, ClassId x, ClassId with, const hlo::PaddingDims& padding) {
  Operator op = operator_like(like, Kind::kPad, hlo::Opcode::kPad, x);
  op.ints.clear();
  hlo::Dims padded;
  for (size_t dim = 0; dim < padding.size(); ++dim) {
    const auto& [low, high, interior] = padding[dim];
    const int64_t size = dims(x)[dim];
    op.ints.insert(op.ints.end(), {low, high, interior});
    padded.push_back(low + high + size + interior * std::max<int64_t>(size - 1, 0));
  }
  op.shape = shape_like(shape(x), std::move(padded));
  const ClassId children[] = {x, with};
  return add_like(like, std::move(op), children);
}

ClassId HloGraph::concatenate(NodeId like, std::span<const ClassId> parts, int dim) {
  Operator op = operator_like(like, Kind::kConcatenate, hlo::Opcode::kConcatenate, parts[0]);
  op.ints = {dim};
  hlo::Dims joined = dims(parts[0]);
  for (ClassId part : parts.subspan(1)) joined[dim] += dims(part)[dim];
  op.shape = shape_like(shape(parts[0]), std::move(joined));
  return add_like(like, std::move(op), parts);
}

ClassId HloGraph::dynamic_update_slice(NodeId like, ClassId x, ClassId update,
                                       std::span<const ClassId> starts) {
  Operator op = operator_like(like, Kind::kDynamicUpdateSlice, hlo::Opcode::kDynamicUpdateSlice, x);
  op.shape = value_shape(shape(x));
  std::vector<ClassId> children{x, update};
  children.insert(children.end(), starts.begin(), starts.end());
  return add_like(like, std::move(op), children);
}

ClassId HloGraph::reduce(NodeId like, ClassId x, ClassId init, const std::vector<int64_t>& over) {
  Operator op = this->op(like);
  op.ints = over;
  hlo::Dims kept;
  for (int dim = 0; dim < shape(x).rank(); ++dim) {
    if (std::ranges::find(over, dim) == over.end()) kept.push_back(dims(x)[dim]);
  }
  op.shape = shape_like(op.shape, std::move(kept));
  const ClassId children[] = {x, init};
  return add_like(like, std::move(op), children);
}

ClassId HloGraph::dot(NodeId like, ClassId lhs, ClassId rhs, const DotDims& dot_dims) {
  Operator op = this->op(like);
  op.ints = ints_of(dot_dims);
  op.shape = shape_like(op.shape, dot_result(dims(lhs), dims(rhs), dot_dims));
  const ClassId children[] = {lhs, rhs};
  return add_like(like, std::move(op), children);
}

ClassId HloGraph::sum(hlo::Opcode opcode, std::span<const ClassId> terms) {
  Operator op = operator_like(egraph::kNoId, Kind::kSum, opcode, terms[0]);
  op.shape = value_shape(shape(terms[0]));
  return add(std::move(op), terms);
}

ClassId HloGraph::with_operands(NodeId node, std::span<const ClassId> operands) {
  Operator op = this->op(node);
  if (op.collective != kNone) return add_collective(std::move(op), operands.front(), {node});
  return add_like(node, std::move(op), operands);
}

ClassId HloGraph::with_operand(NodeId node, ClassId from, ClassId to) {
  assert(shape(from) == shape(to));
  std::vector<ClassId> children;
  for (ClassId child : graph_.children(node)) {
    children.push_back(graph_.find(child) == graph_.find(from) ? to : child);
  }
  return with_operands(node, children);
}

ClassId HloGraph::add_collective(Operator op, ClassId x, const std::vector<NodeId>& sources) {
  op.region = facts_of(x).region;
  uint32_t bound = graph_.node_bound();
  ClassId cls = add(std::move(op), {&x, 1});
  if (graph_.node_bound() == bound) return cls;  // it was there: its lineage stays
  std::vector<hlo::InstructionId> all;
  for (NodeId source : sources) {
    const auto& part = lineage(source);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  set_lineage(graph_.node_bound() - 1, std::move(all));
  return cls;
}

ClassId HloGraph::all_gather(ClassId x, int dim, CollectiveIndex collective,
                             std::vector<NodeId> sources) {
  Operator op;
  op.kind = Kind::kAllGather;
  op.opcode = hlo::Opcode::kAllGather;
  op.collective = collective;
  op.ints = {dim};
  hlo::Dims gathered = dims(x);
  gathered[dim] *= (*collectives_)[collective].group_size();
  op.shape = shape_like(shape(x), std::move(gathered));
  return add_collective(std::move(op), x, sources);
}

ClassId HloGraph::all_reduce(ClassId x, CollectiveIndex collective, std::vector<NodeId> sources) {
  Operator op;
  op.kind = Kind::kAllReduce;
  op.opcode = hlo::Opcode::kAllReduce;
  op.collective = collective;
  op.shape = value_shape(shape(x));
  return add_collective(std::move(op), x, sources);
}

ClassId HloGraph::reduce_scatter(ClassId x, int dim, CollectiveIndex collective,
                                 std::vector<NodeId> sources) {
  Operator op;
  op.kind = Kind::kReduceScatter;
  op.opcode = hlo::Opcode::kReduceScatter;
  op.collective = collective;
  op.ints = {dim};
  hlo::Dims scattered = dims(x);
  assert(scattered[dim] % (*collectives_)[collective].group_size() == 0);
  scattered[dim] /= (*collectives_)[collective].group_size();
  op.shape = shape_like(shape(x), std::move(scattered));
  return add_collective(std::move(op), x, sources);
}

ClassId HloGraph::all_to_all(ClassId x, int dim, CollectiveIndex collective,
                             std::vector<NodeId> sources) {
  Operator op;
  op.kind = Kind::kAllToAll;
  op.opcode = hlo::Opcode::kAllToAll;
  op.collective = collective;
  op.ints = {dim};
  op.shape = value_shape(shape(x));
  assert(dims(x)[dim] % (*collectives_)[collective].group_size() == 0);
  return add_collective(std::move(op), x, sources);
}

ClassId HloGraph::collective_permute(ClassId x, CollectiveIndex collective,
                                     std::vector<NodeId> sources) {
  Operator op;
  op.kind = Kind::kCollectivePermute;
  op.opcode = hlo::Opcode::kCollectivePermute;
  op.collective = collective;
  op.shape = value_shape(shape(x));
  return add_collective(std::move(op), x, sources);
}

std::optional<ClassId> HloGraph::own_shard(ClassId x, int dim, const hlo::DeviceGroups& groups) {
  hlo::ComputationId region = facts_of(x).region;
  hlo::Dims sizes = dims(x);
  sizes[dim] /= groups.group_size();
  std::vector<int64_t> starts(counts().devices());
  for (const auto& group : groups.groups) {
    for (size_t position = 0; position < group.size(); ++position) {
      starts[group[position]] = static_cast<int64_t>(position) * sizes[dim];
    }
  }
  std::optional<ClassId> start = device_table(region, starts);
  if (!start) return std::nullopt;
  ClassId zero = integer_constant(region, hlo::ElementType::kS32, 0);
  std::vector<ClassId> children{x};
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i)
    children.push_back(i == dim ? *start : zero);
  Operator op;
  op.kind = Kind::kDynamicSlice;
  op.opcode = hlo::Opcode::kDynamicSlice;
  op.region = region;
  op.ints.assign(sizes.begin(), sizes.end());
  op.shape = shape_like(shape(x), std::move(sizes));
  return add(std::move(op), children);
}

ClassId HloGraph::integer_constant(hlo::ComputationId region, hlo::ElementType type,
                                   int64_t value) {
  Operator op;
  op.kind = Kind::kConstant;
  op.opcode = hlo::Opcode::kConstant;
  op.region = region;
  op.shape = hlo::Shape::array(type, {});
  op.literal = hlo::integer_scalar(type, value);
  return add(std::move(op), {});
}

std::optional<ClassId> HloGraph::constant(hlo::ComputationId region, hlo::ElementType type,
                                          int64_t value) {
  Operator op;
  op.kind = Kind::kConstant;
  op.opcode = hlo::Opcode::kConstant;
  op.region = region;
  op.shape = hlo::Shape::array(type, {});
  op.literal = hlo::exact_scalar(type, value);
  if (!op.literal) return std::nullopt;
  return add(std::move(op), {});
}

ClassId HloGraph::device_number(hlo::ComputationId region) {
  auto scalar = [&](Kind kind, hlo::Opcode opcode, std::initializer_list<ClassId> children) {
    Operator op;
    op.kind = kind;
    op.opcode = opcode;
    op.region = region;
    op.shape = hlo::Shape::array(hlo::ElementType::kU32, {});
    return add(std::move(op), {children.begin(), children.size()});
  };
  if (counts().replicas == 1) return scalar(Kind::kPartitionId, hlo::Opcode::kPartitionId, {});
  ClassId replica = scalar(Kind::kReplicaId, hlo::Opcode::kReplicaId, {});
  if (counts().partitions == 1) return replica;
  ClassId partition = scalar(Kind::kPartitionId, hlo::Opcode::kPartitionId, {});
  ClassId partitions = integer_constant(region, hlo::ElementType::kU32, counts().partitions);
  ClassId before = scalar(Kind::kElementwise, hlo::Opcode::kMultiply, {replica, partitions});
  return scalar(Kind::kElementwise, hlo::Opcode::kAdd, {before, partition});
}

std::optional<ClassId> HloGraph::device_table(hlo::ComputationId region,
                                              const std::vector<int64_t>& values,
                                              hlo::ElementType type) {
  if (std::equal(values.begin() + 1, values.end(), values.begin())) {
    return integer_constant(region, type, values.front());
  }
  for (int64_t value : values) {
    if (value < 0 || value > INT32_MAX) return std::nullopt;
  }
  ClassId device = device_number(region);

  Operator table;
  table.kind = Kind::kConstant;
  table.opcode = hlo::Opcode::kConstant;
  table.region = region;
  table.literal = table_literal(values);
  table.shape = table.literal->shape;
  ClassId all = add(std::move(table), {});

  // The entry differs by device, and which value it has is known.
  Facts facts;
  facts.region = region;
  facts.uniform = facts_->intern_partition(hlo::DevicePartition::of_values(values));
  Operator slice;
  slice.kind = Kind::kDynamicSlice;
  slice.opcode = hlo::Opcode::kDynamicSlice;
  slice.region = region;
  slice.ints = {1};
  slice.shape = hlo::Shape::array(hlo::ElementType::kS32, {1});
  facts.shape = facts_->intern_shape(slice.shape);
  ClassId children[] = {all, device};
  ClassId entry = add(std::move(slice), children, facts);

  Operator scalar;
  scalar.kind = Kind::kReshape;
  scalar.opcode = hlo::Opcode::kReshape;
  scalar.region = region;
  scalar.shape = hlo::Shape::array(hlo::ElementType::kS32, {});
  facts.shape = facts_->intern_shape(scalar.shape);
  facts.values = facts_->intern_values(values);
  ClassId value = add(std::move(scalar), {&entry, 1}, facts);
  if (type == hlo::ElementType::kS32) return value;

  Operator converted;
  converted.kind = Kind::kConvert;
  converted.opcode = hlo::Opcode::kConvert;
  converted.region = region;
  converted.shape = hlo::Shape::array(type, {});
  facts.shape = facts_->intern_shape(converted.shape);
  return add(std::move(converted), {&value, 1}, facts);
}

const std::vector<hlo::InstructionId>& HloGraph::lineage(NodeId node) const {
  static const std::vector<hlo::InstructionId> kNoLineage;
  return node < lineage_.size() ? lineage_[node] : kNoLineage;
}

void HloGraph::set_lineage(NodeId node, std::vector<hlo::InstructionId> lineage) {
  if (node >= lineage_.size()) lineage_.resize(node + 1);
  lineage_[node] = std::move(lineage);
}

}  // namespace flipsat::language
