// What the passes may know of a module: devices, callers, users, uniformity. Found when first asked
// for; `refresh` forgets it after a change.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/call_graph.h"
#include "hlo/device_values.h"
#include "hlo/devices.h"
#include "hlo/module.h"
#include "hlo/numerics.h"
#include "hlo/uniformity.h"

namespace flipsat::passes {

// Takes what a pass says while it works, a line at a time.
using Log = std::function<void(const std::string& line)>;

struct ContextOptions {
  hlo::Numerics numerics = hlo::Numerics::kExact;
  hlo::DeviceCountOverrides devices;
  hlo::UniformityOptions uniformity;
  Log log;  // may be empty
};

class Context {
 public:
  Context(hlo::Module& module, const ContextOptions& options);

  hlo::Module& module() { return module_; }
  const hlo::Module& module() const { return module_; }
  const hlo::Instruction& operator[](hlo::InstructionId id) const { return module_[id]; }
  const ContextOptions& options() const { return options_; }
  // Of the module as it came: rewrites do not change what it runs on.
  const hlo::DeviceCounts& counts() const { return counts_; }

  const hlo::CallGraph& calls();
  const hlo::Uniformity& uniformity();
  hlo::DeviceValues& device_values();
  const std::vector<std::vector<hlo::InstructionId>>& users();
  // True for an instruction that others name as a control predecessor.
  bool controls_others(hlo::InstructionId id);

  // A scalar start index, clamped to [0, limit], is the same on all members of each group.
  bool is_uniform_start(hlo::InstructionId id, int64_t limit, const hlo::DeviceGroups& groups);

  void refresh();

  bool is_logging() const { return options_.log != nullptr; }
  void log(std::string_view pass, std::string_view text) const;

 private:
  hlo::Module& module_;
  ContextOptions options_;
  hlo::DeviceCounts counts_;
  std::unique_ptr<hlo::CallGraph> calls_;
  std::unique_ptr<hlo::Uniformity> uniformity_;
  std::unique_ptr<hlo::DeviceValues> device_values_;
  std::optional<std::vector<bool>> controls_others_;
  std::optional<std::vector<std::vector<hlo::InstructionId>>> users_;
};

}  // namespace flipsat::passes
