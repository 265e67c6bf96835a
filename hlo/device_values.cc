#include "hlo/device_values.h"

#include <unordered_map>

#include "hlo/device_array.h"
#include "hlo/value_sources.h"

namespace flipsat::hlo {

// Demand-driven and memoised. An instruction waits on an explicit stack until what it needs is
// done; one that (through several callers of one computation) needs itself is unknown.
struct DeviceValues::Evaluator {
  Evaluator(const Module& module, const DeviceCounts& counts, const CallGraph& calls)
      : module(module), counts(counts), calls(calls) {}

  struct Entry {
    bool is_done = false;
    bool passes_on = false;                    // its value is that of each of `needs`
    std::vector<InstructionId> needs;          // what it is computed from
    size_t next_need = 0;                      // the first of them that was not looked at
    std::shared_ptr<const DeviceArray> array;  // null: unknown
    std::shared_ptr<const std::string> why;    // why it is unknown; null: nothing special
  };

  const Entry& evaluate(InstructionId wanted) {
    std::vector<InstructionId> stack;  // the instructions that wait, each for the next
    auto open = [&](InstructionId id) {
      auto [it, is_new] = entries.try_emplace(id);
      if (!is_new) return false;
      start(id, it->second);
      if (it->second.is_done) return false;
      stack.push_back(id);
      return true;
    };
    open(wanted);
    while (!stack.empty()) {
      Entry& entry = entries.at(stack.back());
      bool waits = false;
      while (!waits && entry.next_need < entry.needs.size()) {
        waits = open(entry.needs[entry.next_need++]);
      }
      if (waits) continue;
      finish(stack.back(), entry);
      stack.pop_back();
    }
    return entries.at(wanted);
  }

  // Decides what an instruction needs, or that it is done.
  void start(InstructionId id, Entry& entry) {
    const Instruction& instruction = module[id];
    const Shape& shape = instruction.shape;
    bool is_integer_array =
        shape.is_array() && (is_integer(shape.type) || shape.type == ElementType::kPred);
    if (!is_integer_array || !shape.is_static()) return unknown(entry);
    switch (instruction.opcode) {
      case Opcode::kConstant:
        return constant(instruction, entry);
      case Opcode::kPartitionId:
      case Opcode::kReplicaId:
        return device_id(instruction, entry);
      default:
        break;
    }
    if (passes_on(instruction.opcode)) {
      InstructionId obstacle = id;
      auto sources = value_sources(module, calls, id, obstacle);
      if (!sources || sources->empty()) return unknown(entry);
      entry.passes_on = true;
      entry.needs = std::move(*sources);
      return;
    }
    if (!is_computable(instruction.opcode)) return unknown(entry);
    entry.needs = instruction.operands;
  }

  void finish(InstructionId id, Entry& entry) {
    std::vector<const DeviceArray*> operands;
    for (InstructionId need : entry.needs) {
      const Entry& source = entries.at(need);
      if (!source.array) return unknown(entry, source.why);
      operands.push_back(source.array.get());
    }
    if (entry.passes_on) {
      for (const DeviceArray* other : operands) {
        bool agrees = other->same_everywhere == operands[0]->same_everywhere &&
                      other->values == operands[0]->values;
        if (!agrees) return unknown(entry);
      }
      entry.array = entries.at(entry.needs[0]).array;
    } else {
      std::optional<DeviceArray> result =
          compute_device_array(module[id], operands, counts.devices());
      if (result) entry.array = std::make_shared<const DeviceArray>(std::move(*result));
    }
    entry.is_done = true;
  }

  void unknown(Entry& entry, std::shared_ptr<const std::string> why = nullptr) {
    entry.array = nullptr;
    entry.why = std::move(why);
    entry.is_done = true;
  }

  void constant(const Instruction& instruction, Entry& entry) {
    std::optional<DeviceArray> array;
    if (instruction.literal) array = constant_device_array(*instruction.literal);
    if (array) {
      entry.array = std::make_shared<const DeviceArray>(std::move(*array));
    } else if (instruction.literal && instruction.literal->elided) {
      return unknown(entry, std::make_shared<const std::string>(
                                "the table %" + instruction.name +
                                " is elided; dump with --xla_dump_large_constants"));
    }
    entry.is_done = true;
  }

  void device_id(const Instruction& instruction, Entry& entry) {
    if (!counts.known) {
      return unknown(entry,
                     std::make_shared<const std::string>("the number of devices behind %" +
                                                         instruction.name + " is not known"));
    }
    auto array = std::make_shared<DeviceArray>();
    array->type = instruction.shape.type;
    array->same_everywhere = false;
    for (int64_t device = 0; device < counts.devices(); ++device) {
      bool is_partition = instruction.opcode == Opcode::kPartitionId;
      array->values.push_back(is_partition ? device % counts.partitions
                                           : device / counts.partitions);
    }
    entry.array = std::move(array);
    entry.is_done = true;
  }

  const Module& module;
  const DeviceCounts counts;
  const CallGraph& calls;
  std::unordered_map<InstructionId, Entry> entries;
  std::string why;
};

DeviceValues::DeviceValues(const Module& module, const DeviceCounts& counts, const CallGraph& calls)
    : evaluator_(std::make_unique<Evaluator>(module, counts, calls)) {}

DeviceValues::~DeviceValues() = default;

std::optional<std::vector<std::vector<int64_t>>> DeviceValues::array(InstructionId id) {
  const Evaluator::Entry& entry = evaluator_->evaluate(id);
  evaluator_->why = entry.why ? *entry.why : std::string();
  if (!entry.array) return std::nullopt;
  const DeviceArray& array = *entry.array;
  int64_t copies = array.same_everywhere ? 1 : evaluator_->counts.devices();
  int64_t count = array.element_count();
  std::vector<std::vector<int64_t>> values;
  values.reserve(copies);
  for (int64_t device = 0; device < copies; ++device) {
    auto begin = array.values.begin() + device * count;
    values.emplace_back(begin, begin + count);
  }
  return values;
}

std::optional<std::vector<int64_t>> DeviceValues::scalar(InstructionId id) {
  const Evaluator::Entry& entry = evaluator_->evaluate(id);
  evaluator_->why = entry.why ? *entry.why : std::string();
  if (!entry.array || entry.array->element_count() != 1) return std::nullopt;
  std::vector<int64_t> values(evaluator_->counts.devices());
  for (size_t device = 0; device < values.size(); ++device) {
    values[device] = entry.array->at(static_cast<int64_t>(device), 0);
  }
  return values;
}

const std::string& DeviceValues::why_unknown() const { return evaluator_->why; }

}  // namespace flipsat::hlo
