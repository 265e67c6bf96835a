// Where the Python programs that we start are: flipsat_solvers and flipsat_xla.
#pragma once

#include <filesystem>
#include <string>

namespace flipsat::solvers {

// The folder of the program that runs; of Python where the Python package runs.
std::filesystem::path program_folder();

// In this order: in the installed Python package, beside the installed program, in the source tree
// that this was built from.
std::filesystem::path python_folder(const std::string& name);

}  // namespace flipsat::solvers
