// In which form a module is written: as text or as a proto, and how compressed.
#pragma once

#include <string>

#include "frontends/file.h"

namespace flipsat::tools {

struct Form {
  frontends::FileKind kind = frontends::FileKind::kText;
  frontends::Compression compression = frontends::Compression::kNone;
};

// A file that is to stand in its input's place stays what that is, whatever its name says. Any
// other is what its name says, and of the input's kind where the name says none.
Form output_form(const std::string& output, const std::string& input, const Form& input_form);

// What people should know of that: a word where the input's name does not say what the input is and
// that decides, else empty.
std::string form_note(const std::string& output, const std::string& input, const Form& input_form);

}  // namespace flipsat::tools
