#include "tests/random_programs/shrink.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "frontends/text/text.h"
#include "hlo/input_error.h"
#include "hlo/verifier.h"

namespace flipsat::random_programs {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

// Drops computations that nobody calls and, except where dead code is what fails, what no root
// needs, entry parameters included. Numbers parameters anew.
void sweep(Module& module, bool keeps_dead) {
  std::set<hlo::ComputationId> reached;
  for (size_t i = module.order.size(); i-- > 0;) {  // callers come last
    const hlo::ComputationId id = module.order[i];
    hlo::Computation& computation = module.computations[id];
    if (id != module.entry && !reached.count(id)) continue;
    reached.insert(id);
    std::set<InstructionId> needed;
    std::vector<InstructionId> stack{computation.root};
    while (!stack.empty()) {
      const InstructionId at = stack.back();
      stack.pop_back();
      if (!needed.insert(at).second) continue;
      for (InstructionId operand : module[at].operands) stack.push_back(operand);
      for (InstructionId before : module[at].control_predecessors()) stack.push_back(before);
    }
    for (InstructionId at : computation.instructions) {
      if (!needed.count(at) && !keeps_dead) continue;
      for (hlo::ComputationId callee : module[at].called_computations()) reached.insert(callee);
    }
    std::vector<InstructionId> kept;
    if (id == module.entry) computation.parameters.clear();
    for (InstructionId at : computation.instructions) {
      const bool is_parameter = module[at].opcode == Opcode::kParameter;
      const bool stays = keeps_dead || needed.count(at) || (is_parameter && id != module.entry);
      if (!stays) continue;
      kept.push_back(at);
      if (!is_parameter || id != module.entry) continue;
      module[at].parameter_number = static_cast<int64_t>(computation.parameters.size());
      computation.parameters.push_back(at);
    }
    computation.instructions = std::move(kept);
  }
  std::erase_if(module.order, [&](hlo::ComputationId id) { return !reached.count(id); });
}

std::optional<std::string> printed(Module module, bool keeps_dead) {
  sweep(module, keeps_dead);
  const auto text_of_attributes = std::exchange(module.source, nullptr);
  for (hlo::Instruction& instruction : module.instructions) {
    instruction.touched = true;
    instruction.text = instruction.operands_text = {};
  }
  try {
    std::string text = frontends::write_text(module);
    const Module again = frontends::read_text(text, "shrunk");
    hlo::verify_module(again, hlo::infer_device_counts(again, {}));
    return text;
  } catch (const hlo::InputError&) {
    return std::nullopt;
  }
}

class Shrinker {
 public:
  Shrinker(std::string text, const std::function<bool(const std::string&)>& fails, int trials)
      : text_(std::move(text)), fails_(fails), trials_(trials) {}

  std::string run() {
    if (!keeps_failing(read())) keeps_dead_ = true;
    for (bool smaller = true; smaller && trials_ > 0;) smaller = pass();
    return text_;
  }

 private:
  bool keeps_failing(Module module) {
    std::optional<std::string> candidate = printed(std::move(module), keeps_dead_);
    if (!candidate || *candidate == text_ || trials_-- <= 0 || !fails_(*candidate)) return false;
    text_ = std::move(*candidate);
    return true;
  }

  Module read() const { return frontends::read_text(text_, "shrunk"); }

  // Each kind of change at each place once; places are counted from the end of the module.
  bool pass() {
    bool any = false;
    for (auto change :
         {&Shrinker::without_this, &Shrinker::with_this_root, &Shrinker::without_results,
          &Shrinker::as_parameter, &Shrinker::as_operand, &Shrinker::without_attributes}) {
      size_t count = 0;
      for (size_t i = 0; i < (count = read().instructions.size()) && trials_ > 0; ++i) {
        Module module = read();
        const InstructionId id = static_cast<InstructionId>(count - 1 - i);
        if (hlo::live_instructions(module)[id] && (this->*change)(module, id)) {
          any |= keeps_failing(std::move(module));
        }
      }
    }
    return any;
  }

