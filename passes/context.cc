#include "passes/context.h"

#include <algorithm>

namespace flipsat::passes {

Context::Context(hlo::Module& module, const ContextOptions& options)
    : module_(module),
      options_(options),
      counts_(hlo::infer_device_counts(module, options.devices)) {}

const hlo::CallGraph& Context::calls() {
  if (!calls_) calls_ = std::make_unique<hlo::CallGraph>(module_);
  return *calls_;
}

const hlo::Uniformity& Context::uniformity() {
  if (!uniformity_) {
    uniformity_ = std::make_unique<hlo::Uniformity>(module_, counts_, calls(), options_.uniformity);
  }
  return *uniformity_;
}

hlo::DeviceValues& Context::device_values() {
  if (!device_values_) {
    device_values_ = std::make_unique<hlo::DeviceValues>(module_, counts_, calls());
  }
  return *device_values_;
}

const std::vector<std::vector<hlo::InstructionId>>& Context::users() {
  if (!users_) users_ = hlo::users_of(module_);
  return *users_;
}

bool Context::controls_others(hlo::InstructionId id) {
  if (!controls_others_) {
    controls_others_.emplace(module_.instructions.size());
    for (const hlo::Computation& computation : module_.computations) {
      for (hlo::InstructionId user : computation.instructions) {
        for (hlo::InstructionId other : module_[user].control_predecessors()) {
          (*controls_others_)[other] = true;
        }
      }
    }
  }
  return (*controls_others_)[id];
}

bool Context::is_uniform_start(hlo::InstructionId id, int64_t limit,
                               const hlo::DeviceGroups& groups) {
  if (uniformity().of(id).uniform_within(groups)) return true;
  // Starts that differ may still clamp to the same.
  std::optional<std::vector<int64_t>> values = device_values().scalar(id);
  if (!values) return false;
  for (int64_t& value : *values) value = std::clamp<int64_t>(value, 0, limit);
  return hlo::DevicePartition::of_values(*values).uniform_within(groups);
}

void Context::refresh() {
  device_values_.reset();
  uniformity_.reset();
  calls_.reset();
  controls_others_.reset();
  users_.reset();
}

void Context::log(std::string_view pass, std::string_view text) const {
  if (is_logging()) options_.log(std::string(pass) + ": " + std::string(text));
}

}  // namespace flipsat::passes
