#include "solvers/python_folder.h"

#include <dlfcn.h>

namespace flipsat::solvers {
namespace {

namespace fs = std::filesystem;

// Of the file that this code was loaded from: the Python package's extension, or the program.
fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return {};
  std::error_code error;
  return fs::canonical(info.dli_fname, error).parent_path();
}

}  // namespace

fs::path program_folder() {
  std::error_code error;
  return fs::canonical("/proc/self/exe", error).parent_path();
}

fs::path python_folder(const std::string& name) {
  std::error_code error;
  for (const fs::path& installed :
       {own_folder() / "programs" / name,
        program_folder().parent_path() / "share" / "flipsat" / "python" / name}) {
    if (fs::exists(installed, error)) return installed;
  }
  return fs::path(FLIPSAT_PYTHON_SOURCE) / name;
}

}  // namespace flipsat::solvers
