// A site as SVG: boxes for classes, rows for forms, lines from operands to the forms that read
// them.
#pragma once

#include <string>

#include "tools/viewer/view.h"

namespace flipsat::tools {

// Rows are numbered on from `first_form`, as the page's script knows them.
std::string site_picture(const ViewSite& site, size_t first_form);

}  // namespace flipsat::tools
