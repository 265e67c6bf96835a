#include "language/regroup.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "language/emit.h"

namespace flipsat::language {
namespace {

using hlo::InstructionId;

// Of several operands an all-to-all is another operation, and a permute has one.
bool may_have_several_operands(Kind kind) {
  return kind == Kind::kAllGather || kind == Kind::kAllReduce || kind == Kind::kReduceScatter;
}

class Regrouper {
 public:
  Regrouper(const hlo::Module& input, const HloGraph& hlo,
            const std::map<InstructionId, NodeId>& node_behind, hlo::Module& module,
            hlo::ModuleEditor& editor)
      : input_(input), hlo_(hlo), node_behind_(node_behind), module_(module), editor_(editor) {}

  std::vector<Regrouped> run() {
    std::vector<Regrouped> all;
    for (const auto& [key, members] : candidates()) {
      std::vector<InstructionId> apart = independent(members);
      if (apart.size() > 1) all.push_back(write(apart, std::get<0>(key)));
    }
    return all;
  }

 private:
  // What they stand for, their operation, its groups and steering, and its dim.
  using Key = std::tuple<InstructionId, Kind, CollectiveIndex, std::vector<int64_t>>;

  std::map<Key, std::vector<InstructionId>> candidates() const {
    std::map<Key, std::vector<InstructionId>> by_key;
    const std::vector<bool> live = hlo::live_instructions(module_);
    for (const auto& [id, node] : node_behind_) {
      const Operator& op = hlo_.op(node);
      if (!live[id] || !may_have_several_operands(op.kind)) continue;
      const std::vector<InstructionId>& sources = hlo_.lineage(node);
      if (sources.size() != 1 || live[sources[0]]) continue;
      if (input_[sources[0]].operands.size() < 2) continue;
      by_key[{sources[0], op.kind, op.collective, op.ints}].push_back(id);
    }
    return by_key;
  }

  // The members in order, but those that need another or that another needs.
  std::vector<InstructionId> independent(const std::vector<InstructionId>& members) const {
    std::vector<InstructionId> apart;
    if (members.size() < 2) return apart;
    std::map<InstructionId, std::set<InstructionId>> needs;
    for (InstructionId member : members) needs[member] = needed(member, members);
    for (InstructionId member : members) {
      const bool stands_apart = std::ranges::none_of(apart, [&](InstructionId other) {
        return needs[member].contains(other) || needs[other].contains(member);
      });
      if (stands_apart) apart.push_back(member);
    }
    return apart;
  }

  // Which of `members` one of them depends on.
  std::set<InstructionId> needed(InstructionId from,
                                 const std::vector<InstructionId>& members) const {
    std::set<InstructionId> found;
    std::vector<bool> seen(module_.instructions.size(), false);
    std::vector<InstructionId> stack{from};
    auto visit = [&](InstructionId id) {
      if (seen[id]) return;
      seen[id] = true;
      stack.push_back(id);
    };
    while (!stack.empty()) {
      const InstructionId id = stack.back();
      stack.pop_back();
      if (id != from && std::ranges::binary_search(members, id)) found.insert(id);
      for (InstructionId operand : module_[id].operands) visit(operand);
      for (InstructionId before : module_[id].control_predecessors()) visit(before);
    }
    return found;
  }

  Regrouped write(const std::vector<InstructionId>& members, InstructionId source) {
    hlo::Instruction collective = module_[members[0]];
    std::erase_if(collective.attributes,
                  [](const hlo::Attribute& attribute) { return is_of_the_value(attribute.key); });
    collective.name.clear();
    collective.operands.clear();
    std::vector<hlo::Shape> parts;
    for (InstructionId member : members) {
      collective.operands.push_back(module_[member].operands[0]);
      parts.push_back(module_[member].shape);
    }
    collective.shape = hlo::Shape::tuple(parts);
    if (auto channel = input_[source].channel_id()) Emitter::set_channel(collective, *channel);

    Regrouped result;
    result.members = members;
    result.collective = editor_.add(module_[members[0]].computation, std::move(collective));
    for (size_t i = 0; i < members.size(); ++i) {
      hlo::Instruction element;
      element.opcode = hlo::Opcode::kGetTupleElement;
      element.shape = parts[i];
      element.operands = {result.collective};
      hlo::Attribute index;
      index.key = hlo::AttributeKey::kIndex;
      index.value = static_cast<int64_t>(i);
      element.attributes.push_back(std::move(index));
      for (const hlo::Attribute& attribute : module_[members[i]].attributes) {
        const bool is_kept =
            is_of_the_value(attribute.key) || attribute.key == hlo::AttributeKey::kMetadata;
        if (is_kept) element.attributes.push_back(attribute);
      }
      const InstructionId id = editor_.add(module_[members[i]].computation, std::move(element));
      editor_.replace_all_uses(members[i], id);
      result.elements.push_back(id);
    }
    return result;
  }

  const hlo::Module& input_;
  const HloGraph& hlo_;
  const std::map<InstructionId, NodeId>& node_behind_;
  hlo::Module& module_;
  hlo::ModuleEditor& editor_;
};

}  // namespace

std::vector<Regrouped> regroup(const hlo::Module& input, const HloGraph& hlo,
                               const std::map<InstructionId, NodeId>& node_behind,
                               hlo::Module& module, hlo::ModuleEditor& editor) {
  return Regrouper(input, hlo, node_behind, module, editor).run();
}

}  // namespace flipsat::language
