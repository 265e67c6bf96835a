#include "frontends/proto/module_text.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "frontends/proto/instruction_text.h"
#include "frontends/proto/metadata_message.h"
#include "frontends/proto/raw_attributes.h"
#include "frontends/proto/shape_message.h"
#include "frontends/text/names.h"
#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using hlo_proto::Computation;
using hlo_proto::Module;

namespace {

// Names that text may spell, each once.
class Names {
 public:
  void expect(size_t count) { taken_.reserve(count); }

  std::string take(const std::string& name) {
    std::string wanted = sanitized_name(name);
    if (taken_.insert(wanted).second) return wanted;
    int& number = last_[wanted];
    std::string free;
    do free = wanted + '.' + std::to_string(++number);
    while (!taken_.insert(free).second);
    return free;
  }

 private:
  boost::unordered_flat_set<std::string> taken_;
  std::unordered_map<std::string, int> last_;  // number given to this name
};

class ModulePrinter {
 public:
  ModulePrinter(const Module& message, const hlo_proto::ModuleConfig* config, size_t max_bytes)
      : message_(message), config_(config), max_bytes_(max_bytes) {}

  ModuleText print() {
    entry_ = entry_position();
    append_header();
    append_stack_frames();
    Names names;
    for (int i = 0; i < message_.computations_size(); ++i) {
      text_.text += '\n';
      append_computation(message_.computations(i), i == entry_, names);
    }
    return std::move(text_);
  }

 private:
  int entry_position() const {
    for (int i = 0; i < message_.computations_size(); ++i) {
      if (message_.computations(i).id() == message_.entry_computation_id()) return i;
    }
    for (int i = 0; i < message_.computations_size(); ++i) {  // files without ids
      if (message_.computations(i).name() == message_.entry_computation_name()) return i;
    }
    throw std::runtime_error("expected an entry computation");
  }

  void add(std::string_view name, const std::string& value) {
    text_.text += ", ";
    text_.text += name;
    text_.text += '=' + value;
  }

  void append_header() {
    text_.text = "HloModule " + sanitized_name(message_.name());
    if (message_.schedule().sequences_size() > 0) add("is_scheduled", "true");
    append_aliases();
    append_donors();
    if (config_ && config_->alias_passthrough_params()) add("alias_passthrough_params", "true");
    append_entry_layout();
    append_device_counts();
    const std::string attributes = frontend_attributes_text(message_.frontend_attributes());
    if (attributes != "{}") add("frontend_attributes", attributes);
    text_.text += '\n';
  }

  void append_aliases() {
    if (message_.input_output_alias().entries_size() == 0) return;
    std::string text;
    for (const auto& entry : message_.input_output_alias().entries()) {
      constexpr int kMust = 2;
      text += text.empty() ? "{ " : ", ";
      text += shape_index_text(entry.output_shape_index()) + ": (" +
              std::to_string(entry.parameter_number()) + ", " +
              shape_index_text(entry.parameter_shape_index()) +
              (entry.kind() == kMust ? ", must-alias)" : ", may-alias)");
    }
    add("input_output_alias", text + " }");
  }

  void append_donors() {
    if (message_.buffer_donor().entries_size() == 0) return;
    std::string text;
    for (const auto& entry : message_.buffer_donor().entries()) {
      text += text.empty() ? "{ " : ", ";
      text += '(' + std::to_string(entry.parameter_number()) + ", " +
              shape_index_text(entry.parameter_shape_index()) + ')';
    }
    add("buffer_donor", text + " }");
  }

  void append_entry_layout() {
    if (!message_.has_host_program_shape()) return;
    std::vector<hlo::Shape> parameters;
    for (const hlo_proto::Shape& shape : message_.host_program_shape().parameters()) {
      parameters.push_back(shape_from(shape));
    }
    add("entry_computation_layout",
        '{' + to_string(hlo::Shape::tuple(std::move(parameters))) + "->" +
            to_string(shape_from(message_.host_program_shape().result())) + '}');
  }

  // The configuration knows; else the assignment of devices, as XLA takes it.
  void append_device_counts() {
    const hlo_proto::DeviceAssignment& devices = message_.device_assignment();
    int64_t replicas = config_ ? config_->replica_count() : devices.replica_count();
    int64_t partitions = config_ ? config_->num_partitions() : devices.computation_count();
    if (replicas > 1) add("replica_count", std::to_string(replicas));
    if (partitions > 1) add("num_partitions", std::to_string(partitions));
  }

