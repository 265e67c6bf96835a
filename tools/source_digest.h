// Which source this was built from: two builds of one version may answer differently.
#pragma once

namespace flipsat::tools {

// Of all files that can change a result; made by cmake/source_digest.cmake at build time.
extern const char* const kSourceDigest;

}  // namespace flipsat::tools
