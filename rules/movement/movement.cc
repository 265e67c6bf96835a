#include "rules/movement/movement.h"

#include "hlo/data_movement.h"

namespace flipsat::rules {
namespace {

bool lists(const std::vector<int64_t>& dims, int dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

// Does f, of an operand with these dims, leave one whole? For those that keep the number of dims.
bool leaves_whole(const HloGraph& h, NodeId f, const hlo::Dims& dims, int dim) {
  const Operator& op = h.op(f);
  switch (op.kind) {
    case Kind::kSlice:
      return op.ints[3 * dim] == 0 && op.ints[3 * dim + 1] == dims[dim] &&
             op.ints[3 * dim + 2] == 1;
    case Kind::kPad:
      return op.ints[3 * dim] == 0 && op.ints[3 * dim + 1] == 0 && op.ints[3 * dim + 2] == 0;
    case Kind::kReverse:
    case Kind::kConcatenate:
      return !lists(op.ints, dim);
    case Kind::kDynamicSlice:
      return op.ints[dim] == dims[dim];
    case Kind::kDynamicUpdateSlice:
      return h.dims(h.graph().children(f)[1])[dim] == dims[dim];
    default:  // elementwise
      return true;
  }
}

const hlo::Dims& operand_dims(const HloGraph& h, NodeId f) {
  return h.dims(h.graph().children(f)[0]);
}

// What a movement of kind and dims (or permutation) `undone` in the class was made of.
std::optional<ClassId> before_movement(const HloGraph& h, ClassId cls, Kind kind,
                                       const std::vector<int64_t>& undone) {
  for (NodeId node : h.graph().nodes(cls)) {
    if (h.op(node).kind == kind && h.op(node).ints == undone) return h.graph().children(node)[0];
  }
  return std::nullopt;
}

// Starts of the dims that are cut, from child `first` on, agree after clamping.
Verdict starts_agree(const HloGraph& h, NodeId f, size_t first, const hlo::Dims& whole,
                     const hlo::Dims& cut, const hlo::DeviceGroups& groups) {
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    if (cut[dim] == whole[dim]) continue;
    if (!is_uniform_start(h, h.graph().children(f)[first + dim], whole[dim], cut[dim], groups)) {
      return refuse("a start index differs inside a group");
    }
  }
  return accept();
}

// The same starts, sizes, padding .. of an operand whose whole dims have other sizes.
ClassId slice_alike(HloGraph& h, NodeId f, ClassId x) {
  const std::vector<int64_t>& ints = h.op(f).ints;
  hlo::SliceDims ranges;
  for (int dim = 0; dim < h.shape(x).rank(); ++dim) {
    const bool is_whole = leaves_whole(h, f, operand_dims(h, f), dim);
    ranges.push_back(
        {ints[3 * dim], is_whole ? h.dims(x)[dim] : ints[3 * dim + 1], ints[3 * dim + 2]});
  }
  return h.slice(f, x, ranges);
}

ClassId dynamic_slice_alike(HloGraph& h, NodeId f, ClassId x) {
  const std::vector<int64_t>& ints = h.op(f).ints;
  hlo::Dims sizes(ints.begin(), ints.end());
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == operand_dims(h, f)[dim]) sizes[dim] = h.dims(x)[dim];
  }
  auto children = h.graph().children(f);
  const std::vector<ClassId> starts(children.begin() + 1, children.end());
  return h.dynamic_slice(f, x, starts, sizes);
}

ClassId broadcast_alike(HloGraph& h, NodeId f, ClassId x) {
  hlo::Dims dims = h.op(f).shape.dims;
  const std::vector<int64_t>& along = h.op(f).ints;
  for (size_t i = 0; i < along.size(); ++i) dims[along[i]] = h.dims(x)[i];
  return h.broadcast(f, x, dims);
}

bool adds_elements(const Operator& pad) {
  return std::ranges::any_of(pad.ints, [](int64_t added) { return added > 0; });
}

bool is_constant(const HloGraph& h, ClassId scalar, int64_t value) {
  const hlo::LiteralRef wanted = hlo::exact_scalar(h.type(scalar), value);
  if (!wanted) return false;
  for (NodeId node : h.graph().nodes(scalar)) {
    const Operator& op = h.op(node);
    if (op.kind == Kind::kConstant && op.literal->bits_at(0) == wanted->bits_at(0)) return true;
  }
  return false;
}

}  // namespace

std::optional<int> dim_after(const HloGraph& h, NodeId f, int dim) {
  const Operator& op = h.op(f);
  switch (op.kind) {
    case Kind::kTranspose:
      return hlo::dim_after_transpose(op.ints, dim);
    case Kind::kBroadcast:
      return static_cast<int>(op.ints[dim]);
    case Kind::kReduce: {
      if (lists(op.ints, dim)) return std::nullopt;
      return dim - static_cast<int>(std::count_if(op.ints.begin(), op.ints.end(),
                                                  [&](int64_t gone) { return gone < dim; }));
    }
    default:
      if (!leaves_whole(h, f, operand_dims(h, f), dim)) return std::nullopt;
      return dim;
  }
}

