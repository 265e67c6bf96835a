// Pages that stand on their own: no script, nothing fetched, light or dark as the reader has it.
#pragma once

#include <string>
#include <string_view>

namespace flipsat::tools {

// Text as it may stand in an element or in a quoted attribute.
std::string escaped(std::string_view text);

// A whole document around a body.
std::string html_page(std::string_view title, std::string_view body);

// One of the shades 0 (nothing) to 5 of the page's scale, for a share above the best: class names
// are s0 to s5. `scale_legend` says what they stand for.
int shade(double share);
std::string scale_legend();

}  // namespace flipsat::tools
