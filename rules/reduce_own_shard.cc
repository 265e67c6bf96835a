// reduce-own-shard
//
//   DS_d(AR(x), o) = RS_d(x)                    o a bijection of each group onto the shards
//   DS_d(AR(x), b + o) = RS_d(DS_d(x, b))       b the same on all members of a group
//
// exact, order-open: HLO leaves the order inside one collective's own reduction open. What a device
// keeps of a full sum is a scattered sum, if each member keeps another shard: members are sorted by
// the shard they keep. Cuts of other dims stay outside, whatever their index.
#include <numeric>

#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kSlice{"slice"};

// How the members of every group cut one dim.
struct Sharding {
  int dim = -1;
  hlo::DeviceGroups groups;   // members sorted by the shard that they keep
  std::vector<int64_t> base;  // by device: where its group's range begins
  bool is_whole = false;      // the range is the whole dim
};

// The groups with members sorted by start, if each group's starts are base + L * (0 .. n-1).
std::optional<Sharding> sharding_along(const std::vector<int64_t>& starts, int dim, int64_t size,
                                       int64_t cut, const hlo::DeviceGroups& groups) {
  Sharding result;
  result.dim = dim;
  result.base.resize(starts.size());
  int64_t n = groups.group_size();
  for (std::vector<int64_t> group : groups.groups) {
    std::sort(group.begin(), group.end(),
              [&](int64_t a, int64_t b) { return starts[a] < starts[b]; });
    int64_t base = starts[group.front()];
    for (int64_t i = 0; i < n; ++i) {
      if (starts[group[i]] != base + i * cut) return std::nullopt;
    }
    for (int64_t member : group) result.base[member] = base;
    result.groups.groups.push_back(std::move(group));
  }
  result.is_whole = n * cut == size;
  return result;
}

std::optional<Sharding> find_sharding(const HloGraph& h, const Match& m, int rank,
                                      const char** reason) {
  NodeId reduction = m.node(kReduction);
  const hlo::DeviceGroups& groups = *h.collective(reduction).groups;
  const hlo::Dims& whole = h.op(reduction).shape.dims;
  const std::vector<int64_t>& sizes = h.op(m.node(kSlice)).ints;
  *reason = "no dim is cut";
  for (int dim = 0; dim < rank; ++dim) {
    if (sizes[dim] == whole[dim] || sizes[dim] == 0) continue;
    std::vector<int64_t> starts = clamped_starts(h, m[kStarts[dim]], whole[dim], sizes[dim]);
    if (starts.empty()) {
      *reason = "where a device's slice starts is not known";
      continue;
    }
    auto sharding = sharding_along(starts, dim, whole[dim], sizes[dim], groups);
    if (sharding) return sharding;
    *reason = "the members of a group do not keep one shard each";
  }
  return std::nullopt;
}

bool cuts_other_dims(const std::vector<int64_t>& sizes, const hlo::Dims& whole, int dim) {
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    if (i != dim && sizes[i] != whole[i]) return true;
  }
  return false;
}

// The range of each group, where that is not the whole dim: DS_d(x, base, n * cut).
std::optional<ClassId> group_range(HloGraph& h, const Match& m, int rank, const Sharding& sharding,
                                   int64_t length) {
  hlo::ComputationId region = h.facts_of(m[kX]).region;
  std::optional<ClassId> base = h.device_table(region, sharding.base);
  if (!base) return std::nullopt;
  ClassId zero = h.integer_constant(region, hlo::ElementType::kS32, 0);
  std::vector<ClassId> starts(rank, zero);
  starts[sharding.dim] = *base;
  hlo::Dims sizes = h.dims(m[kX]);
  sizes[sharding.dim] = length;
  return h.dynamic_slice(m.node(kSlice), m[kX], starts, sizes);
}

Outcome scatter(HloGraph& h, const Match& m, int rank) {
  const char* reason = nullptr;
  std::optional<Sharding> sharding = find_sharding(h, m, rank, &reason);
  if (!sharding) return refuse(reason);
  NodeId reduction = m.node(kReduction);
  auto collective = h.collectives().with_groups(h.op(reduction).collective, sharding->groups);
  if (!collective) return refuse("without a channel the groups cannot follow the partitions");
  std::vector<int64_t> sizes = h.op(m.node(kSlice)).ints;
  hlo::Dims whole = h.op(reduction).shape.dims;
  int dim = sharding->dim;
  ClassId operand = m[kX];
  if (!sharding->is_whole) {
    int64_t n = sharding->groups.group_size();
    std::optional<ClassId> range = group_range(h, m, rank, *sharding, n * sizes[dim]);
    if (!range) return refuse("a group's range cannot be written");
    operand = *range;
  }
  ClassId scattered = h.reduce_scatter(operand, dim, *collective, {reduction});
  if (!cuts_other_dims(sizes, whole, dim)) return scattered;
  std::vector<ClassId> starts = starts_of(m, rank);
  starts[dim] = h.integer_constant(h.facts_of(scattered).region, h.type(starts[dim]), 0);
  return h.dynamic_slice(m.node(kSlice), scattered, starts, hlo::Dims(sizes.begin(), sizes.end()));
}

void add_rank(RuleBook& book, int rank) {
  HloGraph& h = book.hlo();
  book.add(book.rule("rank" + std::to_string(rank),
                     dynamic_slice(kSlice, all_reduce(kReduction, kX), rank))
               .where([&h, rank](const Match& m) -> Verdict {
                 const char* reason = nullptr;
                 if (find_sharding(h, m, rank, &reason)) return accept();
                 return refuse(reason);
               })
               .then([&h, rank](EGraph&, const Match& m) { return scatter(h, m, rank); }));
}

void add(RuleBook& book) {
  for (int rank = 1; rank <= kMaxRank; ++rank) add_rank(book, rank);
}

}  // namespace

Family reduce_own_shard() {
  return {{.name = "reduce-own-shard",
           .family = "collective algebra",
           .equation = "DS_d(AR(x), o) = RS_d(x)",
           .condition = "in every group, o gives each member another shard (of a range that is the "
                        "same for the group)",
           .order_open = true,
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
