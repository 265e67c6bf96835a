#include "verify/plan.h"

#include <charconv>

#include "hlo/reducer.h"

namespace flipsat::verify {
namespace {

using hlo::AttributeKey;
using hlo::Dims;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

// More contracted elements than this are never summed one by one.
constexpr int64_t kMostContracted = int64_t{1} << 24;

const Dims& dims_of(const Module& module, const Instruction& in, size_t operand) {
  return module[in.operands.at(operand)].shape.dims;
}

void plan_movement(const Module& module, const Instruction& in, Plan& plan) {
  const Dims& from = dims_of(module, in, 0);
  Dims strides = hlo::row_major_strides(from);
  size_t rank = in.shape.dims.size();
  plan.multipliers.assign(rank, 0);
  switch (in.opcode) {
    case Opcode::kTranspose:
      for (size_t i = 0; i < rank; ++i) plan.multipliers[i] = strides[in.dimensions().at(i)];
      return;
    case Opcode::kBroadcast:
      for (size_t i = 0; i < from.size(); ++i) plan.multipliers[in.dimensions().at(i)] = strides[i];
      return;
    case Opcode::kReverse:
      for (size_t i = 0; i < rank; ++i) plan.multipliers[i] = strides[i];
      for (int64_t dim : in.dimensions()) {
        plan.multipliers[dim] = -strides[dim];
        plan.offset += strides[dim] * (from[dim] - 1);
      }
      return;
    case Opcode::kSlice: {
      const auto* slice = in.find(AttributeKey::kSlice);
      const auto* bounds = slice ? std::get_if<hlo::SliceDims>(&slice->value) : nullptr;
      if (!bounds || bounds->size() != rank) throw Unmodelled("a slice without bounds");
      for (size_t i = 0; i < rank; ++i) {
        plan.multipliers[i] = strides[i] * (*bounds)[i].stride;
        plan.offset += strides[i] * (*bounds)[i].start;
      }
      return;
    }
    default:
      return;
  }
}

// Steps in memory between neighbours in each dim.
Dims physical_strides(const hlo::Shape& shape) {
  Dims strides = hlo::row_major_strides(shape.dims);
  if (!shape.layout) return strides;
  int64_t step = 1;
  for (int64_t dim : shape.layout->minor_to_major) {
    strides.at(static_cast<size_t>(dim)) = step;
    step *= shape.dims[dim];
  }
  return strides;
}

// A bitcast re-reads memory: the element at a place under the result's layout is the one that lies
// there under the operand's.
void plan_bitcast(const Module& module, const Instruction& in, Plan& plan) {
  const hlo::Shape& from = module[in.operands.at(0)].shape;
  const hlo::Shape& to = in.shape;
  bool same_layout = from.same_dims(to) && from.layout && to.layout && *from.layout == *to.layout;
  auto is_plain = [](const hlo::Shape& shape) {
    if (!shape.layout) return true;
    return shape.layout->extras.empty() && shape.layout->minor_to_major.size() == shape.dims.size();
  };
  bool fits = from.type == to.type && from.element_count() == to.element_count();
  if (!fits || !(same_layout || (is_plain(from) && is_plain(to)))) {
    throw Unmodelled("a bitcast that is not a reshape");
  }
  if (same_layout) {
    plan.operand_strides = plan.strides;
    plan.multipliers = plan.strides;
  } else {
    plan.multipliers = physical_strides(to);
    plan.operand_strides = physical_strides(from);
  }
  plan.operand_dims = from.dims;
}

void plan_groups(const Module& module, const Instruction& in, const hlo::DeviceCounts& counts,
                 Plan& plan) {
  if (!counts.known) throw Unmodelled("the number of devices is not known");
  if (plan.opcode == Opcode::kCollectivePermute) {
    auto pairs = hlo::device_pairs(in, counts);
    if (!pairs) throw Unmodelled("its source-target pairs do not fit");
    if (in.has(AttributeKey::kSliceSizes)) throw Unmodelled("a permute of slices in place");
    plan.source_of.assign(counts.devices(), -1);
    for (auto [source, target] : *pairs) plan.source_of[target] = source;
    return;
  }
  plan.groups = hlo::device_groups(in, counts);
  if (!plan.groups) throw Unmodelled("its groups do not fit the devices");
  plan.group_of.resize(counts.devices());
  plan.position_of.resize(counts.devices());
  for (size_t g = 0; g < plan.groups->groups.size(); ++g) {
    const auto& members = plan.groups->groups[g];
    for (size_t i = 0; i < members.size(); ++i) {
      plan.group_of[members[i]] = static_cast<uint32_t>(g);
      plan.position_of[members[i]] = static_cast<uint32_t>(i);
    }
  }
  if (plan.opcode == Opcode::kCollectiveBroadcast) {
    if (in.bool_attribute(AttributeKey::kHasDynamicRoot, false)) {
      throw Unmodelled("a broadcast from a device that is computed");
    }
    for (uint32_t group : plan.group_of) {
      plan.source_of.push_back(plan.groups->groups[group].front());
    }
  }
  bool along_dim = plan.opcode == Opcode::kAllGather || plan.opcode == Opcode::kReduceScatter ||
                   plan.opcode == Opcode::kAllToAll;
  if (!along_dim || in.dimensions().empty()) return;
  int64_t dim = in.dimensions()[0];
  int64_t size = plan.groups->group_size();
  if (size == 0) throw Unmodelled("its groups are of unequal size");
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const hlo::Shape& operand = module[in.operands[i]].shape;
    const hlo::Shape& result = part_shape(in.shape, plan.lead + static_cast<uint32_t>(i));
    // torch_xla sends a scalar token along, which has no such dim. HLO does not say what becomes of
    // it, so nothing is said of it here either: a size of 0 makes its use an error.
    if (operand.dims.empty()) {
      plan.operand_dim.push_back({0, 1});
      plan.result_dim.push_back({0, 1});
      continue;
    }
    plan.operand_dim.push_back(along(operand.dims, dim));
    plan.result_dim.push_back(along(result.dims, dim));
    int64_t from = plan.operand_dim.back().size, to = plan.result_dim.back().size;
    bool fits = plan.opcode == Opcode::kAllGather       ? to == from * size
                : plan.opcode == Opcode::kReduceScatter ? from == to * size
                                                        : from == to && from % size == 0;
    if (!fits) throw Unmodelled("its shapes do not fit its groups");
  }
}

// All index combinations of some dims as offsets by their strides.
std::vector<int64_t> offsets_of(const std::vector<int64_t>& sizes,
                                const std::vector<int64_t>& strides) {
  std::vector<int64_t> offsets = {0};
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (static_cast<int64_t>(offsets.size()) * sizes[i] > kMostContracted) {
      throw Unmodelled("too many elements are contracted");
    }
    std::vector<int64_t> next;
    next.reserve(offsets.size() * sizes[i]);
    for (int64_t offset : offsets) {
      for (int64_t j = 0; j < sizes[i]; ++j) next.push_back(offset + j * strides[i]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

std::optional<int64_t> even_step(const std::vector<int64_t>& offsets) {
  if (offsets.size() < 2) return std::nullopt;
  const int64_t step = offsets[1] - offsets[0];
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return std::nullopt;
  }
  return step;
}

bool contains(const hlo::IntList& list, int64_t value) {
  for (int64_t entry : list) {
    if (entry == value) return true;
  }
  return false;
}

void plan_reduce(const Module& module, const Instruction& in, Plan& plan) {
  plan_reducer(module, in, plan);
  const Dims& from = dims_of(module, in, 0);
  Dims strides = hlo::row_major_strides(from);
  std::vector<int64_t> sizes, steps;
  for (size_t i = 0; i < from.size(); ++i) {
    if (contains(in.dimensions(), static_cast<int64_t>(i))) {
      sizes.push_back(from[i]);
      steps.push_back(strides[i]);
    } else {
      plan.multipliers.push_back(strides[i]);
    }
  }
  plan.inner_left = offsets_of(sizes, steps);
}

void plan_dot(const Module& module, const Instruction& in, Plan& plan) {
  const Dims& left = dims_of(module, in, 0);
  const Dims& right = dims_of(module, in, 1);
  Dims left_strides = hlo::row_major_strides(left);
  Dims right_strides = hlo::row_major_strides(right);
  const auto& left_batch = in.ints(AttributeKey::kLhsBatchDims);
  const auto& right_batch = in.ints(AttributeKey::kRhsBatchDims);
  const auto& left_inner = in.ints(AttributeKey::kLhsContractingDims);
  const auto& right_inner = in.ints(AttributeKey::kRhsContractingDims);
  auto add = [&](int64_t left_step, int64_t right_step) {
    plan.multipliers.push_back(left_step);
    plan.right_multipliers.push_back(right_step);
  };
  for (size_t i = 0; i < left_batch.size(); ++i) {
    add(left_strides[left_batch[i]], right_strides[right_batch.at(i)]);
  }
  for (size_t i = 0; i < left.size(); ++i) {
    int64_t dim = static_cast<int64_t>(i);
    if (!contains(left_batch, dim) && !contains(left_inner, dim)) add(left_strides[i], 0);
  }
  for (size_t i = 0; i < right.size(); ++i) {
    int64_t dim = static_cast<int64_t>(i);
    if (!contains(right_batch, dim) && !contains(right_inner, dim)) add(0, right_strides[i]);
  }
  std::vector<int64_t> sizes, left_steps, right_steps;
  for (size_t i = 0; i < left_inner.size(); ++i) {
    sizes.push_back(left[left_inner[i]]);
    left_steps.push_back(left_strides[left_inner[i]]);
    right_steps.push_back(right_strides[right_inner.at(i)]);
  }
  plan.inner_left = offsets_of(sizes, left_steps);
  plan.inner_right = offsets_of(sizes, right_steps);
  plan.left_step = even_step(plan.inner_left);
  plan.right_step = even_step(plan.inner_right);
  if (plan.multipliers.size() != in.shape.dims.size()) throw Unmodelled("a dot of other rank");
  plan.contraction = contraction_of(module, in);
}

}  // namespace

void plan_reducer(const hlo::Module& module, const hlo::Instruction& in, Plan& plan) {
  hlo::ComputationList called = in.called_computations();
  if (called.size() != 1) throw Unmodelled("a reduction without a reducer");
  plan.reducer_computation = called[0];
  plan.reducer = hlo::recognise_reducer(module, called[0]);
}

Contraction contraction_of(const Module& module, const Instruction& in) {
  uint64_t tag = combine(static_cast<uint64_t>(module[in.operands.at(0)].shape.type),
                         static_cast<uint64_t>(module[in.operands.at(1)].shape.type));
  tag = combine(tag, static_cast<uint64_t>(in.shape.type));
  if (in.opcode != Opcode::kDot) tag = combine(tag, static_cast<uint64_t>(in.opcode));
  for (AttributeKey key :
       {AttributeKey::kOperandPrecision, AttributeKey::kAlgorithm, AttributeKey::kSparsityConfig}) {
    std::string_view text = in.raw_text(key);
    if (text.empty()) text = in.word(key);
    // Default precision is often written out.
    if (text == "{default,default}") text = {};
    for (char c : text) tag = combine(tag, static_cast<uint64_t>(c));
  }
  return {in.shape.type, tag};
}

uint32_t part_count(const hlo::Shape& shape) {
  return static_cast<uint32_t>(hlo::leaf_count(shape));
}

const hlo::Shape& part_shape(const hlo::Shape& shape, uint32_t part) {
  if (!shape.is_tuple()) return shape;
  for (const hlo::Shape& inner : *shape.parts) {
    uint32_t count = inner.is_tuple() ? part_count(inner) : 1;
    if (part < count) return part_shape(inner, part);
    part -= count;
  }
  throw Unmodelled("a tuple without that part");
}

void require_moderate(const hlo::Shape& shape) {
  // Indices and their multiples stay far from overflow.
  constexpr int64_t kMostElements = int64_t{1} << 56;
  if (shape.is_tuple()) {
    for (const hlo::Shape& part : *shape.parts) require_moderate(part);
    return;
  }
  if (!shape.is_static()) throw Unmodelled("a dynamic shape");
  if (!shape.is_array()) return;
  int64_t elements = 1;
  for (int64_t size : shape.dims) {
    if (size > 0 && elements > kMostElements / size) throw Unmodelled("an array of that size");
    if (size > 0) elements *= size;
  }
}

AlongDim along(const Dims& dims, int64_t dim) {
  if (dim < 0 || dim >= static_cast<int64_t>(dims.size())) throw Unmodelled("no such dim");
  return {dims[dim], hlo::product(dims, static_cast<int>(dim) + 1, static_cast<int>(dims.size()))};
}

void coordinates(int64_t index, const Dims& strides, const Dims& dims, int64_t* out) {
  for (size_t i = 0; i < dims.size(); ++i) out[i] = index / strides[i] % dims[i];
}

std::vector<int64_t> integers_in(std::string_view text) {
  std::vector<int64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    int64_t value = 0;
    auto [next, error] = std::from_chars(at, end, value);
    if (error == std::errc()) {
      numbers.push_back(value);
      at = next;
    } else {
      ++at;
    }
  }
  return numbers;
}

std::unique_ptr<Plan> make_plan(const Module& module, const Instruction& in,
                                const hlo::DeviceCounts& counts) {
  auto plan = std::make_unique<Plan>();
  require_moderate(in.shape);
  for (hlo::InstructionId operand : in.operands) require_moderate(module[operand].shape);
  if (in.shape.is_array()) plan->strides = hlo::row_major_strides(in.shape.dims);
  if (hlo::elementwise_arity(in.opcode) > 0) {
    plan->opcode = in.opcode;
    plan->scalar = ScalarOp::of(module, in);
    return plan;
  }
  plan->opcode = hlo::synchronous(in.wrapped.value_or(in.opcode));
  bool has_lead = in.opcode == Opcode::kAllGatherStart || in.opcode == Opcode::kAsyncStart ||
                  in.opcode == Opcode::kCollectivePermuteStart;
  if (has_lead) {
    for (hlo::InstructionId operand : in.operands) plan->lead += part_count(module[operand].shape);
    if (!in.shape.is_tuple() || part_count(in.shape) < 2 * plan->lead) {
      throw Unmodelled("an asynchronous start of another shape");
    }
  }
  switch (plan->opcode) {
    case Opcode::kTranspose:
    case Opcode::kBroadcast:
    case Opcode::kReverse:
    case Opcode::kSlice:
      plan_movement(module, in, *plan);
      break;
    case Opcode::kConcatenate:
      for (size_t i = 0; i < in.operands.size(); ++i) {
        plan->pieces.push_back(along(dims_of(module, in, i), in.dimensions().at(0)));
      }
      plan->result_dim.push_back(along(in.shape.dims, in.dimensions().at(0)));
      break;
    case Opcode::kIota:
      plan->result_dim.push_back(
          along(in.shape.dims, in.int_attribute(AttributeKey::kIotaDimension, 0)));
      break;
    case Opcode::kPad:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kSelectAndScatter:
      plan->operand_dims = dims_of(module, in, 0);
      plan->operand_strides = hlo::row_major_strides(plan->operand_dims);
      if (in.opcode == Opcode::kSelectAndScatter) plan_window(module, in, *plan);
      if (in.opcode == Opcode::kGather) require_gather(module, in);
      break;
    case Opcode::kReduceWindow:
      plan_reducer(module, in, *plan);
      plan_window(module, in, *plan);
      break;
    case Opcode::kConvolution:
      plan_convolution(module, in, *plan);
      break;
    case Opcode::kScatter:
      plan_reducer(module, in, *plan);
      plan_scatter(module, in, *plan);
      break;
    case Opcode::kBitcast:
      plan_bitcast(module, in, *plan);
      break;
    case Opcode::kAllReduce:
    case Opcode::kReduceScatter:
      plan_reducer(module, in, *plan);
      plan_groups(module, in, counts, *plan);
      break;
    case Opcode::kAllGather:
    case Opcode::kAllToAll:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectiveBroadcast:
      plan_groups(module, in, counts, *plan);
      break;
    case Opcode::kRaggedAllToAll:
      plan_groups(module, in, counts, *plan);
      plan_opaque(module, in, *plan);
      break;
    case Opcode::kReduce:
      plan_reduce(module, in, *plan);
      break;
    case Opcode::kDot:
      plan_dot(module, in, *plan);
      break;
    default:
      if (is_opaque_function(plan->opcode)) plan_opaque(module, in, *plan);
      break;
  }
  return plan;
}

}  // namespace flipsat::verify
