// Machines by name: the built-in ones, and JSON files (docs/machines.md).

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "extract/located_json.h"
#include "extract/machine_model.h"

namespace flipsat::extract {
namespace {

using hlo::InputError;

constexpr double kPicosecondsPerMicrosecond = 1e6;
constexpr double kPerGiga = 1e9;
constexpr double kPerTera = 1e12;
constexpr double kLargest = 9e18;  // below INT64_MAX
constexpr int kMostAxes = 8;

// One object of the file. Every field must be asked for: what is left at the end is unknown.
class Fields {
 public:
  Fields(const LocatedJson& object, const std::string& what) : object_(object), what_(what) {
    if (object.kind != LocatedJson::Kind::kObject) {
      throw InputError(object.place, what + " must be an object");
    }
  }

  const LocatedJson* optional(const std::string& name) {
    known_.push_back(name);
    return object_.find(name);
  }

  const LocatedJson& required(const std::string& name) {
    const LocatedJson* value = optional(name);
    if (!value) throw InputError(object_.place, what_ + " lacks \"" + name + "\"");
    return *value;
  }

  std::string text(const std::string& name) {
    const LocatedJson& value = required(name);
    if (value.kind != LocatedJson::Kind::kString) {
      throw InputError(value.place, "\"" + name + "\" must be a string");
    }
    return value.string;
  }

  // A number times `unit`, rounded to a whole number of at least `least`.
  int64_t scaled(const std::string& name, double unit, int64_t least) {
    return scaled(required(name), "\"" + name + "\"", unit, least);
  }

  static int64_t scaled(const LocatedJson& value, const std::string& name, double unit,
                        int64_t least) {
    if (value.kind != LocatedJson::Kind::kNumber) {
      throw InputError(value.place, name + " must be a number");
    }
    const double result = value.number * unit;
    if (!(result < kLargest)) throw InputError(value.place, name + " is too large");
    if (result < 0) throw InputError(value.place, name + " must not be negative");
    const int64_t whole = std::llround(result);
    if (whole < least) throw InputError(value.place, name + " is too small");
    return whole;
  }

  int64_t count(const std::string& name, int64_t least) { return scaled(name, 1, least); }

  void refuse_unknown() const {
    for (const auto& [name, value] : object_.members) {
      bool known = false;
      for (const std::string& k : known_) known = known || k == name;
      if (!known) throw InputError(value.place, what_ + " has no field \"" + name + "\"");
    }
  }

 private:
  const LocatedJson& object_;
  std::string what_;
  std::vector<std::string> known_;
};

Link read_link(const LocatedJson& json, const std::string& name) {
  Fields fields(json, "\"" + name + "\"");
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
  return {Fields::scaled(json.items[0], "a point's bytes", 1, 0),
          Fields::scaled(json.items[1], "a point's time", kPicosecondsPerMicrosecond, 0)};
}

Curve read_curve(const LocatedJson& json, Picoseconds launch) {
  Fields fields(json, "a curve");
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

void read_fabric(Fields& fields, Machine& machine) {
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

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) throw InputError({path, 0, 0}, "cannot read the machine file");
  return text.str();
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
  Fields fields(json, "a machine");
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
  return machine_from_json(read_all(path), path);
}

const Machine& machine_preset(const std::string& name) {
  std::string names;
  for (const Machine& machine : built_in_machines()) {
    if (machine.name == name) return machine;
    names += machine.name + ", ";
  }
  if (name.find_first_of("/.") != std::string::npos) return machine_of_text(read_all(name), name);
  throw std::invalid_argument("unknown machine \"" + name + "\": expected " + names +
                              "or the path of a JSON file");
}

}  // namespace flipsat::extract
