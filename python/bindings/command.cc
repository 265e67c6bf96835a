
#include <cstdio>

#include "python/bindings/bindings.h"
#include "python/bindings/words.h"
#include "tools/command_line.h"

namespace flipsat::python {
namespace {

int run_command(nb::typed<nb::list, nb::str> listed) {
  const Words words = to_words(listed);
  const nb::gil_scoped_release unlocked;
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  const int status = tools::run_command_line(static_cast<int>(words.size()), arguments.data());
  std::fflush(nullptr);
  return status;
}

}  // namespace

void bind_command(nb::module_& core) {
  core.def("run_command", &run_command, nb::arg("words"),
           "Runs the command `flipsat`; the first word is its name. Returns the exit status.");
}

}  // namespace flipsat::python
