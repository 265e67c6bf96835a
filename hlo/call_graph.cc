#include "hlo/call_graph.h"

#include <algorithm>
#include <limits>

namespace flipsat::hlo {
namespace {

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

CallSite::Role role_of(Opcode opcode, AttributeKey key) {
  switch (opcode) {
    case Opcode::kCall:
      return CallSite::Role::kCall;
    case Opcode::kWhile:
      return key == AttributeKey::kCondition ? CallSite::Role::kWhileCondition
                                             : CallSite::Role::kWhileBody;
    case Opcode::kConditional:
      return CallSite::Role::kBranch;
    case Opcode::kFusion:
      return CallSite::Role::kFusion;
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return CallSite::Role::kAsync;
    default:
      return CallSite::Role::kApply;
  }
}

bool is_part_of_instruction(CallSite::Role role) {
  return role == CallSite::Role::kApply || role == CallSite::Role::kFusion ||
         role == CallSite::Role::kAsync;
}

// Callers before callees, over what the entry reaches. A computation on a cycle of calls, which
// well-formed modules do not have, is left out.
std::vector<ComputationId> callers_first(ComputationId entry,
                                         const std::vector<std::vector<ComputationId>>& callees) {
  std::vector<int64_t> open_calls(callees.size(), 0);
  std::vector<bool> reached(callees.size(), false);
  std::vector<ComputationId> stack;
  if (entry < callees.size()) {
    reached[entry] = true;
    stack.push_back(entry);
  }
  while (!stack.empty()) {
    ComputationId caller = stack.back();
    stack.pop_back();
    for (ComputationId callee : callees[caller]) {
      ++open_calls[callee];
      if (reached[callee]) continue;
      reached[callee] = true;
      stack.push_back(callee);
    }
  }
  std::vector<ComputationId> order;
  if (entry < callees.size() && open_calls[entry] == 0) order.push_back(entry);
  for (size_t next = 0; next < order.size(); ++next) {
    for (ComputationId callee : callees[order[next]]) {
      if (--open_calls[callee] == 0) order.push_back(callee);
    }
  }
  return order;
}

}  // namespace

CallGraph::CallGraph(const Module& module)
    : sites_(module.computations.size()),
      executions_(module.computations.size(), 0),
      unknown_(module.computations.size(), false),
      embedded_(module.computations.size(), false) {
  std::vector<std::vector<ComputationId>> callees(module.computations.size());
  std::vector<std::vector<CallSite>> calls(module.computations.size());  // parallel to callees
  for (ComputationId caller : module.order) {
    for (InstructionId id : module.computations[caller].instructions) {
      const Instruction& instruction = module[id];
      for (const Attribute& attribute : instruction.attributes) {
        const auto* list = std::get_if<ComputationList>(&attribute.value);
        if (!list) continue;
        for (ComputationId callee : *list) {
          CallSite site{id, caller, role_of(instruction.opcode, attribute.key)};
          sites_[callee].push_back(site);
          callees[caller].push_back(callee);
          calls[caller].push_back(site);
        }
      }
    }
  }

  if (module.entry < executions_.size()) executions_[module.entry] = 1;
  for (ComputationId caller : callers_first(module.entry, callees)) {
    std::optional<int64_t> trips;
    InstructionId loop = kNoId;  // whose trip count `trips` is
    for (size_t i = 0; i < callees[caller].size(); ++i) {
      const CallSite& site = calls[caller][i];
      ComputationId callee = callees[caller][i];
      bool is_loop =
          site.role == CallSite::Role::kWhileBody || site.role == CallSite::Role::kWhileCondition;
      if (is_loop && loop != site.instruction) {
        loop = site.instruction;
        trips = trip_count(module, module[loop]);
      }
      int64_t times = is_loop ? trips.value_or(1) : 1;
      executions_[callee] =
          saturating_add(executions_[callee], saturating_multiply(executions_[caller], times));
      if (unknown_[caller] || (is_loop && !trips)) unknown_[callee] = true;
    }
  }

  // Embedded through any site, and everything that an embedded computation calls. Whether or not
  // the entry reaches it.
  std::vector<ComputationId> stack;
  auto embed = [&](ComputationId computation) {
    if (embedded_[computation]) return;
    embedded_[computation] = true;
    stack.push_back(computation);
  };
  for (ComputationId callee = 0; callee < sites_.size(); ++callee) {
    if (std::any_of(sites_[callee].begin(), sites_[callee].end(),
                    [](const CallSite& site) { return is_part_of_instruction(site.role); })) {
      embed(callee);
    }
  }
  while (!stack.empty()) {
    ComputationId computation = stack.back();
    stack.pop_back();
    for (ComputationId callee : callees[computation]) embed(callee);
  }
}

}  // namespace flipsat::hlo
