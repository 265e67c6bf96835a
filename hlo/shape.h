// Shapes: arrays with dims and an optional layout, tuples, tokens. Plain values, cheap to copy.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hlo/element_type.h"

namespace flipsat::hlo {

// An upper bound that is not known, printed `?`.
inline constexpr int64_t kUnboundedDim = -1;

using Dims = boost::container::small_vector<int64_t, 4>;

// Where the elements lie. A print attribute except for what makes an instruction opaque: tiles,
// memory spaces and everything else after the colon (kept as it was spelled, e.g.
// "T(8,128)(2,1)S(5)").
struct Layout {
  std::vector<int64_t> minor_to_major;
  std::string extras;        // the text after ':', without it; empty if there is none
  int element_bits = 0;      // E(n): packed width of an element; 0 if not packed
  int64_t memory_space = 0;  // S(n)
  bool operator==(const Layout&) const = default;
};

class Shape {
 public:
  ElementType type = ElementType::kTuple;
  Dims dims;                                        // arrays; kUnboundedDim for `?`
  uint64_t dynamic = 0;                             // bit i: dim i is `<=N` or `?`
  std::shared_ptr<const Layout> layout;             // null: none was given
  std::shared_ptr<const std::vector<Shape>> parts;  // tuples (and the one part of a buffer)

  static Shape array(ElementType type, Dims dims);
  static Shape tuple(std::vector<Shape> parts);

  bool is_array() const { return is_array_type(type); }
  bool is_tuple() const { return type == ElementType::kTuple; }
  bool is_static() const { return dynamic == 0; }
  int rank() const { return static_cast<int>(dims.size()); }
  int64_t element_count() const;  // product of dims; saturates at INT64_MAX

  // Bytes of the value: packed where the layout says E(n), else whole bytes an element, tuples
  // summed; tiles and padding are not counted. Saturates at INT64_MAX.
  int64_t byte_size() const;

  // The same array with another type or dims; layouts that no longer fit are dropped.
  Shape with_type(ElementType new_type) const;
  Shape with_dims(Dims new_dims) const;
  Shape with_dim(int dim, int64_t size) const;

  // Equal but for layout: what the value is, not where it lies.
  bool same_value_shape(const Shape& other) const;
  bool same_dims(const Shape& other) const { return dims == other.dims; }
  bool operator==(const Shape& other) const;  // layout included
};

// The layout says more than the order of dims and the width of packed elements: tiles, a memory
// space. An array that lies so cannot be re-made elsewhere.
bool has_binding_layout(const Shape& shape);

// Arrays (and tokens) of a value, nested tuples flattened: their number, and where those of part
// `index` of a tuple begin.
size_t leaf_count(const Shape& shape);
size_t leaf_offset(const Shape& tuple, size_t index);

// `f32[2,3]{1,0}` and `(f32[2], /*index=5*/...)`, as XLA prints them.
std::string to_string(const Shape& shape);
std::string to_string_without_layout(const Shape& shape);

// Row-major walks.
Dims row_major_strides(const Dims& dims);
int64_t product(const Dims& dims);                      // saturates at INT64_MAX
int64_t product(const Dims& dims, int begin, int end);  // of dims[begin..end)

}  // namespace flipsat::hlo
