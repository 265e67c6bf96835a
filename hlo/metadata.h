// Looking into `metadata={op_type="dot" op_name="jit(f)/dot" source_line=3}`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flipsat::hlo {

// Fields as they are written, `key=value`, from the text between and with the braces.
std::vector<std::string_view> metadata_fields(std::string_view metadata);

// What can be said of one instruction that stands for several: the fields in which all of theirs
// agree, and of their op_names the scopes that they share. Empty where nothing is left.
std::string common_metadata(const std::vector<std::string_view>& all);

}  // namespace flipsat::hlo
