#include "extract/program_cost.h"

#include <cassert>
#include <tuple>

#include "extract/collective.h"
#include "extract/grouping.h"
#include "extract/machine_model.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

void add_scaled(int64_t& total, int64_t figure, int64_t times) {
  total = saturating_add(total, saturating_multiply(figure, times));
}

std::string dim_name(const Collective& collective) {
  const hlo::IntList& dims = collective.description->dimensions();
  return dims.size() == 1 ? std::to_string(dims[0]) : "-";
}

std::string type_name(const Collective& collective) {
  if (collective.type == hlo::ElementType::kTuple) return "mixed";
  return std::string(hlo::to_string(collective.type));
}

class Pricer {
 public:
  Pricer(const Module& program, const hlo::DeviceCounts& counts, const CostOptions& options,
         const std::vector<bool>& surroundings)
      : program_(program),
        machine_(machine_of(options)),
        calls_(program),
        groupings_(machine_, counts),
        grouping_of_(program.instructions.size(), kNone) {
    settle_groupings(surroundings.size());
    for (ComputationId computation : program.order) {
      if (!calls_.is_embedded(computation)) add_computation(computation, surroundings);
    }
    for (const hlo::Launch& launch :
         hlo::simulate_combiner(program, counts, calls_, options.combiner)) {
      add_launch(launch);
    }
  }

  ProgramCost finish() {
    cost_.time = saturating_add(cost_.launch_time, cost_.local_time);
    cost_.peak_bytes = peak_live_bytes(program_);
    const std::vector<std::string> names = groupings_.names(settled_);
    std::map<std::tuple<std::string, std::string, std::string, std::string>, KeyRow> rows;
    for (auto& [key, row] : rows_) {
      row.groups = names[std::get<3>(key)];
      rows.emplace(std::tuple(row.opcode, row.type, row.dim, row.groups), std::move(row));
    }
    for (auto& [key, row] : rows) cost_.keys.push_back(std::move(row));
    return std::move(cost_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  // Groupings of the input's collectives come first, dead ones too: so a name means the same in
  // every program of one input.
  void settle_groupings(size_t input_size) {
    for (size_t id = 0; id < program_.instructions.size() && id < input_size; ++id) {
      auto collective = as_collective(program_, program_.instructions[id]);
      if (collective) grouping_of_[id] = groupings_.add(program_, *collective);
    }
    settled_ = groupings_.size();
  }

  void add_computation(ComputationId computation, const std::vector<bool>& surroundings) {
    const int64_t executions = calls_.executions(computation);
    bool has_collective = false;
    for (InstructionId id : program_.computations[computation].instructions) {
      const Instruction& instruction = program_[id];
      if (auto collective = as_collective(program_, instruction)) {
        has_collective = true;
        add_collective(id, *collective, executions);
      }
      if (id >= surroundings.size() || surroundings[id]) {
        add_scaled(cost_.local_time, local_work(program_, instruction, machine_), executions);
      }
    }
    if (has_collective && calls_.has_unknown_trip_count(computation)) {
      cost_.has_unknown_trip_count = true;
    }
  }

  void add_collective(InstructionId id, const Collective& collective, int64_t executions) {
    if (grouping_of_[id] == kNone) grouping_of_[id] = groupings_.add(program_, collective);
    const Grouping& grouping = groupings_[grouping_of_[id]];
    const int64_t wire = wire_bytes(collective.opcode, collective.bytes, grouping.largest);
    for (auto [totals, times] :
         {std::pair(&cost_.plain, int64_t{1}), std::pair(&cost_.executed, executions)}) {
      add_scaled(totals->collectives, 1, times);
      add_scaled(totals->wire_bytes, wire, times);
      if (collective.opcode == Opcode::kAllGather) {
        add_scaled(totals->gathered_bytes, collective.bytes, times);
      }
      if (collective.opcode == Opcode::kAllReduce || collective.opcode == Opcode::kReduceScatter) {
        add_scaled(totals->reduced_bytes, collective.bytes, times);
      }
    }
    OpcodeTotals& of_opcode = cost_.by_opcode[std::string(hlo::to_string(collective.opcode))];
    ++of_opcode.count;
    of_opcode.bytes = saturating_add(of_opcode.bytes, collective.bytes);
    KeyRow& row = row_of(id, collective);
    ++row.count;
    row.bytes = saturating_add(row.bytes, collective.bytes);
  }

  void add_launch(const hlo::Launch& launch) {
    assert(!launch.members.empty());
    const int64_t executions = calls_.executions(launch.computation);
    const InstructionId first = launch.members.front();
    auto collective = as_collective(program_, program_[first]);
    assert(collective && grouping_of_[first] != kNone);
    int64_t bytes = collective->bytes;
    for (size_t i = 1; i < launch.members.size(); ++i) {
      auto member = as_collective(program_, program_[launch.members[i]]);
      bytes = saturating_add(bytes, member->bytes);
    }
    ++cost_.plain.launches;
    add_scaled(cost_.executed.launches, 1, executions);
    ++row_of(first, *collective).launches;
    const Picoseconds time = launch_time_over(machine_, collective->opcode, bytes,
                                              groupings_[grouping_of_[first]].spans);
    add_scaled(cost_.launch_time, time, executions);
  }

  KeyRow& row_of(InstructionId id, const Collective& collective) {
    const hlo::IntList& dims = collective.description->dimensions();
    RowKey key = {collective.opcode, collective.type, dims.size() == 1 ? dims[0] : -1,
                  grouping_of_[id]};
    auto [row, is_new] = rows_.try_emplace(key);
    if (is_new) {
      row->second.opcode = hlo::to_string(collective.opcode);
      row->second.type = type_name(collective);
      row->second.dim = dim_name(collective);
    }
    return row->second;
  }

  using RowKey = std::tuple<Opcode, hlo::ElementType, int64_t, size_t>;  // last: the grouping

  const Module& program_;
  const Machine& machine_;
  hlo::CallGraph calls_;
  GroupingTable groupings_;
  size_t settled_ = 0;
  std::vector<size_t> grouping_of_;  // by InstructionId
  std::map<RowKey, KeyRow> rows_;
  ProgramCost cost_;
};

}  // namespace

const Machine& machine_of(const CostOptions& options) {
  return options.figures ? *options.figures : machine_preset(options.machine);
}

int64_t ProgramCost::value(Objective objective) const {
  switch (objective) {
    case Objective::kTime:
      return time;
    case Objective::kBytes:
      return executed.wire_bytes;
    case Objective::kLaunches:
      return executed.launches;
  }
  return time;
}

ProgramCost price_program(const Module& program, const hlo::DeviceCounts& counts,
                          const CostOptions& options, const std::vector<bool>& surroundings) {
  return Pricer(program, counts, options, surroundings).finish();
}

}  // namespace flipsat::extract
