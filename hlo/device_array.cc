#include "hlo/device_array.h"

#include <algorithm>

#include "hlo/integer_arithmetic.h"

namespace flipsat::hlo {
namespace {

using Operands = std::vector<const DeviceArray*>;

bool is_known_type(ElementType type) { return type == ElementType::kPred || is_integer(type); }

// Calls `element(device, index)` for all elements of a result; nullopt once it gives none.
template <typename Element>
std::optional<DeviceArray> fill(const Instruction& instruction, const Operands& operands,
                                int64_t devices, const Element& element) {
  DeviceArray result;
  result.type = instruction.shape.type;
  result.dims = instruction.shape.dims;
  result.same_everywhere = std::all_of(operands.begin(), operands.end(),
                                       [](const DeviceArray* o) { return o->same_everywhere; });
  int64_t count = result.element_count();
  int64_t copies = result.same_everywhere ? 1 : devices;
  if (count > kMaxComputedElements || count * copies > kMaxDeviceElements) return std::nullopt;
  result.values.reserve(count * copies);
  for (int64_t device = 0; device < copies; ++device) {
    for (int64_t index = 0; index < count; ++index) {
      std::optional<int64_t> value = element(device, index);
      if (!value) return std::nullopt;
      result.values.push_back(*value);
    }
  }
  return result;
}

Dims coordinates(int64_t index, const Dims& dims) {
  Dims at(dims.size(), 0);
  for (size_t i = dims.size(); i-- > 0;) {
    at[i] = index % dims[i];
    index /= dims[i];
  }
  return at;
}

int64_t linear(const Dims& at, const Dims& dims) {
  int64_t index = 0;
  for (size_t i = 0; i < dims.size(); ++i) index = index * dims[i] + at[i];
  return index;
}

// Data movement: `source(coordinates of the result)` says where an element comes from.
template <typename Source>
std::optional<DeviceArray> move(const Instruction& instruction, const Operands& operands,
                                int64_t devices, const Source& source) {
  const DeviceArray& from = *operands[0];
  if (instruction.shape.element_count() > kMaxComputedElements) return std::nullopt;
  std::vector<int64_t> sources(instruction.shape.element_count());
  for (size_t i = 0; i < sources.size(); ++i) {
    Dims at = source(coordinates(static_cast<int64_t>(i), instruction.shape.dims));
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] < 0 || at[d] >= from.dims[d]) return std::nullopt;
    }
    sources[i] = linear(at, from.dims);
  }
  return fill(instruction, {&from}, devices, [&](int64_t device, int64_t index) {
    return std::optional<int64_t>(from.at(device, sources[index]));
  });
}

std::optional<int64_t> reinterpret_integer(ElementType from, ElementType to, int64_t value) {
  bool same_bits = is_integer(from) && is_integer(to) && bit_width(from) == bit_width(to);
  return same_bits ? std::optional<int64_t>(wrap_integer(to, value)) : std::nullopt;
}

std::optional<DeviceArray> elementwise(const Instruction& instruction, const Operands& operands,
                                       int64_t devices) {
  // Scalars stand for every element (select's predicate, clamp's bounds).
  auto at = [&](size_t operand, int64_t device, int64_t index) {
    const DeviceArray& array = *operands[operand];
    return array.at(device, array.element_count() == 1 ? 0 : index);
  };
  for (const DeviceArray* operand : operands) {
    if (operand->element_count() != 1 && operand->dims != instruction.shape.dims) {
      return std::nullopt;
    }
  }
  ElementType type = operands.back()->type;
  return fill(instruction, operands, devices,
              [&](int64_t device, int64_t index) -> std::optional<int64_t> {
                int64_t a = at(0, device, index);
                if (instruction.opcode == Opcode::kConvert) {
                  return convert_integer(instruction.shape.type, a);
                }
                if (instruction.opcode == Opcode::kBitcastConvert) {
                  return reinterpret_integer(type, instruction.shape.type, a);
                }
                if (operands.size() == 1) return apply_integer(instruction.opcode, type, a);
                int64_t b = at(1, device, index);
                if (instruction.opcode == Opcode::kCompare) {
                  return compare_integer(instruction.word(AttributeKey::kDirection), type, a, b);
                }
                if (operands.size() == 2) return apply_integer(instruction.opcode, type, a, b);
                int64_t c = at(2, device, index);
                if (instruction.opcode == Opcode::kSelect) return a != 0 ? b : c;
                // clamp(low a, value b, high c)
                int64_t raised = less_integer(type, b, a) ? a : b;
                return less_integer(type, c, raised) ? c : raised;
              });
}

std::optional<DeviceArray> dynamic_slice(const Instruction& instruction, const Operands& operands,
                                         int64_t devices) {
  const DeviceArray& from = *operands[0];
  size_t rank = from.dims.size();
  bool one_vector = operands.size() == 2 && !operands[1]->dims.empty();
  if (!one_vector && operands.size() != rank + 1) return std::nullopt;
  if (one_vector && operands[1]->element_count() != static_cast<int64_t>(rank)) return std::nullopt;
  const Dims& sizes = instruction.shape.dims;
  if (sizes.size() != rank) return std::nullopt;
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] > from.dims[d]) return std::nullopt;
  }
  return fill(instruction, operands, devices, [&](int64_t device, int64_t index) {
    Dims at = coordinates(index, sizes);
    for (size_t d = 0; d < rank; ++d) {
      const DeviceArray& starts = *operands[one_vector ? 1 : d + 1];
      int64_t start = starts.at(device, one_vector ? static_cast<int64_t>(d) : 0);
      int64_t last = from.dims[d] - sizes[d];
      // A u64 past INT64_MAX is large, not negative.
      bool is_huge = start < 0 && !is_signed_integer(starts.type);
      at[d] += is_huge ? last : std::clamp<int64_t>(start, 0, last);
    }
    return std::optional<int64_t>(from.at(device, linear(at, from.dims)));
  });
}

