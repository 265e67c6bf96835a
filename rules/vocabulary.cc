#include "rules/vocabulary.h"

namespace flipsat::rules {

std::vector<ClassId> starts_of(const Match& match, int rank) {
  std::vector<ClassId> starts;
  for (int dim = 0; dim < rank; ++dim) starts.push_back(match[kStarts[dim]]);
  return starts;
}

std::vector<int64_t> clamped_starts(const HloGraph& hlo, ClassId start, int64_t size, int64_t cut) {
  const std::vector<int64_t>* values = hlo.values(start);
  if (!values) return {};
  std::vector<int64_t> clamped = *values;
  for (int64_t& value : clamped) value = std::clamp<int64_t>(value, 0, size - cut);
  return clamped;
}

bool is_uniform_start(const HloGraph& hlo, ClassId start, int64_t size, int64_t cut,
                      const hlo::DeviceGroups& groups) {
  if (hlo.uniform(start, groups)) return true;
  std::vector<int64_t> values = clamped_starts(hlo, start, size, cut);
  return !values.empty() && hlo::DevicePartition::of_values(values).uniform_within(groups);
}

ClassId reshape_of(HloGraph& hlo, NodeId like, ClassId x, const hlo::Dims& dims) {
  if (hlo.dims(x) == dims) return x;
  ClassId base = x;
  for (NodeId node : hlo.graph().nodes(x)) {
    if (hlo.op(node).kind != Kind::kReshape) continue;
    const ClassId from = hlo.graph().children(node)[0];
    if (hlo.dims(from) == dims) return from;
    if (base == x) base = from;
  }
  return hlo.reshape(like, base, dims);
}

}  // namespace flipsat::rules
