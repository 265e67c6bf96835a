// Combiners by name: the presets of hlo/combiner.h, and JSON files (docs/machines.md).
#pragma once

#include <string>

#include "hlo/combiner.h"

namespace flipsat::extract {

// A preset, or the file that a name with a dot or a slash in it is the path of. Throws
// std::invalid_argument for an unknown name, hlo::InputError for a bad file.
hlo::CombinerOptions combiner_by_name(const std::string& name);

// A combiner from the text of a JSON file; `file` is for messages. Throws hlo::InputError.
hlo::CombinerOptions combiner_from_json(const std::string& text, const std::string& file);

}  // namespace flipsat::extract