std::optional<DeviceArray> concatenate(const Instruction& instruction, const Operands& operands,
                                       int64_t devices) {
  if (instruction.dimensions().size() != 1) return std::nullopt;
  int64_t dim = instruction.dimensions()[0];
  if (dim < 0 || dim >= instruction.shape.rank()) return std::nullopt;
  return fill(instruction, operands, devices,
              [&](int64_t device, int64_t index) -> std::optional<int64_t> {
                Dims at = coordinates(index, instruction.shape.dims);
                for (const DeviceArray* operand : operands) {
                  if (at[dim] < operand->dims[dim]) {
                    return operand->at(device, linear(at, operand->dims));
                  }
                  at[dim] -= operand->dims[dim];
                }
                return std::nullopt;
              });
}

std::optional<DeviceArray> iota(const Instruction& instruction, int64_t devices) {
  int64_t dim = instruction.int_attribute(AttributeKey::kIotaDimension, 0);
  if (dim < 0 || dim >= instruction.shape.rank()) return std::nullopt;
  return fill(instruction, {}, devices, [&](int64_t, int64_t index) {
    return std::optional<int64_t>(
        wrap_integer(instruction.shape.type, coordinates(index, instruction.shape.dims)[dim]));
  });
}

std::optional<DeviceArray> data_movement(const Instruction& instruction, const Operands& operands,
                                         int64_t devices) {
  const DeviceArray& from = *operands[0];
  const IntList& dimensions = instruction.dimensions();
  for (int64_t d : dimensions) {
    if (d < 0 || d >= instruction.shape.rank()) return std::nullopt;
  }
  auto moved = [&](auto source) { return move(instruction, operands, devices, source); };
  switch (instruction.opcode) {
    case Opcode::kBroadcast:
      if (dimensions.size() != from.dims.size()) return std::nullopt;
      return moved([&](const Dims& at) {
        Dims source(from.dims.size());
        for (size_t i = 0; i < source.size(); ++i) source[i] = at[dimensions[i]];
        return source;
      });
    case Opcode::kTranspose:
      if (dimensions.size() != from.dims.size()) return std::nullopt;
      return moved([&](const Dims& at) {
        Dims source(from.dims.size());
        for (size_t i = 0; i < source.size(); ++i) source[dimensions[i]] = at[i];
        return source;
      });
    case Opcode::kReverse:
      return moved([&](Dims at) {
        for (int64_t d : dimensions) at[d] = from.dims[d] - 1 - at[d];
        return at;
      });
    case Opcode::kSlice: {
      const Attribute* attribute = instruction.find(AttributeKey::kSlice);
      const auto* slice = attribute ? std::get_if<SliceDims>(&attribute->value) : nullptr;
      if (!slice || slice->size() != from.dims.size()) return std::nullopt;
      return moved([&](Dims at) {
        for (size_t d = 0; d < at.size(); ++d)
          at[d] = (*slice)[d].start + at[d] * (*slice)[d].stride;
        return at;
      });
    }
    default:
      return std::nullopt;
  }
}

// Row-major order is kept: reshapes, copies, and bitcasts between arrays that lie row-major.
bool keeps_order(const Instruction& instruction, const DeviceArray& from) {
  if (instruction.opcode != Opcode::kBitcast) return true;
  return from.element_count() == 1 || from.dims.size() == 1;
}

}  // namespace

bool is_computable(Opcode opcode) {
  switch (opcode) {
    case Opcode::kIota:
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kConcatenate:
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kCopy:
      return true;
    default:
      return elementwise_arity(opcode) > 0;
  }
}

std::optional<DeviceArray> compute_device_array(const Instruction& instruction,
                                                const Operands& operands, int64_t devices) {
  if (!instruction.shape.is_static() || !is_known_type(instruction.shape.type)) return std::nullopt;
  size_t arity = static_cast<size_t>(elementwise_arity(instruction.opcode));
  if (arity > 0) {
    if (operands.size() != arity) return std::nullopt;
    return elementwise(instruction, operands, devices);
  }
  if (instruction.opcode == Opcode::kIota) return iota(instruction, devices);
  if (operands.empty()) return std::nullopt;
  switch (instruction.opcode) {
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kCopy: {
      const DeviceArray& from = *operands[0];
      if (from.type != instruction.shape.type || !keeps_order(instruction, from) ||
          from.element_count() != instruction.shape.element_count()) {
        return std::nullopt;
      }
      DeviceArray result = from;
      result.dims = instruction.shape.dims;
      return result;
    }
    case Opcode::kDynamicSlice:
      return dynamic_slice(instruction, operands, devices);
    case Opcode::kConcatenate:
      return concatenate(instruction, operands, devices);
    default:
      return data_movement(instruction, operands, devices);
  }
}

std::optional<DeviceArray> constant_device_array(const Literal& literal) {
  if (literal.elided || !is_known_type(literal.shape.type)) return std::nullopt;
  DeviceArray result;
  result.type = literal.shape.type;
  result.dims = literal.shape.dims;
  int64_t count = result.element_count();
  if (count > kMaxTableElements) return std::nullopt;
  result.values.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    std::optional<int64_t> value = literal.integer_at(i);
    if (!value) return std::nullopt;
    result.values.push_back(*value);
  }
  return result;
}

}  // namespace flipsat::hlo
