// Machines by name: the built-in ones, and JSON files (docs/machines.md).

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "extract/json_fields.h"
#include "extract/machine_model.h"

namespace flipsat::extract {
namespace {

using hlo::InputError;

constexpr double kPicosecondsPerMicrosecond = 1e6;
constexpr double kPerGiga = 1e9;
constexpr double kPerTera = 1e12;
constexpr int kMostAxes = 8;

Link read_link(const LocatedJson& json, const std::string& name) {
  JsonFields fields(json, "\"" + name + "\"");
  Link link;
  link.step = fields.scaled("step_us", kPicosecondsPerMicrosecond, 0);
  link.bytes_per_second = fields.scaled("gb_per_s", kPerGiga, 1);
  fields.refuse_unknown();
  return link;
}

CurvePoint read_point(const LocatedJson& json) {
  if (json.kind != LocatedJson::Kind::kArray || json.items.size() != 2) {
    throw InputError(json.place, "a point must be [bytes, microseconds]");
  }
  return {JsonFields::scaled(json.items[0], "a point's bytes", 1, 0),
          JsonFields::scaled(json.items[1], "a point's time", kPicosecondsPerMicrosecond, 0)};
}

Curve read_curve(const LocatedJson& json, Picoseconds launch) {
  JsonFields fields(json, "a curve");
  const std::string spelling = fields.text("opcode");
  const std::optional<hlo::Opcode> opcode = hlo::opcode_from_string(spelling);
  if (!opcode || !hlo::is_collective(*opcode) || hlo::synchronous(*opcode) != *opcode) {
    throw InputError(fields.required("opcode").place, "\"" + spelling + "\" is not a collective");
  }
  const int64_t devices = fields.count("devices", 2);
  const LocatedJson& list = fields.required("points");
  if (list.kind != LocatedJson::Kind::kArray || list.items.size() < 2) {
    throw InputError(list.place, "\"points\" must be an array of two points or more");
  }
  std::vector<CurvePoint> points;
  for (const LocatedJson& item : list.items) {
    const CurvePoint point = read_point(item);
    if (!points.empty() && point.bytes <= points.back().bytes) {
      throw InputError(item.place, "the points' bytes must rise");
    }
    points.push_back(point);
  }
  fields.refuse_unknown();
  return make_curve(*opcode, devices, std::move(points), launch);
}

void read_fabric(JsonFields& fields, Machine& machine) {
  const std::string fabric = fields.text("fabric");
  if (fabric == "switch") return;
  if (fabric == "staged") {
    machine.fabric = Fabric::kStaged;
    machine.mesh_bytes = fields.count("mesh_bytes", 0);
    machine.doubling_bytes = fields.count("doubling_bytes", 0);
    if (machine.doubling_bytes < machine.mesh_bytes) {
      throw InputError(fields.required("doubling_bytes").place,
                       "\"doubling_bytes\" must not be below \"mesh_bytes\"");
    }
    return;
  }
  if (fabric == "torus") {
    machine.fabric = Fabric::kTorus;
    const int64_t axes = fields.count("axes", 1);
    if (axes > kMostAxes) throw InputError(fields.required("axes").place, "\"axes\" is too large");
    machine.axes = static_cast<int>(axes);
    machine.wrap_multiple = fields.count("wrap_multiple", 1);
    return;
  }
  throw InputError(fields.required("fabric").place,
                   "\"fabric\" must be \"switch\", \"staged\" or \"torus\"");
}

// Machines of files live as long as the process, one for each text that was ever read, so that a
// reference stays good and a file that changes is read as it now is.
const Machine& machine_of_text(const std::string& text, const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Machine>> by_text;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<const Machine>& machine = by_text[text];
  if (!machine) machine = std::make_unique<const Machine>(machine_from_json(text, path));
  return *machine;
}

}  // namespace

Machine machine_from_json(const std::string& text, const std::string& file) {
  const LocatedJson json = read_located_json(text, file);
  JsonFields fields(json, "a machine");
  fields.optional("$schema");  // for editors
  Machine machine;
  machine.name = fields.text("name");
  machine.devices_per_node = fields.count("devices_per_node", 1);
  machine.launch = fields.scaled("launch_us", kPicosecondsPerMicrosecond, 0);
  machine.on_node = read_link(fields.required("on_node"), "on_node");
  machine.off_node = read_link(fields.required("off_node"), "off_node");
  machine.memory_bytes_per_second = fields.scaled("memory_gb_per_s", kPerGiga, 1);
  machine.matrix_flops_per_second = fields.scaled("matrix_tflop_per_s", kPerTera, 1);
  read_fabric(fields, machine);
  if (fields.optional("tile_rows")) machine.tile_rows = fields.count("tile_rows", 0);
  if (const LocatedJson* curves = fields.optional("curves")) {
    if (curves->kind != LocatedJson::Kind::kArray) {
      throw InputError(curves->place, "\"curves\" must be an array");
    }
    for (const LocatedJson& curve : curves->items) {
      machine.curves.push_back(read_curve(curve, machine.launch));
    }
  }
  fields.refuse_unknown();
  return machine;
}

Machine machine_from_file(const std::string& path) {
  return machine_from_json(read_json_file(path, "machine"), path);
}

const Machine& machine_preset(const std::string& name) {
  std::string names;
  for (const Machine& machine : built_in_machines()) {
    if (machine.name == name) return machine;
    names += machine.name + ", ";
  }
  if (is_json_path(name)) return machine_of_text(read_json_file(name, "machine"), name);
  throw std::invalid_argument("unknown machine \"" + name + "\": expected " + names +
                              "or the path of a JSON file");
}

}  // namespace flipsat::extract
