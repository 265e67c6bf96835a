#include "frontends/proto/module_message.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "frontends/proto/header_message.h"
#include "frontends/proto/instruction_message.h"
#include "frontends/proto/shape_message.h"
#include "frontends/proto/unique_names.h"
#include "hlo/input_error.h"

namespace flipsat::frontends {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Module;

namespace {

constexpr int kIdBits = 32;

// Ids of old files are small and unique in the module; newer ones have the computation's above.
class InstructionIds {
 public:
  explicit InstructionIds(const hlo_proto::Module* original) {
    if (!original) return;
    for (const hlo_proto::Computation& computation : original->computations()) {
      int64_t& largest = largest_[computation.id()];
      for (const hlo_proto::Instruction& instruction : computation.instructions()) {
        has_high_part_ = has_high_part_ || instruction.id() >> kIdBits != 0;
        largest = std::max(largest, instruction.id());
        largest_of_all_ = std::max(largest_of_all_, instruction.id());
      }
    }
  }

  int64_t fresh(int64_t computation) {
    if (!has_high_part_) return ++largest_of_all_;
    int64_t& largest = largest_[computation];
    largest = std::max(largest, computation << kIdBits);
    return ++largest;
  }

 private:
  bool has_high_part_ = false;
  int64_t largest_of_all_ = 0;
  std::unordered_map<int64_t, int64_t> largest_;  // by computation
};

class ModulePatch {
 public:
  ModulePatch(const Module& module, const CarriedProto* carried, hlo_proto::Module* message)
      : module_(module),
        carried_(carried),
        original_(carried ? carried->file.module : nullptr),
        message_(message),
        ids_(original_),
        id_of_(module.instructions.size(), -1),
        original_of_(module.instructions.size()),
        computation_id_of_(module.computations.size(), -1) {}

  bool apply() {
    if (original_) {
      *message_ = *original_;
      message_->clear_computations();
    } else {
      set_header(module_, message_);
    }
    find_computations();
    find_instructions();
    for (ComputationId id : module_.order) append_computation(id);
    const int64_t entry = computation_id_of_[module_.entry];
    message_->set_entry_computation_id(entry);
    if (!original_) message_->set_entry_computation_name(module_.entry_computation().name);
    if (!original_ && module_.is_scheduled) add_schedule();
    return changed_ || !original_ ||
           message_->computations_size() != original_->computations_size();
  }

 private:
  void find_computations() {
    int64_t largest = 0;
    if (original_) {
      for (const auto& computation : original_->computations()) {
        largest = std::max(largest, computation.id());
      }
    }
    for (ComputationId id : module_.order) {
      const int position = original_position(id);
      if (position >= 0) {
        computation_id_of_[id] = original_->computations(position).id();
      } else {
        computation_id_of_[id] = ++largest;
      }
    }
  }

  int original_position(ComputationId id) const {
    const hlo::SourceSpan span = module_.computations[id].text;
    if (!carried_ || span.empty()) return -1;
    auto found = carried_->computations.find(span.begin);
    return found == carried_->computations.end() ? -1 : found->second;
  }

  // Originals keep their ids; what took over a replaced one's name takes its id as well.
  void find_instructions() {
    std::unordered_set<const hlo_proto::Instruction*> claimed;
    for (ComputationId computation : module_.order) {
      for (InstructionId id : module_.computations[computation].instructions) {
        const hlo_proto::Instruction* original = original_instruction(id);
        if (!original || !claimed.insert(original).second) continue;
        original_of_[id] = original;
        id_of_[id] = original->id();
      }
    }
    for (ComputationId computation : module_.order) {
      std::unordered_map<std::string_view, int64_t> replaced = replaced_ids(computation, claimed);
      for (InstructionId id : module_.computations[computation].instructions) {
        if (id_of_[id] >= 0) continue;
        auto found = replaced.find(module_[id].name);
        if (found != replaced.end()) {
          id_of_[id] = found->second;
          replaced.erase(found);
        } else {
          id_of_[id] = ids_.fresh(computation_id_of_[computation]);
        }
      }
    }
  }

  const hlo_proto::Instruction* original_instruction(InstructionId id) const {
    if (!carried_ || module_[id].text.empty()) return nullptr;
    auto found = carried_->instructions.find(module_[id].text.begin);
    if (found == carried_->instructions.end()) return nullptr;
    const auto [computation, position] = found->second;
    if (original_position(module_[id].computation) != computation) return nullptr;
    return &original_->computations(computation).instructions(position);
  }

  std::unordered_map<std::string_view, int64_t> replaced_ids(
      ComputationId computation,
      const std::unordered_set<const hlo_proto::Instruction*>& claimed) const {
    std::unordered_map<std::string_view, int64_t> ids;
    const int position = original_position(computation);
    if (position < 0) return ids;
    for (const auto& instruction : original_->computations(position).instructions()) {
      if (!claimed.contains(&instruction)) ids.emplace(instruction.name(), instruction.id());
    }
    return ids;
  }

  void append_computation(ComputationId id) {
    const hlo::Computation& computation = module_.computations[id];
    const int position = original_position(id);
    const hlo_proto::Computation* original =
        position < 0 ? nullptr : &original_->computations(position);
    changed_ = changed_ || position != message_->computations_size();
    hlo_proto::Computation* message = message_->add_computations();
    if (original) {
      *message = *original;
      message->clear_instructions();
    } else {
      message->set_name(computation.name);
      message->set_id(computation_id_of_[id]);
      message->set_execution_thread(
          computation.execution_thread.empty() ? "main" : computation.execution_thread);
      message->set_is_fusion_computation(is_fused(id));
    }
    bool same = original != nullptr;
    for (InstructionId instruction : computation.instructions) {
      same = append_instruction(instruction, message) && same;
    }
    same = same && has_same_list(*original, *message);
    message->set_root_id(id_of_[computation.root]);
    if (same && message->root_id() == original->root_id()) return;
    changed_ = true;
    if (!has_same_signature(computation, message)) {
      set_program_shape(module_, computation, message->mutable_program_shape());
    }
    if (original) patch_schedule(id, message->id());
  }

