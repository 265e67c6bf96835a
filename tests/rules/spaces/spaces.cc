#include "tests/rules/spaces/spaces.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "rules/catalogue.h"

namespace flipsat::rules::testing {

const std::vector<ElementType> kAllTypes = {
    ElementType::kS32,     ElementType::kF32,        ElementType::kBF16,     ElementType::kF16,
    ElementType::kPred,    ElementType::kS8,         ElementType::kU8,       ElementType::kS16,
    ElementType::kU16,     ElementType::kU32,        ElementType::kS64,      ElementType::kU64,
    ElementType::kF64,     ElementType::kF8E5M2,     ElementType::kF8E4M3FN, ElementType::kF8E4M3,
    ElementType::kF8E3M4,  ElementType::kF8E4M3FNUZ, ElementType::kS4,       ElementType::kU4,
    ElementType::kF4E2M1FN};

const std::vector<ElementType> kSomeTypes = {ElementType::kS32, ElementType::kF32,
                                             ElementType::kPred, ElementType::kBF16,
                                             ElementType::kF8E4M3FN};

Dims some_dims(Choices& choices, int min_rank, int max_rank, const std::vector<int64_t>& sizes) {
  Dims dims(static_cast<size_t>(choices.between(min_rank, max_rank)));
  for (int64_t& size : dims) size = choices.of(sizes);
  // Now and then an empty one.
  if (!dims.empty() && choices.below(16) == 15) {
    dims[choices.below(static_cast<int64_t>(dims.size()))] = 0;
  }
  return dims;
}

std::vector<int64_t> some_permutation(Choices& choices, int rank) {
  std::vector<int64_t> left(static_cast<size_t>(rank)), permutation;
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    int64_t at = choices.below(static_cast<int64_t>(left.size()));
    permutation.push_back(left[at]);
    left.erase(left.begin() + at);
  }
  return permutation;
}

const Grouping& some_grouping(Choices& choices) {
  if (choices.below(12) == 11) return choices.of(optimizer::large_groupings());
  return choices.of(optimizer::all_groupings());
}

Dims some_reshape(Choices& choices, int64_t elements, int max_rank) {
  Dims dims(static_cast<size_t>(choices.between(elements == 1 ? 0 : 1, max_rank)));
  int64_t left = elements;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i + 1 == dims.size()) {
      dims[i] = left;
      break;
    }
    if (left == 0) {
      dims[i] = choices.below(4);
      continue;
    }
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= left; ++d) {
      if (left % d == 0) divisors.push_back(d);
    }
    dims[i] = choices.of(divisors);
    left /= dims[i];
  }
  if (elements == 0 && hlo::product(dims) != 0) dims.back() = 0;
  return dims;
}

std::optional<Grouping> in_another_order(const Grouping& groups) {
  hlo::ReplicaGroups turned = groups.groups.groups;
  for (auto& group : turned) std::rotate(group.begin(), group.begin() + 1, group.end());
  return optimizer::regrouped(groups, turned);
}

std::vector<Space> all_spaces() {
  std::vector<Space> all;
  for (auto family : {gather_convert_spaces,
                      gather_reshape_spaces,
                      gather_elementwise_spaces,
                      gather_dynamic_slice_spaces,
                      reduce_convert_spaces,
                      scatter_transpose_spaces,
                      reduce_own_shard_spaces,
                      gather_own_shard_spaces,
                      collective_of_one_spaces,
                      nested_collective_spaces,
                      reduce_scatter_gather_spaces,
                      collective_of_uniform_spaces,
                      reduce_update_spaces,
                      reduce_sum_spaces,
                      reduce_scale_spaces,
                      exchange_spaces,
                      exchange_algebra_spaces,
                      dot_spaces,
                      movement_spaces,
                      reduce_reshape_spaces,
                      gather_reduce_own_dim_spaces,
                      see_through_spaces}) {
    std::vector<Space> spaces = family();
    std::move(spaces.begin(), spaces.end(), std::back_inserter(all));
  }
  // In the order of the catalogue, whichever file they are in.
  std::map<std::string, size_t> order;
  for (const RuleInfo& info : catalogue()) order.emplace(info.name, order.size());
  std::ranges::stable_sort(all, {}, [&](const Space& space) { return order.at(space.rule); });
  return all;
}

}  // namespace flipsat::rules::testing