  bool with_this_root(Module& module, InstructionId id) {
    if (module[id].computation != module.entry) return false;
    if (module.entry_computation().root == id || !module[id].shape.is_array()) return false;
    module.computations[module.entry].root = id;
    std::erase_if(module.header, [](const hlo::HeaderAttribute& attribute) {
      return attribute.name == "entry_computation_layout";
    });
    return true;
  }

  // Half of the entry's results, then single ones.
  bool without_results(Module& module, InstructionId id) {
    hlo::Instruction& root = module[module.entry_computation().root];
    if (root.opcode != Opcode::kTuple || root.operands.size() < 2) return false;
    auto at = std::find(root.operands.begin(), root.operands.end(), id);
    if (at == root.operands.end()) return false;
    std::vector<hlo::Shape> parts = *root.shape.parts;
    parts.erase(parts.begin() + (at - root.operands.begin()));
    root.operands.erase(at);
    root.shape = hlo::Shape::tuple(std::move(parts));
    return true;
  }

  bool as_parameter(Module& module, InstructionId id) {
    hlo::Instruction& in = module[id];
    if (in.computation != module.entry || in.opcode == Opcode::kParameter) return false;
    if (!in.shape.is_array() || in.opcode == Opcode::kConstant) return false;
    in.opcode = Opcode::kParameter;
    in.operands.clear();
    in.attributes.clear();
    in.parameter_number = 0;  // `sweep` numbers them
    return true;
  }

  // In computations whose parameters are given.
  bool as_constant(Module& module, InstructionId id) {
    hlo::Instruction& in = module[id];
    if (in.computation == module.entry || in.operands.empty()) return false;
    if (!in.shape.is_array() || hlo::is_complex(in.shape.type)) return false;
    auto literal = std::make_shared<hlo::Literal>();
    literal->shape = in.shape;
    const size_t bytes = static_cast<size_t>(hlo::byte_width(in.shape.type));
    literal->bytes.assign(static_cast<size_t>(in.shape.element_count()) * bytes, 0);
    in.opcode = Opcode::kConstant;
    in.operands.clear();
    in.attributes.clear();
    in.literal = std::move(literal);
    return true;
  }

  bool without_this(Module& module, InstructionId id) {
    if (!keeps_dead_ || !hlo::users_of(module)[id].empty()) return false;
    hlo::Computation& computation = module.computations[module[id].computation];
    if (computation.root == id) return false;
    if (module[id].opcode == Opcode::kParameter && !computation.is_entry) return false;
    std::erase(computation.instructions, id);
    return true;
  }

  bool as_operand(Module& module, InstructionId id) {
    for (InstructionId operand : module[id].operands) {
      if (!module[operand].shape.same_value_shape(module[id].shape)) continue;
      for (hlo::Instruction& user : module.instructions) {
        std::replace(user.operands.begin(), user.operands.end(), id, operand);
      }
      hlo::Computation& computation = module.computations[module[id].computation];
      if (computation.root == id) computation.root = operand;
      return true;
    }
    return false;
  }

  bool without_attributes(Module& module, InstructionId id) {
    bool any = false;
    for (hlo::AttributeKey key :
         {hlo::AttributeKey::kMetadata, hlo::AttributeKey::kFrontendAttributes,
          hlo::AttributeKey::kControlPredecessors, hlo::AttributeKey::kBackendConfig,
          hlo::AttributeKey::kSharding}) {
      if (!module[id].has(key)) continue;
      module[id].erase(key);
      any = true;
    }
    return any;
  }

  std::string text_;
  const std::function<bool(const std::string&)>& fails_;
  int trials_;
  bool keeps_dead_ = false;
};

}  // namespace

std::string shrink(const std::string& text, const std::function<bool(const std::string&)>& fails,
                   int trials) {
  try {
    return Shrinker(text, fails, trials).run();
  } catch (const hlo::InputError&) {
    return text;  // no module to begin with
  }
}

}  // namespace flipsat::random_programs
