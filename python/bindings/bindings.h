// The parts of the extension module `flipsat._core`, one a source file.
//
// The layer is thin: reports cross the border as the JSON that the commands write, options as the
// words of their command lines, so that both mean in Python what they mean there. python/flipsat
// makes dataclasses of them. The interpreter lock is released wherever work is done.
#pragma once

#include <nanobind/nanobind.h>

namespace flipsat::python {

namespace nb = nanobind;

void bind_errors(nb::module_& core);
void bind_module(nb::module_& core);
void bind_optimize(nb::module_& core);
void bind_verify(nb::module_& core);
void bind_lists(nb::module_& core);
void bind_orders(nb::module_& core);
void bind_batch(nb::module_& core);
void bind_command(nb::module_& core);
void bind_egraph(nb::module_& core);

}  // namespace flipsat::python
