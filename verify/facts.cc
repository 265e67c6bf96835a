#include "verify/facts.h"

#include "verify/evaluator.h"

namespace flipsat::verify {

using hlo::InstructionId;

Facts::Facts(const hlo::Module& module, const hlo::DeviceCounts& counts,
             std::unordered_set<std::string> assume_replicated)
    : module_(module), counts_(counts), assume_replicated_(std::move(assume_replicated)) {}

const hlo::CallGraph& Facts::calls() {
  if (!calls_) calls_ = std::make_unique<hlo::CallGraph>(module_);
  return *calls_;
}

const hlo::Uniformity& Facts::uniformity() {
  if (!uniformity_) {
    hlo::UniformityOptions options{assume_replicated_};
    uniformity_ = std::make_unique<hlo::Uniformity>(module_, counts_, calls(), options);
  }
  return *uniformity_;
}

const hlo::DevicePartition* Facts::equal_on(InstructionId value, uint32_t part) {
  if (!counts_.known || counts_.devices() == 1) return nullptr;
  const hlo::Uniformity& facts = uniformity();
  if (!module_[value].shape.is_tuple()) return &facts.of(value);
  bool same_parts = facts.leaf_count(value) == part_count(module_[value].shape);
  return same_parts ? &facts.of_leaf(value, part) : &facts.of(value);
}

const std::vector<int64_t>* Facts::on_devices(InstructionId value) {
  const hlo::Shape& shape = module_[value].shape;
  bool is_scalar = shape.is_array() && shape.is_static() && shape.element_count() == 1;
  if (!counts_.known || !is_scalar || !hlo::is_integer(shape.type)) return nullptr;
  auto [found, is_new] = on_devices_.try_emplace(value);
  if (is_new) {
    if (!values_) values_ = std::make_unique<hlo::DeviceValues>(module_, counts_, calls());
    found->second = values_->scalar(value);
  }
  return found->second ? &*found->second : nullptr;
}

}  // namespace flipsat::verify
