#include "hlo/uniformity_analysis.h"

#include <algorithm>
#include <cassert>

#include "hlo/sharding.h"

namespace flipsat::hlo {
UniformityAnalysis::UniformityAnalysis(const Module& module, const DeviceCounts& counts,
                                       const CallGraph& calls, const UniformityOptions& options)
    : module_(module),
      counts_(counts),
      calls_(calls),
      table_(counts.known ? counts.devices() : 2),
      values_(module, counts, calls),
      visited_(module.computations.size(), false),
      dirty_(module.computations.size(), false) {
  begin_.reserve(module.instructions.size() + 1);
  begin_.push_back(0);
  for (const Instruction& instruction : module.instructions) {
    begin_.push_back(begin_.back() + hlo::leaf_count(instruction.shape));
  }
  facts_.assign(begin_.back(), table_.all_equal());
  if (module.entry < module.computations.size()) seed_entry(options);
}

void UniformityAnalysis::seed_entry(const UniformityOptions& options) {
  for (InstructionId id : module_.entry_computation().parameters) {
    size_t count = leaf_count(id);
    Facts facts = options.assume_replicated.count(module_[id].name)
                      ? Facts(count, table_.all_equal())
                      : parameter_facts(module_[id], count);
    std::copy(facts.begin(), facts.end(), leaves(id));
  }
  visit(module_.entry);
}

// A sharding speaks of the partitions of one replica, parameter_replication of replicas. A false
// there takes the sharding's word back (XLA reads it so).
UniformityAnalysis::Facts UniformityAnalysis::parameter_facts(const Instruction& parameter,
                                                              size_t count) {
  Facts facts(count, table_.all_distinct());
  if (!counts_.known) return facts;
  std::vector<DevicePartition> tiles;
  if (parameter.has(AttributeKey::kSharding)) {
    tiles = same_tile_partitions(parameter.raw_text(AttributeKey::kSharding), count,
                                 counts_.partitions);
  }
  std::vector<bool> replicated;
  if (parameter.has(AttributeKey::kParameterReplication)) {
    replicated =
        parse_parameter_replication(parameter.raw_text(AttributeKey::kParameterReplication), count);
  }
  for (size_t leaf = 0; leaf < count; ++leaf) {
    bool denied = !replicated.empty() && !replicated[leaf];
    bool across_replicas = !replicated.empty() && replicated[leaf];
    std::vector<int64_t> same(counts_.devices());
    for (int64_t device = 0; device < counts_.devices(); ++device) {
      int64_t replica = across_replicas ? 0 : device / counts_.partitions;
      int64_t tile = device % counts_.partitions;
      if (!tiles.empty() && !denied) tile = tiles[leaf].blocks()[tile];
      same[device] = replica * counts_.partitions + tile;
    }
    facts[leaf] = table_.intern(DevicePartition::of_values(same));
  }
  return facts;
}

void UniformityAnalysis::run() {
  // Callees come first in text order, so the reverse has callers first.
  bool again = true;
  while (again) {
    again = false;
    for (auto it = module_.order.rbegin(); it != module_.order.rend(); ++it) {
      if (!dirty_[*it]) continue;
      dirty_[*it] = false;
      sweep(*it);
      again = true;
    }
  }
  fill_unreached();
}

// Nothing is known of values in reducers and unreached or dead code.
void UniformityAnalysis::fill_unreached() {
  std::vector<bool> reached(module_.instructions.size(), false);
  for (ComputationId computation : module_.order) {
    if (!visited_[computation]) continue;
    for (InstructionId id : module_.computations[computation].instructions) reached[id] = true;
  }
  for (InstructionId id = 0; id < reached.size(); ++id) {
    if (!reached[id]) std::fill_n(leaves(id), leaf_count(id), table_.all_distinct());
  }
}

std::vector<Fact> UniformityAnalysis::value_facts() {
  std::vector<Fact> facts(module_.instructions.size());
  for (InstructionId id = 0; id < facts.size(); ++id) {
    Fact fact = table_.all_equal();
    for (size_t leaf = 0; leaf < leaf_count(id); ++leaf) fact = table_.meet(fact, leaves(id)[leaf]);
    facts[id] = fact;
  }
  return facts;
}

void UniformityAnalysis::sweep(ComputationId computation) {
  InstructionId root = module_.computations[computation].root;
  Facts root_before = leaves_of(root);
  for (InstructionId id : module_.computations[computation].instructions) {
    if (module_[id].opcode == Opcode::kParameter) continue;
    Facts facts = transfer(id);
    assert(facts.size() == leaf_count(id));
    for (size_t leaf = 0; leaf < facts.size(); ++leaf) {
      leaves(id)[leaf] = table_.meet(leaves(id)[leaf], facts[leaf]);
    }
  }
  if (leaves_of(root) == root_before) return;
  for (const CallSite& site : calls_.call_sites(computation)) {
    if (visited_[site.caller]) dirty_[site.caller] = true;
  }
}

void UniformityAnalysis::visit(ComputationId callee) {
  if (visited_[callee]) return;
  visited_[callee] = true;
  dirty_[callee] = true;
}

void UniformityAnalysis::send(ComputationId callee, size_t parameter, const Facts& facts) {
  visit(callee);
  const std::vector<InstructionId>& parameters = module_.computations[callee].parameters;
  if (parameter >= parameters.size()) return;
  InstructionId id = parameters[parameter];
  for (size_t leaf = 0; leaf < leaf_count(id); ++leaf) {
    Fact incoming = leaf < facts.size() ? facts[leaf] : table_.all_distinct();
    Fact met = table_.meet(leaves(id)[leaf], incoming);
    if (met == leaves(id)[leaf]) continue;
    leaves(id)[leaf] = met;
    dirty_[callee] = true;
  }
}

ComputationId UniformityAnalysis::callee(const Instruction& instruction, AttributeKey key) const {
  const Attribute* attribute = instruction.find(key);
  const auto* list = attribute ? std::get_if<ComputationList>(&attribute->value) : nullptr;
  return list && list->size() == 1 ? list->front() : kNoId;
}

UniformityAnalysis::Facts UniformityAnalysis::transfer(InstructionId id) {
  const Instruction& instruction = module_[id];
  size_t count = leaf_count(id);
  switch (instruction.opcode) {
    case Opcode::kConstant:
    case Opcode::kIota:
      return Facts(count, table_.all_equal());
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return {refine_by_values(id, table_.all_distinct())};
    case Opcode::kTuple:
      return tuple(instruction);
    case Opcode::kGetTupleElement:
      return element(instruction, count);
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAsyncUpdate:
      return passed_through(instruction, count);
    case Opcode::kCall:
      return call(instruction, AttributeKey::kToApply, count);
    case Opcode::kFusion:
      return call(instruction, AttributeKey::kCalls, count);
    case Opcode::kWhile:
      return loop(instruction, count);
    case Opcode::kConditional:
      return conditional(instruction, count);
    case Opcode::kAsyncStart:
      return async_start(instruction, count);
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopyDone:
    case Opcode::kAsyncDone:
      return result_of_start(instruction, count);
    default:
      break;
  }
  if (is_collective(instruction.opcode)) return collective(instruction, count);
  if (!is_device_blind(instruction.opcode) || !reducer_is_blind(instruction)) {
    return Facts(count, table_.all_distinct());
  }
  Facts facts = meet_of_operands(instruction, count);
  if (count == 1) facts[0] = refine_by_values(id, facts[0]);
  return facts;
}

UniformityAnalysis::Facts UniformityAnalysis::meet_of_operands(const Instruction& instruction,
                                                               size_t count) {
  Fact fact = table_.all_equal();
  for (InstructionId operand : instruction.operands) {
    for (size_t leaf = 0; leaf < leaf_count(operand); ++leaf) {
      fact = table_.meet(fact, leaves(operand)[leaf]);
    }
  }
  return Facts(count, fact);
}

UniformityAnalysis::Facts UniformityAnalysis::passed_through(const Instruction& instruction,
                                                             size_t count) {
  if (instruction.operands.empty() || leaf_count(instruction.operands[0]) != count) {
    return Facts(count, table_.all_distinct());
  }
  return leaves_of(instruction.operands[0]);
}

UniformityAnalysis::Facts UniformityAnalysis::tuple(const Instruction& instruction) {
  Facts facts;
  for (InstructionId operand : instruction.operands) {
    facts.insert(facts.end(), leaves(operand), leaves(operand) + leaf_count(operand));
  }
  return facts;
}

UniformityAnalysis::Facts UniformityAnalysis::element(const Instruction& instruction,
                                                      size_t count) {
  InstructionId operand = instruction.operands[0];
  const Shape& shape = module_[operand].shape;
  if (!shape.is_tuple()) return Facts(count, table_.all_distinct());
  size_t offset = leaf_offset(shape, static_cast<size_t>(instruction.tuple_index()));
  if (offset + count > leaf_count(operand)) return Facts(count, table_.all_distinct());
  return Facts(leaves(operand) + offset, leaves(operand) + offset + count);
}

// Integer arithmetic on device ids: which devices compute equal numbers.
Fact UniformityAnalysis::refine_by_values(InstructionId id, Fact fact) {
  if (fact == table_.all_equal() || !counts_.known) return fact;
  auto [it, is_new] = value_facts_.try_emplace(id, table_.all_distinct());
  if (is_new) {
    if (auto arrays = values_.array(id)) {
      std::vector<int64_t> first(counts_.devices(), 0);
      if (arrays->size() > 1) {
        for (size_t d = 0; d < arrays->size(); ++d) {
          first[d] = std::find(arrays->begin(), arrays->end(), (*arrays)[d]) - arrays->begin();
        }
      }
      it->second = table_.intern(DevicePartition::of_values(first));
    }
  }
  return table_.join(fact, it->second);
}

UniformityAnalysis::Facts UniformityAnalysis::call(const Instruction& instruction, AttributeKey key,
                                                   size_t count) {
  ComputationId called = callee(instruction, key);
  if (called == kNoId || leaf_count(module_.computations[called].root) != count) {
    return Facts(count, table_.all_distinct());
  }
  visit(called);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    send(called, i, leaves_of(instruction.operands[i]));
  }
  return leaves_of(module_.computations[called].root);
}

