// Attributes that are kept as spelling alone: stepped over, and refused where they are malformed.
#pragma once

#include "frontends/text/scanner.h"
#include "frontends/text/shape_reader.h"
#include "hlo/attribute.h"

namespace flipsat::frontends {

// Steps over the value of a kRaw or kWindow attribute, checking its syntax as far as it is known.
void skip_raw_value(Scanner& in, ShapeReader& shapes, hlo::AttributeKey key);

// Steps over the value of an attribute that this version does not know: text up to a blank or comma
// outside of brackets and strings.
void skip_unknown_value(Scanner& in);

// `{a="text",b={json}}`
void skip_frontend_attributes(Scanner& in);

// `{{0}: (1, {}), {1}: (2, {0}, must-alias)}`, the kind only where `with_kind`.
void skip_aliasing(Scanner& in, bool with_kind);

// `{(0, {}), (1, {2})}`
void skip_buffer_donors(Scanner& in);

// `{1,0}`, possibly empty.
std::vector<int64_t> read_braced_integers(Scanner& in);

// `true` or `{true,false}`
void skip_booleans(Scanner& in);

}  // namespace flipsat::frontends
