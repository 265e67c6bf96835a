#include "frontends/proto/instruction_text.h"

#include <stdexcept>

#include "frontends/proto/attribute_table.h"
#include "frontends/proto/literal_message.h"
#include "frontends/proto/metadata_message.h"
#include "frontends/proto/raw_attributes.h"
#include "frontends/proto/shape_message.h"
#include "frontends/proto/sharding_message.h"
#include "frontends/text/literal_printer.h"
#include "frontends/text/scanner.h"

namespace flipsat::frontends {

using hlo_proto::Instruction;

namespace {

// Long names that are used often: the text may be far longer than the message.
void check_text_size(size_t size, size_t max_bytes) {
  if (size <= max_bytes) return;
  throw std::runtime_error("expected a module that is not many times longer as text");
}

class InstructionPrinter {
 public:
  InstructionPrinter(const ComputationText& computation, const Instruction& message,
                     std::string& out)
      : computation_(computation), message_(message), out_(out) {}

  void append(const std::string& name) {
    ((out_ += '%') += name) += " = ";
    append_shape(message_.shape(), out_);
    out_ += ' ';
    (out_ += message_.opcode()) += '(';
    append_operands();
    out_ += ')';
    append_raw_attributes(message_, true, out_);
    append_table_attributes(message_, out_);
    append_raw_attributes(message_, false, out_);
    append_comparison_type();
    append_called();
    append_common();
  }

 private:
  void check_size() const { check_text_size(out_.size(), computation_.max_bytes); }

  int position_of(int64_t id) const {
    auto found = computation_.positions.find(static_cast<uint32_t>(id));
    if (found == computation_.positions.end()) {
      throw std::runtime_error("expected an instruction of the same computation, found id " +
                               std::to_string(id));
    }
    return found->second;
  }

  const Instruction& instruction(int64_t id) const {
    return computation_.message.instructions(position_of(id));
  }

  const std::string& name_of(int64_t id) const {
    return computation_.names[static_cast<size_t>(position_of(id))];
  }

  void append_operands() {
    if (message_.opcode() == "parameter") {
      out_ += std::to_string(message_.parameter_number());
    } else if (message_.opcode() == "constant") {
      if (!message_.has_literal()) throw std::runtime_error("expected a literal");
      const hlo::LiteralRef literal = literal_from(message_.literal());
      if (!literal->shape.same_value_shape(shape_from(message_.shape()))) {
        throw std::runtime_error("expected a literal of the constant's shape");
      }
      append_literal(*literal, out_);
    }
    constexpr int kBetweenIndexComments = 5;
    for (int i = 0; i < message_.operand_ids_size(); ++i) {
      if (i > 0) out_ += ", ";
      if (i > 0 && i % kBetweenIndexComments == 0) out_ += "/*index=" + std::to_string(i) + "*/";
      (out_ += '%') += name_of(message_.operand_ids(i));
      check_size();
    }
  }

  // XLA prints the type only where it is not the one that the operands suggest.
  void append_comparison_type() {
    const std::string& type = message_.comparison_type();
    if (message_.opcode() != "compare" || type.empty() || message_.operand_ids_size() == 0) return;
    const auto element =
        element_type_of(instruction(message_.operand_ids(0)).shape().element_type());
    if (!element || type != default_comparison_type(*element)) out_ += ", type=" + type;
  }

  const std::string& computation_name(int64_t id) const {
    auto found = computation_.computations.find(id);
    if (found == computation_.computations.end()) {
      throw std::runtime_error("expected a computation that comes before, found id " +
                               std::to_string(id));
    }
    return found->second;
  }

  void append_called() {
    const int count = message_.called_computation_ids_size();
    if (count == 0) return;
    const std::string& opcode = message_.opcode();
    auto one = [&](std::string_view word, int index) {
      if (index >= count) throw std::runtime_error("expected more called computations");
      out_ += ", ";
      out_ += word;
      out_ += "=%" + computation_name(message_.called_computation_ids(index));
    };
    if (opcode == "while") {
      one("condition", 1);
      one("body", 0);
    } else if (opcode == "select-and-scatter") {
      one("select", 0);
      one("scatter", 1);
    } else if (opcode == "conditional" && branches_by_pred()) {
      one("true_computation", 0);
      one("false_computation", 1);
    } else if (opcode == "conditional") {
      append_list("branch_computations");
    } else if (opcode == "custom-call") {
      append_list("called_computations");
    } else if (opcode == "fusion" || opcode.starts_with("async-")) {
      one("calls", 0);
    } else {
      one("to_apply", 0);
    }
  }

  bool branches_by_pred() const {
    return message_.operand_ids_size() > 0 &&
           instruction(message_.operand_ids(0)).shape().element_type() ==
               static_cast<int>(hlo::ElementType::kPred);
  }

  void append_list(std::string_view word) {
    (out_ += ", ") += word;
    out_ += "={";
    for (int i = 0; i < message_.called_computation_ids_size(); ++i) {
      out_ += (i > 0 ? ", %" : "%") + computation_name(message_.called_computation_ids(i));
      check_size();
    }
    out_ += '}';
  }

  void append_common() {
    auto add = [&](std::string_view name, const std::string& text) {
      if (text == "{}") return;
      (out_ += ", ") += name;
      (out_ += '=') += text;
    };
    if (message_.has_parameter_replication()) {
      std::string text;
      for (bool value : message_.parameter_replication().replicated_at_leaf_buffers()) {
        (text += text.empty() ? "" : ",") += value ? "true" : "false";
      }
      add("parameter_replication", '{' + text + '}');
    }
    if (message_.has_sharding()) {
      if (auto text = sharding_text(message_.sharding())) {
        out_ += ", sharding=" + *text;  // `{}` is a tuple of none
      }
    }
    if (message_.has_frontend_attributes()) {
      add("frontend_attributes", frontend_attributes_text(message_.frontend_attributes()));
    }
    if (message_.control_predecessor_ids_size() > 0) {
      std::string text;
      for (int64_t id : message_.control_predecessor_ids()) {
        (text += text.empty() ? "%" : ", %") += name_of(id);
        check_text_size(text.size(), computation_.max_bytes);
      }
      add("control-predecessors", '{' + text + '}');
    }
    if (message_.statistics().statistics_size() > 0) {
      add("statistics", statistics_text(message_.statistics()));
    }
    if (message_.has_metadata()) add("metadata", metadata_text(message_.metadata()));
    const std::string& config = message_.backend_config();
    if (config.empty()) return;
    out_ += ", backend_config=" + (is_braced_json(config) ? config : '"' + escape(config) + '"');
  }

  const ComputationText& computation_;
  const Instruction& message_;
  std::string& out_;
};

}  // namespace

std::string_view default_comparison_type(hlo::ElementType type) {
  if (hlo::is_float(type) || hlo::is_complex(type)) return "FLOAT";
  return hlo::is_signed_integer(type) ? "SIGNED" : "UNSIGNED";
}

void append_instruction(const ComputationText& computation, int position, std::string& out) {
  InstructionPrinter(computation, computation.message.instructions(position), out)
      .append(computation.names[static_cast<size_t>(position)]);
  check_text_size(out.size(), computation.max_bytes);
}

}  // namespace flipsat::frontends