// The state before any iteration: what the loop starts with and what the body hands on, on devices
// that decide alike whether to go on; others leave after different numbers of iterations.
UniformityAnalysis::Facts UniformityAnalysis::loop(const Instruction& instruction, size_t count) {
  ComputationId body = callee(instruction, AttributeKey::kBody);
  ComputationId condition = callee(instruction, AttributeKey::kCondition);
  if (body == kNoId || condition == kNoId || instruction.operands.size() != 1 ||
      leaf_count(instruction.operands[0]) != count ||
      leaf_count(module_.computations[body].root) != count ||
      module_.computations[body].parameters.size() != 1) {
    return Facts(count, table_.all_distinct());
  }
  visit(body);
  visit(condition);
  Fact decision = *leaves(module_.computations[condition].root);
  Facts state = leaves_of(instruction.operands[0]);
  for (size_t leaf = 0; leaf < count; ++leaf) {
    Fact next = leaves(module_.computations[body].root)[leaf];
    state[leaf] = table_.meet(table_.meet(state[leaf], next), decision);
  }
  send(body, 0, state);
  send(condition, 0, state);
  return state;
}

UniformityAnalysis::Facts UniformityAnalysis::conditional(const Instruction& instruction,
                                                          size_t count) {
  Facts facts(count, table_.all_distinct());
  if (instruction.operands.empty()) return facts;
  Fact decision = *leaves(instruction.operands[0]);
  std::fill(facts.begin(), facts.end(), decision);
  ComputationList branches = instruction.called_computations();
  for (size_t b = 0; b < branches.size(); ++b) {
    InstructionId root = module_.computations[branches[b]].root;
    if (b + 1 >= instruction.operands.size() || leaf_count(root) != count) {
      return Facts(count, table_.all_distinct());
    }
    visit(branches[b]);
    Facts arguments = leaves_of(instruction.operands[b + 1]);
    for (Fact& argument : arguments) argument = table_.meet(argument, decision);
    send(branches[b], 0, arguments);
    for (size_t leaf = 0; leaf < count; ++leaf) {
      facts[leaf] = table_.meet(facts[leaf], leaves(root)[leaf]);
    }
  }
  return facts;
}

}  // namespace flipsat::hlo
