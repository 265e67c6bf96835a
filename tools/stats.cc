#include "tools/stats.h"

#include <fmt/format.h>

#include <algorithm>

#include "hlo/call_graph.h"
#include "hlo/verifier.h"
#include "language/import.h"
#include "optimizer/partitioned.h"
#include "tools/report.h"
#include "tools/text_table.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using Align = TextTable::Align;

constexpr size_t kNamesShown = 6;

std::vector<ComputationStats> loops_of(const hlo::Module& module) {
  const hlo::CallGraph calls(module);
  std::vector<ComputationStats> loops;
  for (hlo::ComputationId id : module.order) {
    if (calls.is_embedded(id)) continue;
    const hlo::Computation& computation = module.computations[id];
    ComputationStats stats{
        computation.name, calls.executions(id), calls.has_unknown_trip_count(id), {}};
    for (hlo::InstructionId instruction : computation.instructions) {
      const hlo::Opcode opcode = module[instruction].opcode;
      if (hlo::is_collective(opcode)) {
        ++stats.collectives[std::string(hlo::to_string(hlo::synchronous(opcode)))];
      }
    }
    if (!stats.collectives.empty()) loops.push_back(std::move(stats));
  }
  return loops;
}

// Instructions that others must follow by a control edge.
std::vector<bool> control_predecessors_of(const hlo::Module& module) {
  std::vector<bool> is_predecessor(module.instructions.size(), false);
  for (const hlo::Instruction& instruction : module.instructions) {
    for (hlo::InstructionId id : instruction.control_predecessors()) is_predecessor[id] = true;
  }
  return is_predecessor;
}

// What asks for no rewriting by itself: it only hands values on.
bool is_border(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::kParameter:
    case hlo::Opcode::kTuple:
    case hlo::Opcode::kGetTupleElement:
    case hlo::Opcode::kWhile:
    case hlo::Opcode::kCall:
    case hlo::Opcode::kConditional:
      return true;
    default:
      return false;
  }
}

// Collectives that rules cannot look into, and neighbours of collectives that stop them: by reason.
std::map<std::string, std::vector<std::string>> opaque_of(const hlo::Module& module,
                                                          const hlo::DeviceCounts& counts) {
  const std::vector<bool> is_predecessor = control_predecessors_of(module);
  const auto users = hlo::users_of(module);
  const hlo::CallGraph calls(module);
  const auto is_collective = [&](hlo::InstructionId id) {
    return hlo::is_collective(module[id].opcode);
  };

  std::map<std::string, std::vector<std::string>> opaque;
  for (hlo::ComputationId computation : module.order) {
    if (calls.is_embedded(computation)) continue;
    for (hlo::InstructionId id : module.computations[computation].instructions) {
      const hlo::Instruction& instruction = module[id];
      const bool near_collective = is_collective(id) ||
                                   std::ranges::any_of(instruction.operands, is_collective) ||
                                   std::ranges::any_of(users[id], is_collective);
      if (!near_collective || is_border(instruction.opcode)) continue;
      const std::string reason =
          language::opaque_reason(module, instruction, counts, is_predecessor[id]);
      if (reason.empty()) continue;
      opaque[fmt::format("{}: {}", hlo::to_string(instruction.opcode), reason)].push_back(
          "%" + instruction.name);
    }
  }
  return opaque;
}

std::string key_lines(const extract::ProgramCost& cost) {
  if (cost.keys.empty()) return "no collectives\n";
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight,
                   Align::kRight, Align::kRight});
  table.add({"collective", "type", "dim", "groups", "count", "launches", "bytes"});
  for (const extract::KeyRow& key : cost.keys) {
    table.add({key.opcode, key.type, key.dim, key.groups, std::to_string(key.count),
               std::to_string(key.launches), readable_bytes(key.bytes)});
  }
  return table.text();
}