std::optional<int> dim_before(const HloGraph& h, NodeId f, int dim) {
  const Operator& op = h.op(f);
  if (op.kind == Kind::kTranspose) return static_cast<int>(op.ints[dim]);
  if (op.kind == Kind::kElementwise) return dim;
  const int rank = static_cast<int>(operand_dims(h, f).size());
  for (int from = 0; from < rank; ++from) {
    if (dim_after(h, f, from) == dim) return from;
  }
  return std::nullopt;
}

ClassId move_alike(HloGraph& h, NodeId f, std::span<const ClassId> operands) {
  const Operator& op = h.op(f);
  const ClassId x = operands[0];
  switch (op.kind) {
    case Kind::kTranspose: {
      auto undone = before_movement(h, x, op.kind, hlo::inverse_permutation(op.ints));
      return undone ? *undone : h.transpose(f, x, op.ints);
    }
    case Kind::kReverse: {
      auto undone = before_movement(h, x, op.kind, op.ints);
      return undone ? *undone : h.reverse(f, x, op.ints);
    }
    case Kind::kBroadcast:
      return broadcast_alike(h, f, x);
    case Kind::kSlice:
      return slice_alike(h, f, x);
    case Kind::kDynamicSlice:
      return dynamic_slice_alike(h, f, x);
    case Kind::kPad:
      return h.pad(f, x, h.graph().children(f)[1], language::padding_dims(op));
    case Kind::kReduce:
      return h.reduce(f, x, h.graph().children(f)[1], op.ints);
    case Kind::kConcatenate:
      return h.concatenate(f, operands, static_cast<int>(op.ints[0]));
    case Kind::kDynamicUpdateSlice: {
      auto children = h.graph().children(f);
      const std::vector<ClassId> starts(children.begin() + 2, children.end());
      return h.dynamic_update_slice(f, x, operands[1], starts);
    }
    default: {  // a select
      const ClassId all[] = {h.graph().children(f)[0], operands[0], operands[1]};
      return h.elementwise(f, all, h.dims(x));
    }
  }
}

bool is_kept_by_reduction(const HloGraph& h, ClassId scalar, const language::Collective& by) {
  switch (by.reducer->kind) {
    case hlo::ReducerKind::kAdd:
      return is_constant(h, scalar, 0);
    case hlo::ReducerKind::kMultiply:
      return is_constant(h, scalar, 1) || is_constant(h, scalar, 0);
    default:
      return h.uniform(scalar, *by.groups);
  }
}

Verdict asides_agree(const HloGraph& h, NodeId f, NodeId collective) {
  const Operator& op = h.op(f);
  const language::Collective& by = h.collective(collective);
  auto children = h.graph().children(f);
  switch (op.kind) {
    case Kind::kPad:
      if (!adds_elements(op)) return accept();
      [[fallthrough]];
    case Kind::kReduce:
      if (!h.uniform(children[1], *by.groups)) return refuse("a scalar operand differs in a group");
      if (by.reducer && !is_kept_by_reduction(h, children[1], by)) {
        return refuse("a scalar operand would be reduced with itself");
      }
      return accept();
    case Kind::kDynamicSlice:
      return starts_agree(h, f, 1, operand_dims(h, f), op.shape.dims, *by.groups);
    case Kind::kDynamicUpdateSlice:
      return starts_agree(h, f, 2, operand_dims(h, f), h.dims(children[1]), *by.groups);
    default:
      return accept();
  }
}

std::optional<NodeId> splat_of(const HloGraph& h, ClassId value) {
  for (NodeId node : h.graph().nodes(value)) {
    if (h.op(node).kind == Kind::kBroadcast && h.op(node).ints.empty()) return node;
  }
  return std::nullopt;
}

ClassId collect_alike(HloGraph& h, NodeId collective, ClassId x, int dim,
                      std::vector<NodeId> sources) {
  const Operator& op = h.op(collective);
  switch (op.kind) {
    case Kind::kAllGather:
      return h.all_gather(x, dim, op.collective, std::move(sources));
    case Kind::kReduceScatter:
      return h.reduce_scatter(x, dim, op.collective, std::move(sources));
    default:
      return h.all_reduce(x, op.collective, std::move(sources));
  }
}

std::string suffix_of(Kind collective) {
  std::string suffix;
  if (collective == Kind::kAllGather) return suffix;
  suffix += '/';
  suffix += language::to_string(collective);
  return suffix;
}

bool is_collected_alike(const HloGraph& h, ClassId operand, const Operator& collective, int dim) {
  for (NodeId parent : h.graph().parents(operand)) {
    const Operator& op = h.op(parent);
    if (op.kind == collective.kind && op.collective == collective.collective &&
        (op.ints.empty() || op.ints[0] == dim)) {
      return true;
    }
  }
  return false;
}

RuleInfo movement_law(std::string name, std::string equation, std::string condition) {
  return {.name = std::move(name),
          .family = "data movement",
          .equation = std::move(equation),
          .condition = std::move(condition)};
}

}  // namespace flipsat::rules