  void append_stack_frames() {
    const hlo_proto::StackFrames& frames = message_.stack_frame_index();
    if (frames.stack_frames_size() == 0) return;
    std::string& out = text_.text;
    auto append_strings = [&](std::string_view title, const auto& strings) {
      out += '\n';
      out += title;
      out += '\n';
      int number = 0;
      for (const std::string& string : strings) {
        out += std::to_string(++number) + " \"" + escape(string) + "\"\n";
      }
    };
    append_strings("FileNames", frames.file_names());
    append_strings("FunctionNames", frames.function_names());
    out += "\nFileLocations\n";
    int number = 0;
    auto field = [&](std::string_view name, int64_t value) {
      out += name;
      out += '=' + std::to_string(std::max<int64_t>(value, 0));
    };
    for (const auto& location : frames.file_locations()) {
      out += std::to_string(++number);
      field(" {file_name_id", location.file_name_id());
      field(" function_name_id", location.function_name_id());
      field(" line", location.line());
      field(" end_line", location.end_line());
      field(" column", location.column());
      field(" end_column", location.end_column());
      out += "}\n";
    }
    out += "\nStackFrames\n";
    number = 0;
    for (const auto& frame : frames.stack_frames()) {
      out += std::to_string(++number);
      field(" {file_location_id", frame.file_location_id());
      field(" parent_frame_id", int64_t{frame.parent_frame_id()} + 1);
      out += "}\n";
    }
  }

  std::vector<int> printed_order(const Computation& computation,
                                 const InstructionsById& positions) const {
    std::vector<int> order;
    const auto& sequences = message_.schedule().sequences();
    auto sequence = sequences.find(computation.id());
    if (sequence == sequences.end()) {
      for (int i = 0; i < computation.instructions_size(); ++i) order.push_back(i);
      return order;
    }
    std::unordered_set<int> seen;
    for (int64_t id : sequence->second.instruction_ids()) {
      auto found = positions.find(static_cast<uint32_t>(id));
      if (found == positions.end() || !seen.insert(found->second).second) break;
      order.push_back(found->second);
    }
    if (static_cast<int>(order.size()) != computation.instructions_size()) {
      throw std::runtime_error("expected a schedule of " + computation.name() +
                               " with each of its instructions once");
    }
    return order;
  }

  void append_computation(const Computation& message, bool is_entry, Names& names) {
    const std::string name = names.take(message.name());
    ComputationText computation{message, {}, {}, -1, computations_, max_bytes_};
    Names inner;
    const auto count = static_cast<size_t>(message.instructions_size());
    inner.expect(count);
    computation.positions.reserve(count);
    computation.names.reserve(count);
    std::vector<std::pair<int64_t, int>> parameters;  // number, position
    for (int i = 0; i < message.instructions_size(); ++i) {
      if (message.instructions(i).opcode() == "parameter") {
        parameters.emplace_back(message.instructions(i).parameter_number(), i);
      }
      const auto id = static_cast<uint32_t>(message.instructions(i).id());
      if (!computation.positions.emplace(id, i).second) {
        throw std::runtime_error('%' + message.instructions(i).name() +
                                 ": expected an id of its own");
      }
      computation.names.push_back(inner.take(message.instructions(i).name()));
    }
    if (const auto root = computation.positions.find(static_cast<uint32_t>(message.root_id()));
        root != computation.positions.end()) {
      computation.root = root->second;
    }
    text_.order.push_back(printed_order(message, computation.positions));
    std::sort(parameters.begin(), parameters.end());
    append_head(computation, parameters, name, is_entry);
    for (int position : text_.order.back()) append_line(computation, position);
    text_.text += '}';
    if (!message.execution_thread().empty() && message.execution_thread() != "main") {
      text_.text += ", execution_thread=\"" + escape(message.execution_thread()) + '"';
    }
    text_.text += '\n';
    if (!computations_.emplace(message.id(), name).second) {
      throw std::runtime_error(message.name() + ": expected a computation id of its own");
    }
  }

  void append_head(const ComputationText& computation,
                   const std::vector<std::pair<int64_t, int>>& parameters, const std::string& name,
                   bool is_entry) {
    if (is_entry) text_.text += "ENTRY ";
    text_.text += '%' + name + " (";
    if (computation.root < 0) throw std::runtime_error(name + ": expected a root instruction");
    for (const auto& [number, position] : parameters) {
      if (number != parameters.front().first) text_.text += ", ";
      text_.text +=
          computation.names[static_cast<size_t>(position)] + ": " +
          to_string_without_layout(shape_from(computation.message.instructions(position).shape()));
    }
    text_.text += ") -> " +
                  to_string_without_layout(
                      shape_from(computation.message.instructions(computation.root).shape())) +
                  " {\n";
  }

  void append_line(const ComputationText& computation, int position) {
    text_.text += position == computation.root ? "  ROOT " : "  ";
    try {
      append_instruction(computation, position, text_.text);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error('%' + computation.names[static_cast<size_t>(position)] + ": " +
                               error.what());
    }
    text_.text += '\n';
  }

  const Module& message_;
  const hlo_proto::ModuleConfig* config_;
  size_t max_bytes_;
  int entry_ = 0;
  ComputationNames computations_;
  ModuleText text_;
};

}  // namespace

ModuleText module_text(const Module& message, const hlo_proto::ModuleConfig* config,
                       size_t max_bytes) {
  return ModulePrinter(message, config, max_bytes).print();
}

}  // namespace flipsat::frontends
