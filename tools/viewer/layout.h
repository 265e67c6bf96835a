// Where the boxes of a site stand: in layers, operands above users, so that data flows down.
#pragma once

#include <vector>

#include "tools/viewer/view.h"

namespace flipsat::tools {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  size_t layer = 0;
};

struct Layout {
  std::vector<Box> boxes;  // by class of the site
  double width = 0, height = 0;
};

// `sizes`: width and height of each class's box.
Layout lay_out(const ViewSite& site, std::vector<Box> sizes);

}  // namespace flipsat::tools
