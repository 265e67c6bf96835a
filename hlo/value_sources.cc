#include "hlo/value_sources.h"

#include <algorithm>
#include <set>

namespace flipsat::hlo {
namespace {

// Places that one question may visit.
constexpr size_t kMaxVisited = 2000;

// An instruction and the position of an element inside its (nested) tuple.
struct Element {
  InstructionId id;
  std::vector<int64_t> path;
  auto operator<=>(const Element&) const = default;
};

ComputationId called(const Instruction& instruction, AttributeKey key) {
  const Attribute* attribute = instruction.find(key);
  const auto* list = attribute ? std::get_if<ComputationList>(&attribute->value) : nullptr;
  return list && list->size() == 1 ? list->front() : kNoId;
}

class SourceWalk {
 public:
  SourceWalk(const Module& module, const CallGraph& calls) : module_(module), calls_(calls) {}

  std::optional<std::vector<InstructionId>> from(InstructionId start, InstructionId& obstacle) {
    std::vector<InstructionId> sources;
    open({start, {}});
    while (!pending_.empty()) {
      Element element = std::move(pending_.back());
      pending_.pop_back();
      const Instruction& instruction = module_[element.id];
      bool is_copied_tuple = instruction.opcode == Opcode::kCopy && !element.path.empty();
      bool is_tuple = instruction.opcode == Opcode::kTuple && !element.path.empty();
      if (!passes_on(instruction.opcode) && !is_tuple && !is_copied_tuple) {
        if (!element.path.empty()) {
          obstacle = element.id;
          return std::nullopt;
        }
        sources.push_back(element.id);
        continue;
      }
      if (!step(element) || seen_.size() > kMaxVisited) {
        obstacle = element.id;
        return std::nullopt;
      }
    }
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    return sources;
  }

 private:
  void open(Element element) {
    if (seen_.insert(element).second) pending_.push_back(std::move(element));
  }

  bool open_operand(const Instruction& instruction, size_t number, std::vector<int64_t> path) {
    if (number >= instruction.operands.size()) return false;
    open({instruction.operands[number], std::move(path)});
    return true;
  }

  // False: the element is not passed on.
  bool step(const Element& element) {
    const Instruction& instruction = module_[element.id];
    std::vector<int64_t> path = element.path;
    switch (instruction.opcode) {
      case Opcode::kTuple: {
        size_t index = static_cast<size_t>(path.front());
        path.erase(path.begin());
        return open_operand(instruction, index, std::move(path));
      }
      case Opcode::kGetTupleElement:
        path.insert(path.begin(), instruction.tuple_index());
        return open_operand(instruction, 0, std::move(path));
      case Opcode::kOptBarrier:
      case Opcode::kCopy:
        return open_operand(instruction, 0, std::move(path));
      case Opcode::kCall:
      case Opcode::kFusion: {
        bool is_call = instruction.opcode == Opcode::kCall;
        ComputationId callee =
            called(instruction, is_call ? AttributeKey::kToApply : AttributeKey::kCalls);
        if (callee == kNoId) return false;
        open({module_.computations[callee].root, std::move(path)});
        return true;
      }
      case Opcode::kWhile:
        if (!is_unchanged(instruction, path)) return false;
        return open_operand(instruction, 0, std::move(path));
      case Opcode::kParameter:
        return step_out(instruction, path);
      default:
        return false;
    }
  }

  bool step_out(const Instruction& parameter, const std::vector<int64_t>& path) {
    const std::vector<CallSite>& sites = calls_.call_sites(parameter.computation);
    if (sites.empty()) return false;
    size_t number = static_cast<size_t>(parameter.parameter_number);
    for (const CallSite& site : sites) {
      const Instruction& call = module_[site.instruction];
      switch (site.role) {
        case CallSite::Role::kCall:
        case CallSite::Role::kFusion:
        case CallSite::Role::kAsync:
          if (!open_operand(call, number, path)) return false;
          break;
        case CallSite::Role::kWhileBody:
        case CallSite::Role::kWhileCondition:
          if (!is_unchanged(call, path) || !open_operand(call, 0, path)) return false;
          break;
        case CallSite::Role::kBranch: {
          ComputationList branches = call.called_computations();
          for (size_t b = 0; b < branches.size(); ++b) {
            if (branches[b] != parameter.computation) continue;
            if (!open_operand(call, b + 1, path)) return false;
          }
          break;
        }
        case CallSite::Role::kApply:
          return false;
      }
    }
    return true;
  }

  // Does the loop's body hand this element of its state on as it got it?
  bool is_unchanged(const Instruction& loop, std::vector<int64_t> path) {
    ComputationId body = called(loop, AttributeKey::kBody);
    if (body == kNoId) return false;
    const std::vector<int64_t> wanted = path;
    InstructionId id = module_.computations[body].root;
    for (size_t steps = 0; steps < kMaxVisited; ++steps) {
      const Instruction& instruction = module_[id];
      switch (instruction.opcode) {
        case Opcode::kParameter:
          return path == wanted;
        case Opcode::kTuple: {
          if (path.empty()) return false;
          size_t index = static_cast<size_t>(path.front());
          if (index >= instruction.operands.size()) return false;
          path.erase(path.begin());
          id = instruction.operands[index];
          break;
        }
        case Opcode::kGetTupleElement:
          path.insert(path.begin(), instruction.tuple_index());
          id = instruction.operands[0];
          break;
        case Opcode::kCopy:
        case Opcode::kOptBarrier:
          id = instruction.operands[0];
          break;
        default:
          return false;
      }
    }
    return false;
  }

  const Module& module_;
  const CallGraph& calls_;
  std::vector<Element> pending_;
  std::set<Element> seen_;
};

}  // namespace

bool passes_on(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kGetTupleElement:
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kWhile:
    case Opcode::kOptBarrier:
      return true;
    default:
      return false;
  }
}

std::optional<std::vector<InstructionId>> value_sources(const Module& module,
                                                        const CallGraph& calls, InstructionId id,
                                                        InstructionId& obstacle) {
  return SourceWalk(module, calls).from(id, obstacle);
}

}  // namespace flipsat::hlo
