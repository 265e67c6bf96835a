// What is known of the values of the `before` module on the devices, looked up when first asked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_set>

#include "hlo/call_graph.h"
#include "hlo/device_values.h"
#include "hlo/devices.h"
#include "hlo/uniformity.h"

namespace flipsat::verify {

class Facts {
 public:
  Facts(const hlo::Module& module, const hlo::DeviceCounts& counts,
        std::unordered_set<std::string> assume_replicated);

  // Devices that hold equal values (a part of a tuple); null: nothing is known.
  const hlo::DevicePartition* equal_on(hlo::InstructionId value, uint32_t part);
  // The number on each device of a one-element integer; null where unknown.
  const std::vector<int64_t>* on_devices(hlo::InstructionId value);
  const hlo::CallGraph& calls();

 private:
  const hlo::Uniformity& uniformity();

  const hlo::Module& module_;
  hlo::DeviceCounts counts_;
  std::unordered_set<std::string> assume_replicated_;
  std::unique_ptr<hlo::CallGraph> calls_;
  std::unique_ptr<hlo::Uniformity> uniformity_;
  std::unique_ptr<hlo::DeviceValues> values_;
  std::map<hlo::InstructionId, std::optional<std::vector<int64_t>>> on_devices_;
};

}  // namespace flipsat::verify
