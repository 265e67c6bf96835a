// Peak of live bytes.
//
// Text order is taken for the order of execution. What a callee needs beside its arguments is added
// where it is called, less the call's result, which is a buffer of the caller's. A loop makes no
// result: its state is there before it, and the body's new state stands beside the old. Reuse in
// place is not modelled, nor are padding and fragments.

#include <algorithm>

#include "extract/buffers.h"
#include "extract/program_cost.h"
#include "extract/saturating.h"

namespace flipsat::extract {
namespace {

using hlo::ComputationId;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

bool runs_callees(const Instruction& instruction) {
  return instruction.opcode == Opcode::kCall || instruction.opcode == Opcode::kWhile ||
         instruction.opcode == Opcode::kConditional || instruction.opcode == Opcode::kAsyncStart;
}

// Sweeps one computation after another, callees first.
class PeakSweep {
 public:
  explicit PeakSweep(const Module& module)
      : module_(module), planner_(module), peak_(module.computations.size(), kUnknown) {}

  int64_t run() {
    if (module_.entry >= module_.computations.size()) return 0;
    std::vector<ComputationId> open = {module_.entry};
    while (!open.empty()) {
      const ComputationId computation = open.back();
      if (peak_[computation] == kUnknown) {
        peak_[computation] = kOpen;
        const size_t before = open.size();
        push_callees(computation, open);
        if (open.size() > before) continue;
      }
      open.pop_back();
      if (peak_[computation] == kOpen) {
        peak_[computation] = sweep(module_.computations[computation]);
      }
    }
    return peak_[module_.entry];
  }

 private:
  static constexpr int64_t kUnknown = -1;
  static constexpr int64_t kOpen = -2;  // its callees are being swept

  void push_callees(ComputationId caller, std::vector<ComputationId>& open) const {
    for (hlo::InstructionId id : module_.computations[caller].instructions) {
      if (!runs_callees(module_[id])) continue;
      for (ComputationId callee : module_[id].called_computations()) {
        if (peak_[callee] == kUnknown) open.push_back(callee);
      }
    }
  }

  int64_t callee_peak(const Instruction& instruction) const {
    int64_t peak = 0;
    if (!runs_callees(instruction)) return peak;
    for (ComputationId callee : instruction.called_computations()) {
      peak = std::max(peak, peak_[callee]);  // negative only on a cycle of calls
    }
    return peak;
  }

  int64_t sweep(const hlo::Computation& computation) {
    const size_t count = computation.instructions.size();
    std::vector<Wide> made(count + 1, 0);
    std::vector<Wide> freed(count + 2, 0);
    for (const Buffer& buffer : planner_.plan(computation)) {
      made[buffer.made] += static_cast<Wide>(buffer.bytes);
      freed[buffer.last_read + 1] += static_cast<Wide>(buffer.bytes);
    }
    Wide live = 0;
    Wide peak = 0;
    for (size_t i = 0; i < count; ++i) {
      live += made[i];
      live -= freed[i];
      const Instruction& instruction = module_[computation.instructions[i]];
      Wide needed = static_cast<Wide>(callee_peak(instruction));
      needed -= std::min(needed, made[i]);
      peak = std::max(peak, live + needed);
    }
    return saturating_narrow(peak);
  }

  const Module& module_;
  BufferPlanner planner_;
  std::vector<int64_t> peak_;  // by ComputationId
};

}  // namespace

int64_t peak_live_bytes(const Module& module) { return PeakSweep(module).run(); }

}  // namespace flipsat::extract