  // True where the message is the original's.
  bool append_instruction(InstructionId id, hlo_proto::Computation* computation) {
    const hlo::Instruction& instruction = module_[id];
    const hlo_proto::Instruction* original = original_of_[id];
    hlo_proto::Instruction* message = computation->add_instructions();
    const bool keeps = original && !instruction.touched;
    if (keeps) {
      *message = *original;
    } else {
      try {
        set_instruction(module_, instruction, original, message);
      } catch (const std::runtime_error& error) {
        throw hlo::InputError({module_.file, static_cast<int>(instruction.line), 1},
                              '%' + instruction.name + ": " + error.what());
      }
      message->set_id(id_of_[id]);
      if (!original_) message->set_name(names_.take(message->name()));
    }
    return set_references(instruction, message) && keeps;
  }

  // True where all of them were so already.
  bool set_references(const hlo::Instruction& instruction, hlo_proto::Instruction* message) {
    using Ids = google::protobuf::RepeatedField<int64_t>;
    Ids operands, predecessors, called;
    for (InstructionId operand : instruction.operands) operands.Add(id_of_[operand]);
    for (InstructionId other : instruction.control_predecessors()) {
      predecessors.Add(id_of_[other]);
    }
    for (ComputationId callee : called_in_order(instruction)) {
      called.Add(computation_id_of_[callee]);
    }
    bool same = true;
    auto set = [&](Ids& wanted, Ids* field) {
      auto low = [](int64_t a, int64_t b) {
        return static_cast<uint32_t>(a) == static_cast<uint32_t>(b);
      };
      if (std::equal(wanted.begin(), wanted.end(), field->begin(), field->end(), low)) return;
      same = false;
      field->Swap(&wanted);
    };
    set(operands, message->mutable_operand_ids());
    set(predecessors, message->mutable_control_predecessor_ids());
    set(called, message->mutable_called_computation_ids());
    return same;
  }

  static bool has_same_list(const hlo_proto::Computation& a, const hlo_proto::Computation& b) {
    return std::equal(a.instructions().begin(), a.instructions().end(), b.instructions().begin(),
                      b.instructions().end(),
                      [](const auto& one, const auto& other) { return one.id() == other.id(); });
  }

  // Signatures are not read, so nothing has refused a bad one yet.
  static bool says(const hlo_proto::Shape& message, const hlo::Shape& shape) {
    try {
      return shape_from(message) == shape;
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  bool has_same_signature(const hlo::Computation& computation,
                          const hlo_proto::Computation* message) const {
    if (!message->has_program_shape()) return false;
    const hlo_proto::ProgramShape& shape = message->program_shape();
    if (shape.parameters_size() != static_cast<int>(computation.parameters.size())) return false;
    for (int i = 0; i < shape.parameters_size(); ++i) {
      const InstructionId parameter = computation.parameters[static_cast<size_t>(i)];
      if (!says(shape.parameters(i), module_[parameter].shape)) return false;
    }
    return says(shape.result(), module_[computation.root].shape);
  }

  bool is_fused(ComputationId id) {
    if (!found_fused_) {
      found_fused_ = true;
      for (ComputationId computation : module_.order) {
        for (InstructionId instruction : module_.computations[computation].instructions) {
          if (module_[instruction].opcode != hlo::Opcode::kFusion) continue;
          for (ComputationId callee : module_[instruction].called_computations()) {
            fused_.insert(callee);
          }
        }
      }
    }
    return fused_.contains(id);
  }

  void set_sequence(ComputationId id, hlo_proto::Schedule::Sequence* sequence) {
    sequence->clear_instruction_ids();
    for (InstructionId instruction : module_.computations[id].instructions) {
      sequence->add_instruction_ids(id_of_[instruction]);
    }
  }

  void patch_schedule(ComputationId id, int64_t message_id) {
    auto* sequences = message_->mutable_schedule()->mutable_sequences();
    auto found = sequences->find(message_id);
    if (found != sequences->end()) set_sequence(id, &found->second);
    if (sequences->empty() && !original_->has_schedule()) message_->clear_schedule();
  }

  void add_schedule() {
    for (ComputationId id : module_.order) {
      if (is_fused(id)) continue;
      set_sequence(id,
                   &(*message_->mutable_schedule()->mutable_sequences())[computation_id_of_[id]]);
    }
  }

  const Module& module_;
  const CarriedProto* carried_;
  const hlo_proto::Module* original_;
  hlo_proto::Module* message_;
  InstructionIds ids_;
  UniqueNames names_;
  std::vector<int64_t> id_of_;
  std::vector<const hlo_proto::Instruction*> original_of_;
  std::vector<int64_t> computation_id_of_;
  bool changed_ = false;
  bool found_fused_ = false;
  std::unordered_set<ComputationId> fused_;
};

}  // namespace

bool set_module(const Module& module, const CarriedProto* carried, hlo_proto::Module* message) {
  return ModulePatch(module, carried, message).apply();
}

}  // namespace flipsat::frontends
