#include "python/bindings/bindings.h"
#include "tools/version.h"

NB_MODULE(_core, core) {
  using namespace flipsat::python;
  core.doc() = "What flipsat has in C++; use the package flipsat.";
  core.attr("version") = flipsat::tools::kVersion;
  bind_errors(core);
  bind_module(core);
  bind_optimize(core);
  bind_verify(core);
  bind_lists(core);
  bind_orders(core);
  bind_batch(core);
  bind_command(core);
  bind_egraph(core);
}
