#include "frontends/proto/shape_message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using hlo::ElementType;
using hlo::Shape;

namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::min();
constexpr int64_t kCombineDim = std::numeric_limits<int64_t>::min();
constexpr int kNoType = 0;

template <typename List>
std::string joined(const List& values) {
  std::string text;
  for (int64_t value : values) {
    if (!text.empty()) text += ',';
    text += value == kCombineDim ? "*" : std::to_string(value);
  }
  return text;
}

// What stands after the colon of a layout, in the order in which XLA prints it.
std::string extras_of(const hlo_proto::Layout& layout) {
  std::string text;
  if (layout.tiles_size() > 0) text += 'T';
  for (const hlo_proto::Tile& tile : layout.tiles()) text += '(' + joined(tile.dimensions()) + ')';
  auto number = [&](std::string_view letter, int64_t value) {
    text += letter;
    text += '(' + std::to_string(value) + ')';
  };
  int64_t alignment = layout.tail_padding_alignment_in_elements();
  if (alignment != 0 && alignment != 1) number("L", alignment);
  for (auto [symbol, type] : {std::pair('#', layout.index_primitive_type()),
                              std::pair('*', layout.pointer_primitive_type())}) {
    const std::optional<ElementType> known = element_type_of(type);
    if (known) (text += symbol) += '(' + std::string(to_string(*known)) + ')';
  }
  if (layout.element_size_in_bits() != 0) number("E", layout.element_size_in_bits());
  if (layout.memory_space() != 0) number("S", layout.memory_space());
  if (layout.split_configs_size() > 0) text += "SC";
  for (const hlo_proto::SplitConfig& split : layout.split_configs()) {
    text += '(' + std::to_string(split.dimension()) + ':' + joined(split.split_indices()) + ')';
  }
  if (int64_t bytes = layout.dynamic_shape_metadata_prefix_bytes()) number("M", bytes);
  return text;
}

std::shared_ptr<const hlo::Layout> layout_from(const hlo_proto::Layout& message, size_t rank) {
  hlo::Layout layout;
  layout.extras = extras_of(message);
  if (static_cast<size_t>(message.minor_to_major_size()) != rank) {
    throw std::runtime_error("expected a layout of as many dims as the shape has");
  }
  if (rank == 0 && layout.extras.empty()) return nullptr;
  layout.minor_to_major.assign(message.minor_to_major().begin(), message.minor_to_major().end());
  layout.element_bits = static_cast<int>(message.element_size_in_bits());
  layout.memory_space = message.memory_space();
  return std::make_shared<const hlo::Layout>(std::move(layout));
}

void read_numbers(Scanner& in, google::protobuf::RepeatedField<int64_t>* values) {
  in.expect('(');
  do values->Add(in.take('*') ? kCombineDim : in.integer("a number"));
  while (in.take(','));
  in.expect(')');
}

int64_t read_number(Scanner& in) {
  in.expect('(');
  int64_t value = in.integer("a number");
  in.expect(')');
  return value;
}

int32_t read_type(Scanner& in) {
  in.expect('(');
  std::optional<ElementType> type = hlo::element_type_from_string(in.word());
  in.expect(')');
  return type ? static_cast<int32_t>(*type) : kNoType;
}

void set_extras(const std::string& extras, hlo_proto::Layout* layout) {
  Scanner in(extras, "layout");
  while (!in.at_end()) {
    switch (in.peek()) {
      case 'T':
        in.advance();
        while (in.peek() == '(') read_numbers(in, layout->add_tiles()->mutable_dimensions());
        break;
      case 'L':
        in.advance();
        layout->set_tail_padding_alignment_in_elements(read_number(in));
        break;
      case '#':
        in.advance();
        layout->set_index_primitive_type(read_type(in));
        break;
      case '*':
        in.advance();
        layout->set_pointer_primitive_type(read_type(in));
        break;
      case 'E':
        in.advance();
        layout->set_element_size_in_bits(read_number(in));
        break;
      case 'M':
        in.advance();
        layout->set_dynamic_shape_metadata_prefix_bytes(read_number(in));
        break;
      case 'S': {
        in.advance();
        if (in.here() != 'C') {
          layout->set_memory_space(read_number(in));
          break;
        }
        in.advance();
        while (in.take('(')) {
          hlo_proto::SplitConfig* split = layout->add_split_configs();
          split->set_dimension(in.integer("a dim"));
          in.expect(':');
          do split->add_split_indices(in.integer("a number"));
          while (in.take(','));
          in.expect(')');
        }
        break;
      }
      default:  // D(...), which is no longer printed; P(...), which no dense array has
        if (in.word().empty()) in.advance();
        if (in.peek() == '(') in.balanced();
    }
  }
}

