#include "rules/text/value.h"

namespace flipsat::rules::text {

std::string_view to_string(Sort sort) {
  switch (sort) {
    case Sort::kNone:
    case Sort::kAny:
      return "anything";
    case Sort::kTruth:
      return "a condition";
    case Sort::kInteger:
      return "a number";
    case Sort::kList:
      return "a list of numbers";
    case Sort::kReducer:
      return "a reducer";
    case Sort::kType:
      return "an element type";
    case Sort::kGroups:
      return "groups";
    case Sort::kPairs:
      return "pairs of devices";
    case Sort::kFunction:
      return "an elementwise operation";
    case Sort::kOperand:
      return "an operand";
    case Sort::kOperands:
      return "start indices";
  }
  return "";
}

Type type_of(const hlo::Shape& shape) {
  return {shape.type, shape.layout ? shape.layout->element_bits : 0};
}

hlo::Shape shape_of(const Type& type, hlo::Dims dims) {
  hlo::Shape shape = hlo::Shape::array(type.element, std::move(dims));
  if (type.packed_bits == 0) return shape;
  auto packed = std::make_shared<hlo::Layout>();
  packed->element_bits = type.packed_bits;
  shape.layout = std::move(packed);
  return language::value_shape(shape);
}

Groups Groups::with_members(hlo::DeviceGroups changed) const {
  Groups result = *this;
  result.members = std::make_shared<const hlo::DeviceGroups>(std::move(changed));
  return result;
}

bool Groups::operator==(const Groups& other) const {
  return *members == *other.members && has_channel == other.has_channel &&
         steering == other.steering;
}

}  // namespace flipsat::rules::text
