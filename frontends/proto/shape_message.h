// Shapes of HLO protos.
#pragma once

#include <optional>

#include "frontends/proto/hlo.pb.h"
#include "hlo/shape.h"

namespace flipsat::frontends {

// Nullopt for a number that this version has no type for.
std::optional<hlo::ElementType> element_type_of(int32_t number);

// Throws std::runtime_error, whose words say what was expected, for what is no shape.
hlo::Shape shape_from(const hlo_proto::Shape& message);

// An array without a layout gets the default one, as XLA's own text reader gives it.
// What `to_string(shape_from(message))` is.
void append_shape(const hlo_proto::Shape& message, std::string& out);
void set_shape(const hlo::Shape& shape, hlo_proto::Shape* message);

}  // namespace flipsat::frontends
