#include "python/bindings/module.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "frontends/proto/proto.h"
#include "frontends/text/text.h"
#include "python/bindings/bindings.h"
#include "python/bindings/strings.h"
#include "tools/output_files.h"

namespace flipsat::python {

Module::Module(hlo::Module module)
    : module_(std::move(module)), kind_(frontends::kind_of(module_)) {}

Module::Module(hlo::Module made, const Module& origin)
    : module_(std::move(made)), kind_(origin.kind_), is_made_(true) {}

const hlo::Module& Module::input() const {
  if (!is_made_) return module_;
  std::call_once(once_, [this] {
    reread_ = frontends::module_from(frontends::module_bytes(module_, kind_), module_.file);
  });
  return reread_;
}

namespace {

std::shared_ptr<Module> parse(nb::str text, nb::str name) {
  std::string bytes = to_bytes(text);
  const std::string file = to_bytes(name);
  const nb::gil_scoped_release unlocked;
  return std::make_shared<Module>(frontends::read_text(std::move(bytes), file));
}

std::shared_ptr<Module> from_proto(nb::bytes data, nb::str name) {
  std::string bytes(data.c_str(), data.size());
  const std::string file = to_bytes(name);
  const nb::gil_scoped_release unlocked;
  bytes = frontends::unpack(std::move(bytes), file).bytes;
  return std::make_shared<Module>(frontends::read_proto(std::move(bytes), file));
}

std::shared_ptr<Module> read(nb::str path) {
  const std::string file = to_bytes(path);
  const nb::gil_scoped_release unlocked;
  return std::make_shared<Module>(frontends::read_module(file));
}

void write(const Module& module, nb::str path) {
  const std::string file = to_bytes(path);
  const nb::gil_scoped_release unlocked;
  const auto kind = frontends::kind_of_name(file).value_or(module.kind());
  tools::check_can_write(file);
  tools::write_output(file, frontends::module_bytes(module.module(), kind));
}

std::string bytes_of(const Module& module, frontends::FileKind kind) {
  const nb::gil_scoped_release unlocked;
  return frontends::module_bytes(module.module(), kind);
}

nb::bytes to_proto(const Module& module) {
  const std::string bytes = bytes_of(module, frontends::FileKind::kProto);
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void bind_module(nb::module_& core) {
  nb::class_<Module>(core, "Module", "An HLO module.")
      .def_static("parse", &parse, nb::arg("text"), nb::arg("name"))
      .def_static("from_proto", &from_proto, nb::arg("data"), nb::arg("name"))
      .def_static("read", &read, nb::arg("path"))
      .def("write", &write, nb::arg("path"))
      .def(
          "to_text",
          [](const Module& module) { return to_str(bytes_of(module, frontends::FileKind::kText)); })
      .def("to_proto", &to_proto)
      .def_prop_ro("name", [](const Module& module) { return to_str(module.module().name); })
      .def_prop_ro("file", [](const Module& module) { return to_str(module.module().file); })
      .def_prop_ro(
          "is_proto",
          [](const Module& module) { return module.kind() == frontends::FileKind::kProto; })
      .def_prop_ro("num_partitions",
                   [](const Module& module) { return module.module().num_partitions; })
      .def_prop_ro("replica_count",
                   [](const Module& module) { return module.module().replica_count; })
      .def_prop_ro("computation_count",
                   [](const Module& module) { return module.module().order.size(); })
      .def_prop_ro("instruction_count",
                   [](const Module& module) { return module.module().live_instruction_count(); });
}

}  // namespace flipsat::python
