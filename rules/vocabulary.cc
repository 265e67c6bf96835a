#include "rules/vocabulary.h"

#include "hlo/open_order.h"

namespace flipsat::rules {

std::vector<ClassId> starts_of(const Match& match, int rank) {
  std::vector<ClassId> starts;
  for (int dim = 0; dim < rank; ++dim) starts.push_back(match[kStarts[dim]]);
  return starts;
}

bool may_regroup(const hlo::Reducer& reducer, hlo::Numerics allowed) {
  return allowed >= hlo::Numerics::kReassoc || !hlo::has_open_order(reducer);
}

const char* what_keeps_apart(const HloGraph& hlo, NodeId a, NodeId b) {
  const language::Collective& one = hlo.collective(a);
  const language::Collective& other = hlo.collective(b);
  if (one.reducer && other.reducer && one.reducer != other.reducer) {
    return "the collectives reduce differently";
  }
  if (one.has_channel != other.has_channel) return "one collective has a channel, the other none";
  if (one.steering != other.steering) return "attributes keep the collectives apart";
  return nullptr;
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

void add_sums(HloGraph& hlo, hlo::Numerics numerics) {
  for (const language::SumChain& chain : hlo.sums()) {
    const hlo::ElementType type = hlo.type(chain.root);
    const hlo::Reducer reducer{*hlo::reduction_by(chain.opcode, type), type};
    if (!may_regroup(reducer, numerics)) continue;
    hlo.graph().merge(chain.root, hlo.sum(chain.opcode, chain.terms));
  }
}

bool is_repeated(const HloGraph& hlo, ClassId x, const language::Collective& collective) {
  return collective.group_size() > 1 && !hlo.shape(x).layout && hlo.uniform(x, *collective.groups);
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
