// How a file spells things, so that what is added to it looks like what was there.
#pragma once

#include <string>

#include "hlo/module.h"

namespace flipsat::frontends {

// The defaults are XLA's long form.
struct PrintStyle {
  bool percent = true;          // %name
  bool layouts = true;          // f32[2,3]{1,0}
  bool operand_shapes = false;  // add(f32[2] %a, f32[2] %b)
  bool index_comments = true;   // /*index=5*/
  bool signatures = true;       // %name (p: f32[]) -> f32[] {
  std::string indentation = "  ";
  std::string newline = "\n";
};

// Told from the first few instructions and computations of the source text.
PrintStyle style_of(const hlo::Module& module);

// A shape as this style prints it. A layout that the style would not show is shown all the same
// where it is not the default one, and one that is missing is shown as the default.
void append_shape(const hlo::Shape& shape, bool layouts, std::string& out);

// The layout of an array that gives none: dims from last to first.
bool is_default_layout(const hlo::Shape& shape);

}  // namespace flipsat::frontends
