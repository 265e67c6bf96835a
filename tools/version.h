// Versions that programs can ask for. The project's comes from CMakeLists.txt.
#pragma once

namespace flipsat::tools {

inline constexpr const char* kVersion = FLIPSAT_VERSION;

// Of the JSON reports; raised when a field changes its meaning or goes away (docs/report.md).
inline constexpr int kReportSchema = 1;

}  // namespace flipsat::tools
