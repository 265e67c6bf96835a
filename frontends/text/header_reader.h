// The header of HLO text: `HloModule name, attribute=value, ...` and the stack-frame tables.
#pragma once

#include "frontends/text/scanner.h"
#include "frontends/text/shape_reader.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// Reads from after the word HloModule up to the first computation.
void read_header(Scanner& in, ShapeReader& shapes, hlo::Module& module);

// The same without the stack-frame tables: up to the end of the last attribute.
void read_header_line(Scanner& in, ShapeReader& shapes, hlo::Module& module);

}  // namespace flipsat::frontends
