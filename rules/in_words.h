// What each rule means, in one sentence for people who know models and not e-graphs.
#pragma once

#include <string>
#include <string_view>

namespace flipsat::rules {

// "a convert looks at one element at a time, ..."; empty for a rule that is not of the catalogue.
std::string_view in_words(const std::string& rule);

}  // namespace flipsat::rules
