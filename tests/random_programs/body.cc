#include <algorithm>

#include "tests/random_programs/program.h"

namespace flipsat::random_programs {

Body::Body(Program& owner, std::string stem, bool entry)
    : program(owner), random(owner.random), is_entry(entry), name_(owner.fresh(stem)) {}

Value Body::add(ElementType type, const Dims& dims, const std::string& opcode,
                const std::vector<Value>& operands, const std::string& attributes) {
  std::vector<std::string> names;
  bool uniform = opcode != "partition-id" && opcode != "replica-id";
  for (const Value& operand : operands) {
    names.push_back(operand.name);
    uniform &= operand.uniform;
  }
  if (opcode == "collective-permute" || opcode == "reduce-scatter" || opcode == "all-to-all") {
    uniform = false;
  }
  Value value{
      add_raw(program.shape(type, dims), opcode, names, attributes + decorations(opcode, uniform)),
      type, dims, uniform};
  values.push_back(value);
  return value;
}

std::string Body::add_raw(const std::string& shape, const std::string& opcode,
                          const std::vector<std::string>& operands, const std::string& attributes) {
  const std::string name = program.fresh(opcode);
  lines_ += "  " + name + " = " + shape + " " + opcode + "(";
  for (size_t i = 0; i < operands.size(); ++i) {
    lines_ += (i ? ", " : "") + operands[i];
    used_.insert(operands[i]);
  }
  lines_ += ")" + attributes + "\n";
  all_names_.push_back(name);
  return name;
}

// What programs carry beside what they compute.
std::string Body::decorations(const std::string& opcode, bool uniform) {
  std::string text;
  const bool is_collective =
      opcode.starts_with("all-") || opcode == "reduce-scatter" || opcode == "collective-permute";
  if (uniform && random.chance(2) && program.mesh.replicas == 1) text += ", sharding={replicated}";
  if (is_collective && random.chance(3)) {
    text += ", frontend_attributes={" +
            random.one_of<std::string>({"combiner_key=\"a\"", "collective_group_key=\"b\"",
                                        "_scheduling_group_id=\"1\"", "note=\"c\""}) +
            "}";
  } else if (random.chance(2)) {
    text += ", frontend_attributes={note=\"d\"}";
  }
  if (!all_names_.empty() && random.chance(1)) {
    text += ", control-predecessors={" + random.pick(all_names_) + "}";
  }
  if (random.chance(15)) {
    const std::string line = std::to_string(random.between(1, 99));
    text += ", metadata={op_name=\"step/" + opcode +
            "\" source_file=\"step.py\" source_line=" + line + "}";
  }
  return text;
}

// A sharding that makes some of the partitions, not all, hold the same; empty where there are too
// few.
std::string Body::tiled_sharding(int rank) {
  const int64_t partitions = program.mesh.partitions;
  const int64_t tiles = partitions % 2 == 0 && random.chance(50) ? partitions / 2 : 2;
  if (rank == 0 || partitions < 4 || partitions % tiles != 0) return "";
  const std::string k = std::to_string(tiles), r = std::to_string(partitions / tiles);
  std::string text = "{devices=[" + k;
  for (int dim = 1; dim < rank; ++dim) text += ",1";
  text += "," + r + "]<=[";
  text += random.chance(50) ? r + "," + k + "]T(1,0)" : std::to_string(partitions) + "]";
  return ", sharding=" + text + " last_tile_dim_replicate}";
}

Value Body::parameter(ElementType type, const Dims& dims, bool uniform) {
  std::string attributes;
  if (!uniform && random.chance(20)) attributes += tiled_sharding(static_cast<int>(dims.size()));
  if (uniform && program.mesh.partitions > 1) attributes += ", sharding={replicated}";
  if (uniform && program.mesh.replicas > 1) attributes += ", parameter_replication={true}";
  const std::string name = program.fresh("p");
  lines_ += "  " + name + " = " + program.shape(type, dims) + " parameter(" +
            std::to_string(parameters_++) + ")" + attributes + "\n";
  values.push_back({name, type, dims, uniform});
  return values.back();
}

std::string Body::parameter_raw(const std::string& shape) {
  const std::string name = program.fresh("p");
  lines_ += "  " + name + " = " + shape + " parameter(" + std::to_string(parameters_++) + ")\n";
  return name;
}

Value Body::constant(ElementType type, const Dims& dims, const std::vector<int64_t>& numbers) {
  std::string text;
  size_t next = 0;
  auto write = [&](auto&& self, size_t dim) -> void {
    if (dim == dims.size()) {
      const int64_t number = numbers[next++ % numbers.size()];
      text += type == ElementType::kPred ? (number & 1 ? "true" : "false") : std::to_string(number);
      return;
    }
    text += dims.size() > 1 && dim + 1 < dims.size() ? "{ " : "{";
    for (int64_t i = 0; i < dims[dim]; ++i) {
      if (i) text += ", ";
      self(self, dim + 1);
    }
    text += dims.size() > 1 && dim + 1 < dims.size() ? " }" : "}";
  };
  write(write, 0);
  const std::string name = program.fresh("constant");
  lines_ += "  " + name + " = " + program.shape(type, dims) + " constant(" + text + ")\n";
  values.push_back({name, type, dims, true});
  return values.back();
}

// The number of the device that runs this, as u32.
Value Body::device_number() {
  const Mesh& mesh = program.mesh;
  const ElementType u32 = ElementType::kU32;
  if (mesh.devices() == 1) return scalar(u32, 0);
  if (mesh.replicas == 1) return add(u32, {}, "partition-id", {});
  Value replica = add(u32, {}, "replica-id", {});
  if (mesh.partitions == 1) return replica;
  Value row = add(u32, {}, "multiply", {replica, scalar(u32, mesh.partitions)});
  return add(u32, {}, "add", {row, add(u32, {}, "partition-id", {})});
}

Value Body::by_device(ElementType type, const std::vector<int64_t>& wanted) {
  const ElementType u32 = ElementType::kU32;
  Value number = device_number();
  // A formula where one fits: c * (number / d) % e.
  struct Formula {
    int64_t d, e, c;
  };
  std::vector<Formula> fitting;
  for (int64_t d = 1; d <= 4; ++d) {
    for (int64_t e = 1; e <= 8; ++e) {
      const int64_t c =
          *std::max_element(wanted.begin(), wanted.end()) / std::max<int64_t>(e - 1, 1);
      bool fits = true;
      for (size_t i = 0; i < wanted.size(); ++i) {
        fits &= wanted[i] == c * (static_cast<int64_t>(i) / d % e);
      }
      if (fits) fitting.push_back({d, e, c});
    }
  }
  if (!fitting.empty() && random.chance(50)) {
    const Formula f = random.pick(fitting);
    Value index = number;
    if (f.d > 1) index = add(u32, {}, "divide", {index, scalar(u32, f.d)});
    if (f.e < program.mesh.devices()) index = add(u32, {}, "remainder", {index, scalar(u32, f.e)});
    if (type != u32) index = add(type, {}, "convert", {index});
    return f.c == 1 ? index : add(type, {}, "multiply", {index, scalar(type, f.c)});
  }
  Value table = constant(type, {static_cast<int64_t>(wanted.size())}, wanted);
  Value element = add(type, {1}, "dynamic-slice", {table, number}, ", dynamic_slice_sizes={1}");
  return add(type, {}, "reshape", {element});
}

Value Body::source(ElementType type, const Dims& dims) {
  if (is_entry && random.chance(88)) return parameter(type, dims, random.chance(25));
  if (hlo::product(dims) > 0 && hlo::product(dims) <= 12 && random.chance(40)) {
    std::vector<int64_t> numbers;
    for (int i = 0; i < 7; ++i) numbers.push_back(random.below(4));
    return constant(type, dims, numbers);
  }
  Value scalar_value = by_device(ElementType::kS32, [&] {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < program.mesh.devices(); ++i) numbers.push_back(random.below(5));
    return numbers;
  }());
  Value wide = add(ElementType::kS32, dims, "broadcast", {scalar_value}, ", dimensions={}");
  if (!dims.empty()) {
    Value ramp = add(ElementType::kS32, dims, "iota", {},
                     ", iota_dimension=" + std::to_string(random.below(dims.size())));
    wide = add(ElementType::kS32, dims, "add", {wide, ramp});
  }
  return type == ElementType::kS32 ? wide : add(type, dims, "convert", {wide});
}

Value Body::any() {
  if (values.empty()) return source(program.type(), {4});
  const int64_t size = static_cast<int64_t>(values.size());
  return random.chance(65) ? values.back() : values[random.below(size)];
}

std::optional<Value> Body::any_of(ElementType type, const Dims& dims) {
  std::vector<Value> found;
  for (const Value& value : values) {
    if (value.type == type && value.dims == dims) found.push_back(value);
  }
  if (found.empty()) return std::nullopt;
  return random.pick(found);
}

Value Body::like(const Value& other) {
  if (random.chance(60)) {
    if (auto found = any_of(other.type, other.dims)) return *found;
  }
  return source(other.type, other.dims);
}

std::string Body::finish(const std::string& root_shape, const std::string& root_opcode,
                         const std::vector<std::string>& operands, const std::string& attributes) {
  add_raw(root_shape, root_opcode, operands, attributes);
  const size_t line = lines_.rfind("\n  ", lines_.size() - 2);
  lines_.insert(line == std::string::npos ? 2 : line + 3, "ROOT ");
  return name_ + " {\n" + lines_ + "}\n";
}

}  // namespace flipsat::random_programs
