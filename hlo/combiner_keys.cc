#include "hlo/combiner_keys.h"

#include "hlo/frontend_attributes.h"

namespace flipsat::hlo {
namespace {

const CombinerOptions::Limits& limits_of(const CombinerOptions& options, CombinerKind kind) {
  switch (kind) {
    case CombinerKind::kAllGather:
      return options.all_gather;
    case CombinerKind::kAllReduce:
      return options.all_reduce;
    case CombinerKind::kReduceScatter:
      return options.reduce_scatter;
    case CombinerKind::kCollectivePermute:
      break;
  }
  return options.collective_permute;
}

}  // namespace

std::optional<CombinerKind> combiner_kind(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
      return CombinerKind::kAllGather;
    case Opcode::kAllReduce:
      return CombinerKind::kAllReduce;
    case Opcode::kReduceScatter:
      return CombinerKind::kReduceScatter;
    case Opcode::kCollectivePermute:
      return CombinerKind::kCollectivePermute;
    default:
      return std::nullopt;
  }
}

std::optional<CombinerGraph::Candidate> CombinerKeys::candidate(const Module& module,
                                                                const Instruction& instruction) {
  std::optional<CombinerKind> kind = combiner_kind(instruction.opcode);
  if (!kind || !limits_of(options_, *kind).enabled) return std::nullopt;
  if (instruction.operands.size() != 1) return std::nullopt;
  if (!instruction.control_predecessors().empty()) return std::nullopt;

  Key key{static_cast<int64_t>(*kind), instruction.channel_id().has_value(),
          instruction.bool_attribute(AttributeKey::kUseGlobalDeviceIds, false)};
  bool is_scatter = *kind == CombinerKind::kReduceScatter;
  if (*kind == CombinerKind::kAllReduce || is_scatter) {
    if (frontend_attribute(instruction, "_scheduling_group_id")) return std::nullopt;
    if (!append_reducer(module, instruction, is_scatter, key)) return std::nullopt;
  }
  if (*kind == CombinerKind::kAllGather || is_scatter) {
    const IntList& dims = instruction.dimensions();
    key.push_back(options_.by_dim && !dims.empty() ? dims.front() : -1);
  }
  if (*kind == CombinerKind::kAllGather) {
    key.push_back(options_.combine_different_types ? 0
                                                   : static_cast<int64_t>(instruction.shape.type));
  }
  append_groups(instruction, key);
  for (const char* name : {"combiner_key", "collective_group_key"}) {
    key.push_back(interned(frontend_attribute(instruction, name).value_or("")));
  }
  auto number = static_cast<uint32_t>(keys_.size());
  return CombinerGraph::Candidate{static_cast<uint8_t>(*kind),
                                  keys_.emplace(std::move(key), number).first->second,
                                  instruction.shape.byte_size()};
}

bool CombinerKeys::append_reducer(const Module& module, const Instruction& instruction,
                                  bool recognised, Key& key) {
  ComputationList called = instruction.called_computations();
  if (called.size() != 1) return false;
  ComputationId reducer = called.front();
  auto [root, is_new] = roots_.try_emplace(reducer);
  if (is_new) {
    root->second = combiner_reducer(module, reducer);
    is_recognised_[reducer] = recognise_reducer(module, reducer).has_value();
  }
  if (!root->second || (recognised && !is_recognised_[reducer])) return false;
  key.push_back(static_cast<int64_t>(root->second->root_opcode));
  key.push_back(static_cast<int64_t>(root->second->root_type));
  return true;
}

void CombinerKeys::append_groups(const Instruction& instruction, Key& key) {
  const Attribute* groups = instruction.find(AttributeKey::kReplicaGroups);
  const Attribute* pairs = instruction.find(AttributeKey::kSourceTargetPairs);
  static const IntLists kNone;
  const IntLists* lists = &kNone;
  if (groups) {
    if (const auto* value = std::get_if<ReplicaGroupsRef>(&groups->value)) lists = value->get();
  }
  if (pairs) {
    if (const auto* value = std::get_if<IntLists>(&pairs->value)) lists = value;
  }
  key.push_back(lists_.emplace(*lists, static_cast<int64_t>(lists_.size())).first->second);
}

int64_t CombinerKeys::interned(std::string_view text) {
  auto it = texts_.find(text);
  if (it == texts_.end()) it = texts_.emplace(text, static_cast<int64_t>(texts_.size())).first;
  return it->second;
}

std::vector<CombinerGraph::Limits> CombinerKeys::limits() const {
  std::vector<CombinerGraph::Limits> limits;
  for (size_t kind = 0; kind < kCombinerKinds; ++kind) {
    const auto& of_kind = limits_of(options_, static_cast<CombinerKind>(kind));
    limits.push_back(of_kind.enabled ? CombinerGraph::Limits{of_kind.max_bytes, of_kind.max_count}
                                     : CombinerGraph::Limits{});
  }
  return limits;
}

}  // namespace flipsat::hlo