void set_layout(const Shape& shape, hlo_proto::Layout* message) {
  // XLA writes 1, which says nothing.
  message->set_tail_padding_alignment_in_elements(1);
  if (!shape.layout) {
    for (int dim = shape.rank() - 1; dim >= 0; --dim) message->add_minor_to_major(dim);
    return;
  }
  for (int64_t dim : shape.layout->minor_to_major) message->add_minor_to_major(dim);
  set_extras(shape.layout->extras, message);
}

}  // namespace

std::optional<ElementType> element_type_of(int32_t number) {
  if (number < static_cast<int>(ElementType::kPred) ||
      number > static_cast<int>(ElementType::kF6E2M3FN)) {
    return std::nullopt;
  }
  return static_cast<ElementType>(number);
}

// The depth of messages is bounded where they are parsed.
Shape shape_from(const hlo_proto::Shape& message) {
  const std::optional<ElementType> known = element_type_of(message.element_type());
  if (!known) {
    throw std::runtime_error("expected an element type, found number " +
                             std::to_string(message.element_type()));
  }
  const ElementType type = *known;
  Shape shape;
  shape.type = type;
  if (type == ElementType::kTuple || type == ElementType::kBuffer) {
    std::vector<Shape> parts;
    for (const hlo_proto::Shape& part : message.tuple_shapes()) parts.push_back(shape_from(part));
    if (type == ElementType::kBuffer && parts.size() != 1) {
      throw std::runtime_error("expected a buffer of one shape");
    }
    shape.parts = std::make_shared<const std::vector<Shape>>(std::move(parts));
    return shape;
  }
  if (!shape.is_array()) return shape;
  constexpr int kMostDims = 64;  // as many as `dynamic` has bits
  if (message.dimensions_size() > kMostDims) {
    throw std::runtime_error("expected at most 64 dims");
  }
  for (int i = 0; i < message.dimensions_size(); ++i) {
    int64_t size = message.dimensions(i);
    if (size < 0 && size != kUnbounded) {
      throw std::runtime_error("expected dims that are not negative");
    }
    shape.dims.push_back(size == kUnbounded ? hlo::kUnboundedDim : size);
    bool dynamic = i < message.is_dynamic_dimension_size() && message.is_dynamic_dimension(i);
    if (dynamic || size == kUnbounded) shape.dynamic |= uint64_t{1} << i;
  }
  if (message.has_layout()) shape.layout = layout_from(message.layout(), shape.dims.size());
  return shape;
}

namespace {

template <typename List>
void append_joined(const List& values, std::string& out) {
  bool is_first = true;
  for (int64_t value : values) {
    if (!is_first) out += ',';
    is_first = false;
    std::array<char, 24> digits;
    out.append(digits.data(),
               std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }
}

// An array of fixed dims whose layout is an order of dims: nearly every shape.
bool is_plain(const hlo_proto::Shape& message) {
  const std::optional<ElementType> type = element_type_of(message.element_type());
  const hlo_proto::Layout& layout = message.layout();
  Shape shape;
  if (type) shape.type = *type;
  const auto is_negative = [](int64_t size) { return size < 0; };
  const auto is_true = [](bool dynamic) { return dynamic; };
  constexpr int kSurely = 16;  // dims; more are left to the general way, which refuses too many
  return type && shape.is_array() && message.dimensions_size() <= kSurely &&
         (!message.has_layout() || layout.minor_to_major_size() == message.dimensions_size()) &&
         std::none_of(message.dimensions().begin(), message.dimensions().end(), is_negative) &&
         std::none_of(message.is_dynamic_dimension().begin(), message.is_dynamic_dimension().end(),
                      is_true) &&
         extras_of(layout).empty();
}

}  // namespace

void append_shape(const hlo_proto::Shape& message, std::string& out) {
  if (!is_plain(message)) {
    out += to_string(shape_from(message));
    return;
  }
  (out += to_string(*element_type_of(message.element_type()))) += '[';
  append_joined(message.dimensions(), out);
  out += ']';
  if (message.dimensions_size() == 0 || !message.has_layout()) return;
  out += '{';
  append_joined(message.layout().minor_to_major(), out);
  out += '}';
}

void set_shape(const Shape& shape, hlo_proto::Shape* message) {
  message->set_element_type(static_cast<int32_t>(shape.type));
  if (shape.parts) {
    for (const Shape& part : *shape.parts) set_shape(part, message->add_tuple_shapes());
    return;
  }
  if (!shape.is_array()) return;
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t size = shape.dims[static_cast<size_t>(i)];
    message->add_dimensions(size == hlo::kUnboundedDim ? kUnbounded : size);
    message->add_is_dynamic_dimension((shape.dynamic >> i & 1) != 0);
  }
  set_layout(shape, message->mutable_layout());
}

}  // namespace flipsat::frontends
