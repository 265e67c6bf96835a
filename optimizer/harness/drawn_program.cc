#include "optimizer/harness/drawn_program.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace flipsat::optimizer {

using hlo::Dims;
using hlo::ElementType;

namespace {

constexpr int kMaxElements = 48;

// By numbers of replicas and partitions.
const std::vector<const Grouping*>& groupings_of(int64_t replicas, int64_t partitions) {
  static const auto kByCounts = [] {
    std::map<std::pair<int64_t, int64_t>, std::vector<const Grouping*>> by_counts;
    for (const auto* list : {&all_groupings(), &large_groupings()}) {
      for (const Grouping& one : *list) {
        by_counts[{one.replicas, one.partitions}].push_back(&one);
      }
    }
    return by_counts;
  }();
  return kByCounts.at({replicas, partitions});
}

}  // namespace

const Grouping& any_grouping(Choices& choices) {
  if (choices.below(16) == 15) return choices.of(large_groupings());
  return choices.of(all_groupings());
}

const Grouping& some_grouping_like(Choices& choices, const Grouping& first) {
  if (choices.below(3) == 0) return first;
  return *choices.of(groupings_of(first.replicas, first.partitions));
}

std::vector<int64_t> any_permutation(Choices& choices, int rank) {
  std::vector<int64_t> left(static_cast<size_t>(rank)), permutation;
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    int64_t at = choices.below(static_cast<int64_t>(left.size()));
    permutation.push_back(left[at]);
    left.erase(left.begin() + at);
  }
  return permutation;
}

Dims any_dims_of(Choices& choices, int64_t elements, int max_rank) {
  Dims dims(static_cast<size_t>(choices.between(elements == 1 ? 0 : 1, max_rank)));
  int64_t left = elements;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i + 1 == dims.size()) {
      dims[i] = left;
      break;
    }
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= left; ++d) {
      if (left % d == 0) divisors.push_back(d);
    }
    if (divisors.empty()) divisors = {0};
    dims[i] = choices.of(divisors);
    left = dims[i] == 0 ? 0 : left / dims[i];
  }
  return dims;
}

Dims any_dims(Choices& choices) {
  static const std::vector<int64_t> kSizes = {2, 4, 3, 1, 6, 8, 12};
  Dims dims(static_cast<size_t>(choices.of(std::vector<int64_t>{1, 2, 3, 2, 1, 3, 2, 0})));
  int64_t elements = 1;
  for (int64_t& dim : dims) {
    dim = choices.of(kSizes);
    if (elements * dim > kMaxElements) dim = 1;
    elements *= dim;
  }
  if (!dims.empty() && choices.below(32) == 31) dims[0] = 0;
  return dims;
}

Value any_value(Program& p, Choices& choices, ElementType type, const Dims& dims) {
  switch (choices.below(4)) {
    case 1:
      return p.replicated(type, dims);
    case 2:
      if (!dims.empty() && type != ElementType::kPred) return p.iota(type, dims, 0);
      [[fallthrough]];
    default:
      return p.parameter(type, dims);
  }
}

Value any_start(Program& p, Choices& choices, const Grouping& groups, int64_t whole, int64_t size) {
  auto value = [&] { return choices.between(0, whole + 2) - 1; };
  std::vector<int64_t> table(static_cast<size_t>(groups.devices()));
  const bool may_be_shard = groups.size() > 1 && size * groups.size() == whole;
  switch (choices.below(may_be_shard ? 12 : 8)) {
    case 0:
      return p.integer(value());
    case 1:
      return p.replicated(ElementType::kS32, {});
    case 2:
      for (const auto& group : groups.groups.groups) {
        int64_t common = value();
        for (int64_t member : group) table[member] = common;
      }
      return p.by_device(table);
    case 3:
      for (int64_t& entry : table) entry = value();
      return p.by_device(table);
    case 4: {
      Value id = groups.partitions > 1 ? p.partition_id() : p.replica_id();
      Value factor = p.integer(choices.between(0, 3), ElementType::kU32);
      return p.elementwise(hlo::Opcode::kMultiply, {id, factor});
    }
    case 5:
      return p.parameter(ElementType::kS32, {});
    default: {
      int64_t turned = choices.of(std::vector<int64_t>{0, 0, 0, 1});
      for (int64_t device = 0; device < groups.devices(); ++device) {
        table[device] = (groups.position(device) + turned) % groups.size() * size;
      }
      return p.by_device(table);
    }
  }
}

int64_t any_size(Choices& choices, const Grouping& groups, int64_t whole) {
  int64_t how = choices.below(4);
  if (how == 1 && whole % groups.size() == 0) return whole / groups.size();
  if (how == 2) return choices.between(0, whole);
  return whole;
}

}  // namespace flipsat::optimizer
