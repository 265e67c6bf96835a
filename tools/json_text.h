// JSON as reports are written: fields in the order of the documents, exact decimals as they are,
// and short lists on one line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "extract/machine.h"

namespace flipsat::tools {

using Json = nlohmann::ordered_json;

// A number given by its text, so that a decimal stays exact whatever its size.
Json exact_number(const std::string& text);
// The same for a time, in microseconds.
Json microseconds(extract::Picoseconds time);
// With three decimals at most: for wall clock.
Json milliseconds(double value);

// The document, indented by two, with a newline at the end. Bytes that are not UTF-8 are replaced.
std::string json_text(const Json& document);
// The fields of an object alone, a line each or more, as they stand in a document at that indent;
// without a comma or a newline at the end.
std::string json_fields(const Json& object, int indent);

}  // namespace flipsat::tools
