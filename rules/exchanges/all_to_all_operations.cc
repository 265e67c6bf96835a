// all-to-all-<operation>
//
//   f(A2A_d(x1), .., u, ..) = A2A_o(f(x1, .., u, ..)), f along other dims      exact
//
// An all-to-all along d cuts every member's value into n parts and gives each member one part of
// all. What treats the parts alike can be done to them before. o is where f puts d: after a reshape
// the dim with as many elements before it, which n must divide too. An operand that is not
// exchanged must be the same on all members and in all n parts: a scalar, or a broadcast without d.
#include "hlo/data_movement.h"
#include "rules/exchanges/exchange.h"

namespace flipsat::rules {
namespace {

const hlo::DeviceGroups& groups_of(const HloGraph& h, const Crossing& crossing) {
  return *h.collective(crossing.exchange).groups;
}

bool is_same_in_all_parts(const HloGraph& h, ClassId cls, int dim) {
  if (h.shape(cls).rank() == 0) return true;
  for (NodeId node : h.graph().nodes(cls)) {
    const Operator& op = h.op(node);
    if (op.kind == Kind::kBroadcast && std::ranges::find(op.ints, dim) == op.ints.end()) {
      return true;
    }
  }
  return false;
}

bool stays(const HloGraph& h, const Crossing& crossing, size_t operand) {
  return is_equal(h, crossing, operand,
                  [&](const hlo::DevicePartition& equality) {
                    return equality.uniform_within(groups_of(h, crossing));
                  }) &&
         (is_start(h, crossing, operand) ||
          is_same_in_all_parts(h, crossing.operands[operand], crossing.dim));
}

// Where f puts dim d of its first operand, if it treats n parts of it alike.
std::optional<int> dim_after(const HloGraph& h, const Crossing& crossing) {
  const Operator& f = h.op(crossing.operation);
  const hlo::Dims& from =
      f.kind == Kind::kElementwise ? f.shape.dims : h.dims(crossing.operands[0]);
  const int d = crossing.dim;
  if (d >= static_cast<int>(from.size())) return std::nullopt;
  auto if_whole = [&](bool is_whole) { return is_whole ? std::optional(d) : std::nullopt; };
  auto has_d = [&] { return std::ranges::find(f.ints, d) != f.ints.end(); };
  switch (f.kind) {
    case Kind::kConvert:
    case Kind::kElementwise:
      return d;
    case Kind::kReshape:
      return hlo::gather_dim_after_reshape(from, d, f.shape.dims,
                                           groups_of(h, crossing).group_size());
    case Kind::kTranspose:
      return hlo::dim_after_transpose(f.ints, d);
    case Kind::kBroadcast:
      return static_cast<int>(f.ints[d]);
    case Kind::kSlice:
      return if_whole(f.ints[3 * d] == 0 && f.ints[3 * d + 1] == from[d] && f.ints[3 * d + 2] == 1);
    case Kind::kReverse:
      return if_whole(!has_d());
    case Kind::kPad:
      return if_whole(f.ints[3 * d] == 0 && f.ints[3 * d + 1] == 0 && f.ints[3 * d + 2] == 0);
    case Kind::kConcatenate:
      return if_whole(f.ints[0] != d);
    case Kind::kDynamicSlice:
      return if_whole(f.ints[d] == from[d]);
    case Kind::kDynamicUpdateSlice:
      return if_whole(h.dims(crossing.operands[1])[d] == from[d]);
    case Kind::kReduce:
      if (has_d()) return std::nullopt;
      return d - static_cast<int>(std::ranges::count_if(f.ints, [&](int64_t e) { return e < d; }));
    default:
      return std::nullopt;
  }
}

Verdict passes(const HloGraph& h, const Crossing& crossing) {
  const int64_t n = groups_of(h, crossing).group_size();
  if (n == 1) return refuse("a group of one exchanges nothing");
  if (!dim_after(h, crossing)) return refuse("the exchanged parts are cut or mixed");
  for (size_t i = 0; i < crossing.operands.size(); ++i) {
    if (crossing.is_exchanged(i)) {
      const hlo::Dims& dims = h.dims(crossing.operands[i]);
      const bool has_parts =
          crossing.dim < static_cast<int>(dims.size()) && dims[crossing.dim] % n == 0;
      if (!has_parts) return refuse("the group size does not divide an operand's dim");
    } else if (!stays(h, crossing, i)) {
      return refuse("an operand is neither exchanged nor the same in all parts");
    }
  }
  return accept();
}

ClassId apply(HloGraph& h, ClassId x, int dim, const std::vector<NodeId>& sources) {
  return h.all_to_all(x, dim, h.op(sources[0]).collective, sources);
}

// Broadcasts are looked for in an operand's class.
bool looks_elsewhere(Kind f, const std::string& operands) {
  const bool takes_arrays =
      f == Kind::kElementwise || f == Kind::kConcatenate || f == Kind::kDynamicUpdateSlice;
  return takes_arrays && operands.find('u') != std::string::npos;
}

}  // namespace

std::vector<Family> all_to_all_operations() {
  const std::string none = "none";
  const std::string apart = "along other dims";
  const std::string indices = "along other dims; each index is the same on all members";
  const std::string others =
      "an operand that is not exchanged is the same on all members and in all parts";
  return exchange_families(
      {.kind = Kind::kAllToAll,
       .name = "all-to-all",
       .family = kExchangeFamily,
       .stays = stays,
       .passes = passes,
       .dim_after = dim_after,
       .apply = apply,
       .looks_elsewhere = looks_elsewhere},
      {{Kind::kConvert, none},
       {Kind::kReshape,
        "as many elements before the dim on both sides, and the group size divides both"},
       {Kind::kTranspose, none},
       {Kind::kBroadcast, none},
       {Kind::kSlice, apart},
       {Kind::kReverse, apart},
       {Kind::kPad, "along other dims; the value is the same on all members"},
       {Kind::kConcatenate, "along another dim; " + others},
       {Kind::kDynamicSlice, indices},
       {Kind::kDynamicUpdateSlice, indices},
       {Kind::kReduce, apart},
       {Kind::kElementwise, others}});
}

}  // namespace flipsat::rules
