#include "hlo/shape.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace flipsat::hlo {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? kMax : result;
}

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? kMax : result;
}

void append_layout(const Layout& layout, std::string& out) {
  out += '{';
  for (size_t i = 0; i < layout.minor_to_major.size(); ++i) {
    if (i > 0) out += ',';
    out += std::to_string(layout.minor_to_major[i]);
  }
  if (!layout.extras.empty()) {
    out += ':';
    out += layout.extras;
  }
  out += '}';
}

void append_shape(const Shape& shape, bool with_layout, std::string& out) {
  if (shape.is_tuple()) {
    out += '(';
    for (size_t i = 0; i < shape.parts->size(); ++i) {
      if (i > 0) out += ", ";
      if (i > 0 && i % 5 == 0) out += "/*index=" + std::to_string(i) + "*/";
      append_shape((*shape.parts)[i], with_layout, out);
    }
    out += ')';
    return;
  }
  if (shape.type == ElementType::kBuffer) {
    out += "b(";
    append_shape(shape.parts->front(), with_layout, out);
    out += ')';
    return;
  }
  out += to_string(shape.type);
  out += '[';
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) out += ',';
    if (shape.dims[i] == kUnboundedDim) {
      out += '?';
      continue;
    }
    if (shape.dynamic >> i & 1) out += "<=";
    out += std::to_string(shape.dims[i]);
  }
  out += ']';
  if (with_layout && shape.layout) append_layout(*shape.layout, out);
}

}  // namespace

Shape Shape::array(ElementType type, Dims dims) {
  Shape shape;
  shape.type = type;
  shape.dims = std::move(dims);
  return shape;
}

Shape Shape::tuple(std::vector<Shape> parts) {
  Shape shape;
  shape.type = ElementType::kTuple;
  shape.parts = std::make_shared<const std::vector<Shape>>(std::move(parts));
  return shape;
}

int64_t Shape::element_count() const { return product(dims); }

int64_t Shape::byte_size() const {
  if (is_tuple() || type == ElementType::kBuffer) {
    int64_t total = 0;
    for (const Shape& part : *parts) total = saturating_add(total, part.byte_size());
    return total;
  }
  if (!is_array()) return 0;
  int64_t count = element_count();
  if (layout && layout->element_bits > 0) {
    int64_t bits = saturating_multiply(count, layout->element_bits);
    return bits == kMax ? kMax : bits / 8 + (bits % 8 != 0);
  }
  return saturating_multiply(count, byte_width(type));
}

Shape Shape::with_type(ElementType new_type) const {
  Shape result = *this;
  result.type = new_type;
  if (layout && layout->element_bits > 0) result.layout = nullptr;
  return result;
}

Shape Shape::with_dims(Dims new_dims) const {
  Shape result;
  result.type = type;
  if (layout && new_dims.size() == dims.size()) result.layout = layout;
  result.dims = std::move(new_dims);
  return result;
}

Shape Shape::with_dim(int dim, int64_t size) const {
  Dims new_dims = dims;
  new_dims[dim] = size;
  return with_dims(std::move(new_dims));
}

bool Shape::same_value_shape(const Shape& other) const {
  if (type != other.type || dims != other.dims || dynamic != other.dynamic) return false;
  if (!parts || !other.parts) return !parts && !other.parts;
  return parts == other.parts ||
         std::equal(parts->begin(), parts->end(), other.parts->begin(), other.parts->end(),
                    [](const Shape& a, const Shape& b) { return a.same_value_shape(b); });
}

bool Shape::operator==(const Shape& other) const {
  if (type != other.type || dims != other.dims || dynamic != other.dynamic) return false;
  if (!layout != !other.layout || (layout && layout != other.layout && *layout != *other.layout)) {
    return false;
  }
  if (!parts || !other.parts) return !parts && !other.parts;
  return parts == other.parts || *parts == *other.parts;
}

bool has_binding_layout(const Shape& shape) {
  if (!shape.layout || shape.layout->extras.empty()) return false;
  return shape.layout->extras != "E(" + std::to_string(shape.layout->element_bits) + ")";
}

size_t leaf_count(const Shape& shape) {
  if (!shape.is_tuple()) return 1;
  size_t count = 0;
  for (const Shape& part : *shape.parts) count += part.is_tuple() ? leaf_count(part) : 1;
  return count;
}

size_t leaf_offset(const Shape& tuple, size_t index) {
  size_t offset = 0;
  for (size_t i = 0; i < index && i < tuple.parts->size(); ++i) {
    const Shape& part = (*tuple.parts)[i];
    offset += part.is_tuple() ? leaf_count(part) : 1;
  }
  return offset;
}

std::string to_string(const Shape& shape) {
  std::string out;
  append_shape(shape, true, out);
  return out;
}

std::string to_string_without_layout(const Shape& shape) {
  std::string out;
  append_shape(shape, false, out);
  return out;
}

Dims row_major_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (int i = static_cast<int>(dims.size()) - 2; i >= 0; --i) {
    strides[i] = saturating_multiply(strides[i + 1], dims[i + 1]);
  }
  return strides;
}

int64_t product(const Dims& dims) { return product(dims, 0, static_cast<int>(dims.size())); }

int64_t product(const Dims& dims, int begin, int end) {
  int64_t result = 1;
  for (int i = begin; i < end; ++i)
    result = saturating_multiply(result, std::max<int64_t>(dims[i], 0));
  return result;
}

}  // namespace flipsat::hlo