std::string loop_lines(const std::vector<ComputationStats>& loops) {
  if (loops.empty()) return "";
  TextTable table({Align::kLeft, Align::kRight, Align::kLeft});
  table.add({"computation", "runs", "collectives"});
  for (const ComputationStats& loop : loops) {
    std::string collectives;
    for (const auto& [opcode, count] : loop.collectives) {
      collectives += fmt::format("{}{} {}", collectives.empty() ? "" : ", ", count, opcode);
    }
    table.add({loop.name, fmt::format("{}{}", loop.executions, loop.unknown_trip_count ? "?" : ""),
               collectives});
  }
  return "\n" + table.text();
}

std::string opaque_lines(const ModuleStats& stats) {
  if (stats.opaque.empty()) return "";
  std::string lines = "\nopaque to the rules\n";
  for (const auto& [reason, names] : stats.opaque) {
    const auto end = names.begin() + static_cast<ptrdiff_t>(std::min(kNamesShown, names.size()));
    lines +=
        fmt::format("  {} ({}): {}{}\n", reason, names.size(), fmt::join(names.begin(), end, " "),
                    names.size() > kNamesShown ? " ..." : "");
  }
  return lines;
}

}  // namespace

ModuleStats module_stats(const hlo::Module& module, const hlo::DeviceCountOverrides& devices,
                         const extract::CostOptions& cost) {
  const hlo::DeviceCounts counts = hlo::infer_device_counts(module, devices);
  hlo::verify_module(module, counts);
  ModuleStats stats;
  stats.input = module.file;
  stats.counts = counts;
  stats.instructions = static_cast<int64_t>(module.live_instruction_count());
  stats.computations = static_cast<int64_t>(module.order.size());
  stats.untouchable = optimizer::why_untouchable(module);
  stats.cost =
      extract::price_program(module, counts, cost, extract::collective_surroundings(module));
  stats.loops = loops_of(module);
  if (stats.untouchable.empty()) stats.opaque = opaque_of(module, counts);
  return stats;
}

Json stats_record(const ModuleStats& stats) {
  Json keys = Json::array();
  for (const extract::KeyRow& key : stats.cost.keys) {
    keys.push_back({{"opcode", key.opcode},
                    {"type", key.type},
                    {"dim", key.dim},
                    {"groups", key.groups},
                    {"count", key.count},
                    {"launches", key.launches},
                    {"bytes", key.bytes}});
  }
  Json loops = Json::array();
  for (const ComputationStats& loop : stats.loops) {
    Json collectives = Json::object();
    for (const auto& [opcode, count] : loop.collectives) collectives[opcode] = count;
    loops.push_back({{"computation", loop.name},
                     {"executions", loop.executions},
                     {"unknown_trip_count", loop.unknown_trip_count},
                     {"collectives", collectives}});
  }
  Json opaque = Json::array();
  for (const auto& [reason, names] : stats.opaque) {
    opaque.push_back({{"why", reason}, {"count", names.size()}, {"instructions", names}});
  }
  return {{"input", stats.input},
          {"devices",
           {{"replicas", stats.counts.replicas},
            {"partitions", stats.counts.partitions},
            {"known", stats.counts.known},
            {"source", stats.counts.source}}},
          {"instructions", stats.instructions},
          {"computations", stats.computations},
          {"untouchable", stats.untouchable.empty() ? Json(nullptr) : Json(stats.untouchable)},
          {"program", program_record(stats.cost)},
          {"keys", keys},
          {"loops", loops},
          {"opaque", opaque}};
}

std::string stats_text(const ModuleStats& stats) {
  std::string text = fmt::format(
      "{}: {} in {}, {}\n", stats.input, counted(stats.instructions, "instruction"),
      counted(stats.computations, "computation"),
      stats.counts.known
          ? fmt::format("{} x {} ({})", counted(stats.counts.replicas, "replica"),
                        counted(stats.counts.partitions, "partition"), stats.counts.source)
          : "number of devices not known");
  if (!stats.untouchable.empty()) text += stats.untouchable + "\n";
  text += "\n" + key_lines(stats.cost) + loop_lines(stats.loops);
  if (stats.cost.has_unknown_trip_count) text += "? a loop of unknown trip count is counted once\n";
  return text + opaque_lines(stats);
}

}  // namespace flipsat::tools
