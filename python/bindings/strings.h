// Text between Python and C++: UTF-8, with bytes that are none kept as lone surrogates (PEP 383),
// so that any module's text survives the way there and back.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace flipsat::python {

std::string to_bytes(nanobind::str text);
nanobind::str to_str(const std::string& bytes);

}  // namespace flipsat::python
