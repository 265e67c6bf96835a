// A random module while it is written: computations, values, and the small things that every
// operation needs (shapes as text, reducers, channels, indices that differ by device).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hlo/element_type.h"
#include "hlo/opcode.h"
#include "hlo/shape.h"
#include "tests/random_programs/generator.h"
#include "tests/random_programs/grouping.h"

namespace flipsat::random_programs {

using hlo::Dims;
using hlo::ElementType;

// An array in a computation.
struct Value {
  std::string name;
  ElementType type = ElementType::kF32;
  Dims dims;
  bool uniform = false;  // equal on all devices

  int rank() const { return static_cast<int>(dims.size()); }
  int64_t elements() const { return hlo::product(dims); }
  bool is_float() const { return hlo::is_float(type); }
};

// Largest values that operations make.
inline constexpr int64_t kMostElements = 96;

// A computation that may be called again.
struct Function {
  std::string name;
  std::vector<Value> parameters;
  std::vector<Value> results;  // one without a tuple around it, or a tuple
  bool is_tuple = false;
};

class Program {
 public:
  Program(uint64_t seed, const GeneratorOptions& options);

  Random random;
  GeneratorOptions options;
  Mesh mesh;
  bool percent = false;   // names begin with '%'
  bool layouts = false;   // default layouts are written
  int plain_channel = 0;  // not 0: the channel of all collectives
  std::vector<Function> functions;

  std::string fresh(const std::string& stem);
  // One that the program used before, mostly.
  const Grouping& grouping(GroupingKind kind);
  std::string attributes(const Grouping& grouping);
  std::string channel();
  // Name of a computation that applies the operation to two scalars.
  std::string reducer(const std::string& opcode, ElementType type);
  std::string shape(ElementType type, const Dims& dims);
  ElementType type();
  ElementType float_type();

  void write(const std::string& computation) { computations_ += computation + "\n"; }
  std::string finish(const std::string& entry);

 private:
  std::map<std::string, int> used_;
  std::map<GroupingKind, std::deque<Grouping>> groupings_;  // references stay valid
  std::map<std::string, std::string> reducers_;
  std::string computations_;
  int channels_ = 0;
};

// One computation while it is written.
class Body {
 public:
  Body(Program& program, std::string stem, bool is_entry);

  Program& program;
  Random& random;
  const bool is_entry;
  std::vector<Value> values;

  // `NAME = SHAPE OPCODE(OPERANDS)ATTRIBUTES`; attributes begin with a comma.
  Value add(ElementType type, const Dims& dims, const std::string& opcode,
            const std::vector<Value>& operands, const std::string& attributes = "");
  // A value of any shape, as text: tuples, tokens. Returns its name.
  std::string add_raw(const std::string& shape, const std::string& opcode,
                      const std::vector<std::string>& operands, const std::string& attributes = "");
  Value parameter(ElementType type, const Dims& dims, bool uniform);
  std::string parameter_raw(const std::string& shape);

  Value constant(ElementType type, const Dims& dims, const std::vector<int64_t>& numbers);
  Value scalar(ElementType type, int64_t number) { return constant(type, {}, {number}); }
  // An integer scalar with a given value on each device.
  Value by_device(ElementType type, const std::vector<int64_t>& values);
  // A new value: a parameter in the entry, something made of constants elsewhere.
  Value source(ElementType type, const Dims& dims);

  // Mostly the newest value, so that chains form.
  Value any();
  std::optional<Value> any_of(ElementType type, const Dims& dims);
  Value like(const Value& other);  // of the same type and dims
  bool is_used(const Value& value) const { return used_.count(value.name) > 0; }
  void use(const std::string& name) { used_.insert(name); }

  // The whole computation as text, with this as its root.
  std::string finish(const std::string& root_shape, const std::string& root_opcode,
                     const std::vector<std::string>& operands, const std::string& attributes = "");
  const std::string& name() const { return name_; }

 private:
  std::string decorations(const std::string& opcode, bool uniform);
  std::string tiled_sharding(int rank);
  Value device_number();

  std::string name_;
  std::string lines_;
  std::set<std::string> used_;
  std::vector<std::string> all_names_;
  int parameters_ = 0;
};

// Dims as `{1,0}`.
std::string braces(const std::vector<int64_t>& numbers);
std::string braces(const Dims& numbers);

}  // namespace flipsat::random_programs
