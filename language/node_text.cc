#include "language/node_text.h"

#include <algorithm>
#include <cstdio>

namespace flipsat::language {
namespace {

// Members and elements are spelled out up to here.
constexpr int64_t kFewDevices = 8;
constexpr int64_t kFewElements = 8;

std::string list_text(std::span<const int64_t> values) {
  std::string text = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? "," : "") + std::to_string(values[i]);
  }
  return text + "}";
}

// Groups of devices in their order, as in [groups, members], need no list.
bool is_plain(const hlo::DeviceGroups& groups) {
  int64_t next = 0;
  for (const std::vector<int64_t>& group : groups.groups) {
    for (int64_t device : group) {
      if (device != next++) return false;
    }
  }
  return true;
}

std::string slice_text(const std::vector<int64_t>& ints) {
  std::string text = "{";
  for (size_t i = 0; i + 2 < ints.size(); i += 3) {
    text += (i > 0 ? ", [" : "[") + std::to_string(ints[i]) + ":" + std::to_string(ints[i + 1]);
    if (ints[i + 2] != 1) text += ":" + std::to_string(ints[i + 2]);
    text += "]";
  }
  return text + "}";
}

std::string padding_text(const std::vector<int64_t>& ints) {
  std::string text;
  for (size_t i = 0; i + 2 < ints.size(); i += 3) {
    text += (i > 0 ? "x" : "") + std::to_string(ints[i]) + "_" + std::to_string(ints[i + 1]);
    if (ints[i + 2] != 0) text += "_" + std::to_string(ints[i + 2]);
  }
  return text;
}

std::string dot_text(const Operator& op) {
  const DotDims dims = dot_dims(op);
  std::string text =
      ", contracting=" + list_text(dims.lhs_contracting) + "x" + list_text(dims.rhs_contracting);
  if (!dims.lhs_batch.empty()) {
    text += ", batch=" + list_text(dims.lhs_batch) + "x" + list_text(dims.rhs_batch);
  }
  return text;
}

std::string collective_text(const Collective& collective) {
  std::string text;
  if (collective.pairs) {
    text += ", pairs={";
    const size_t shown = std::min<size_t>(collective.pairs->size(), kFewDevices);
    for (size_t i = 0; i < shown; ++i) {
      const auto& [source, target] = (*collective.pairs)[i];
      text += (i > 0 ? ",{" : "{") + std::to_string(source) + "," + std::to_string(target) + "}";
    }
    text += shown < collective.pairs->size() ? ",...}" : "}";
  }
  if (collective.groups) text += ", groups=" + groups_text(*collective.groups);
  if (collective.reducer) {
    constexpr const char* kWords[] = {"add", "multiply", "min", "max", "and", "or"};
    static_assert(static_cast<int>(hlo::ReducerKind::kOr) == 5);
    text += std::string(", by=") + kWords[static_cast<int>(collective.reducer->kind)];
  }
  return text;
}

std::string attributes_text(const HloGraph& hlo, const Operator& op) {
  switch (op.kind) {
    case Kind::kTranspose:
    case Kind::kBroadcast:
    case Kind::kReduce:
    case Kind::kReverse:
    case Kind::kConcatenate:
    case Kind::kIota:
      return ", dims=" + list_text(op.ints);
    case Kind::kSlice:
      return ", slice=" + slice_text(op.ints);
    case Kind::kDynamicSlice:
      return ", sizes=" + list_text(op.ints);
    case Kind::kPad:
      return ", padding=" + padding_text(op.ints);
    case Kind::kDot:
      return dot_text(op);
    case Kind::kGetTupleElement:
      return ", index=" + std::to_string(op.ints[0]);
    case Kind::kAllGather:
    case Kind::kReduceScatter:
    case Kind::kAllToAll:
      return ", dims=" + list_text(op.ints) + collective_text(hlo.collectives()[op.collective]);
    case Kind::kAllReduce:
    case Kind::kCollectivePermute:
      return collective_text(hlo.collectives()[op.collective]);
    default:
      return "";
  }
}

std::string word_of(const Operator& op) {
  return op.kind == Kind::kSum ? "sum" : std::string(hlo::to_string(op.opcode));
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// The first elements in their order; empty where they are not known.
std::string literal_text(const hlo::Literal& literal) {
  std::string text;
  const int64_t count = literal.shape.is_array() ? literal.shape.element_count() : 0;
  for (int64_t i = 0; i < std::min(count, kFewElements); ++i) {
    const std::optional<int64_t> integer = literal.integer_at(i);
    const std::optional<double> number = literal.float_at(i);
    if (!integer && !number) return "";
    text += (i > 0 ? ", " : "") + (integer ? std::to_string(*integer) : number_text(*number));
  }
  if (count > kFewElements) text += ", ...";
  return literal.shape.rank() == 0 ? text : "{" + text + "}";
}

std::string operands_text(const Operator& op, std::span<const std::string> operands) {
  std::string text;
  if (op.kind == Kind::kConstant && op.literal) text += literal_text(*op.literal);
  for (size_t i = 0; i < operands.size(); ++i) text += (i > 0 ? ", " : "") + operands[i];
  return text;
}

}  // namespace

std::string groups_text(const hlo::DeviceGroups& groups) {
  const int64_t size = groups.group_size();
  const std::string form =
      "[" + std::to_string(groups.groups.size()) + "," + std::to_string(size) + "]";
  if (size > 0 && is_plain(groups)) return form;
  if (size > 0 && size * static_cast<int64_t>(groups.groups.size()) > kFewDevices) {
    return form + " in another order";
  }
  std::string text = "{";
  for (size_t i = 0; i < groups.groups.size(); ++i) {
    text += (i > 0 ? "," : "") + list_text(groups.groups[i]);
  }
  return text + "}";
}

std::string node_text(const HloGraph& hlo, const Operator& op,
                      std::span<const std::string> operands, bool with_shape) {
  std::string text = with_shape ? hlo::to_string_without_layout(op.shape) + " " : "";
  return text + word_of(op) + "(" + operands_text(op, operands) + ")" + attributes_text(hlo, op);
}

std::string term_text(const HloGraph& hlo, const Operator& op,
                      std::span<const std::string> operands) {
  std::string text = word_of(op);
  if (op.kind == Kind::kConvert) {
    text += "<" + std::string(hlo::to_string(op.shape.type)) + ">";
  } else if (op.kind == Kind::kReshape || op.kind == Kind::kBroadcast) {
    text += "<" + hlo::to_string_without_layout(op.shape) + ">";
  }
  std::string attributes = attributes_text(hlo, op);
  const std::string inside = operands_text(op, operands);
  if (inside.empty() && !attributes.empty()) attributes.erase(0, 2);
  return text + "(" + inside + attributes + ")";
}

bool is_index_arithmetic(const HloGraph& hlo, ClassId cls) {
  const hlo::Shape& shape = hlo.shape(cls);
  if (!shape.is_array() || !hlo::is_integer(shape.type)) return false;
  if (shape.rank() == 0 || shape.element_count() == 1) return true;
  if (shape.rank() != 1) return false;
  for (NodeId node : hlo.graph().nodes(cls)) {
    if (hlo.op(node).kind == Kind::kConstant) return true;
  }
  return false;
}

}  // namespace flipsat::language
