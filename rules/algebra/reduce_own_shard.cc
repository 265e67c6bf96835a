// reduce-own-shard
//
//   DS_d(AR(x), o) = RS_d(x)                    o a bijection of each group onto the shards
//   DS_d(AR(x), b + o) = RS_d(DS_d(x, b))       b the same on all members of a group
//   DS_d(AR(x), o) = AR_C(RS_d,T(x))            each shard kept by equally many members: C are
//   those
//                                               that keep the same, T one of each class
//
// exact, order-open: HLO leaves the order inside one collective's own reduction open. What a device
// keeps of a full sum is a scattered sum: members are sorted by the shard they keep. A float sum in
// two stages is one of the orders of the one: a directed edge, which `reassoc` makes an equality.
// Cuts of other dims stay outside, whatever their index; where they are shards of the classes, the
// rule meets them again.
#include <numeric>

#include "hlo/group_algebra.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kSlice{"slice"};

// How the members of every group cut one dim.
struct Sharding {
  int dim = -1;
  int64_t shards = 0;  // of a group's range
  hlo::ScatterAndReduce groups;
  std::vector<int64_t> base;  // by device: where its group's range begins
  bool is_whole = false;      // the range is the whole dim

  bool has_two_stages() const { return groups.reduce.group_size() > 1; }
};

// Nullopt unless each group's starts are base + L * (0 .. k-1), each of them equally often, k > 1.
std::optional<Sharding> sharding_along(const std::vector<int64_t>& starts, int dim, int64_t size,
                                       int64_t cut, const hlo::DeviceGroups& groups) {
  Sharding result;
  result.dim = dim;
  result.base.resize(starts.size());
  std::vector<int64_t> shard_of(starts.size());
  for (const auto& group : groups.groups) {
    int64_t base = starts[group.front()];
    for (int64_t member : group) base = std::min(base, starts[member]);
    for (int64_t member : group) {
      if ((starts[member] - base) % cut != 0) return std::nullopt;
      shard_of[member] = (starts[member] - base) / cut;
      result.base[member] = base;
      result.shards = std::max(result.shards, shard_of[member] + 1);
    }
  }
  auto split = hlo::scatter_and_reduce(groups, shard_of, result.shards);
  if (!split || result.shards < 2) return std::nullopt;
  result.groups = std::move(*split);
  result.is_whole = result.shards * cut == size;
  return result;
}

std::optional<Sharding> find_sharding(const HloGraph& h, const Match& m, int rank,
                                      const char** reason) {
  NodeId reduction = m.node(kReduction);
  const hlo::DeviceGroups& groups = *h.collective(reduction).groups;
  const hlo::Dims& whole = h.op(reduction).shape.dims;
  const std::vector<int64_t>& sizes = h.op(m.node(kSlice)).ints;
  *reason = "no dim is cut";
  std::optional<Sharding> finest;
  for (int dim = 0; dim < rank; ++dim) {
    if (sizes[dim] == whole[dim] || sizes[dim] == 0) continue;
    std::vector<int64_t> starts = clamped_starts(h, m[kStarts[dim]], whole[dim], sizes[dim]);
    if (starts.empty()) {
      *reason = "where a device's slice starts is not known";
      continue;
    }
    auto sharding = sharding_along(starts, dim, whole[dim], sizes[dim], groups);
    *reason = "the members of a group do not keep the shards evenly";
    if (sharding && (!finest || sharding->shards > finest->shards)) finest = std::move(sharding);
  }
  return finest;
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

Outcome scatter(EGraph& graph, HloGraph& h, const Match& m, int rank, hlo::Numerics allowed) {
  const char* reason = nullptr;
  std::optional<Sharding> sharding = find_sharding(h, m, rank, &reason);
  if (!sharding) return refuse(reason);
  NodeId reduction = m.node(kReduction);
  language::CollectiveIndex collective = h.op(reduction).collective;
  auto scattering = h.collectives().with_groups(collective, sharding->groups.scatter);
  auto reducing = h.collectives().with_groups(collective, sharding->groups.reduce);
  if (!scattering || !reducing) {
    return refuse(kUnsayable);
  }
  std::vector<int64_t> sizes = h.op(m.node(kSlice)).ints;
  hlo::Dims whole = h.op(reduction).shape.dims;
  int dim = sharding->dim;
  ClassId kept = m[kX];
  if (!sharding->is_whole) {
    std::optional<ClassId> range =
        group_range(h, m, rank, *sharding, sharding->shards * sizes[dim]);
    if (!range) return refuse("a group's range cannot be written");
    kept = *range;
  }
  kept = h.reduce_scatter(kept, dim, *scattering, {reduction});
  if (sharding->has_two_stages()) kept = h.all_reduce(kept, *reducing, {reduction});
  if (cuts_other_dims(sizes, whole, dim)) {
    std::vector<ClassId> starts = starts_of(m, rank);
    starts[dim] = h.integer_constant(h.facts_of(kept).region, h.type(starts[dim]), 0);
    kept = h.dynamic_slice(m.node(kSlice), kept, starts, hlo::Dims(sizes.begin(), sizes.end()));
  }
  bool is_equal =
      !sharding->has_two_stages() || may_regroup(*h.collective(reduction).reducer, allowed);
  if (is_equal) return kept;
  graph.add_edge(m.root(), kept);
  return Outcome::done();
}

void add_rank(RuleBook& book, int rank) {
  HloGraph& h = book.hlo();
  hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("rank" + std::to_string(rank),
                     dynamic_slice(kSlice, all_reduce(kReduction, kX), rank))
               .where([&h, rank](const Match& m) -> Verdict {
                 const char* reason = nullptr;
                 if (find_sharding(h, m, rank, &reason)) return accept();
                 return refuse(reason);
               })
               .then([&h, rank, allowed](EGraph& graph, const Match& m) {
                 return scatter(graph, h, m, rank, allowed);
               }));
}

void add(RuleBook& book) {
  for (int rank = 1; rank <= kMaxRank; ++rank) add_rank(book, rank);
}

}  // namespace

Family reduce_own_shard() {
  return {{.name = "reduce-own-shard",
           .family = "collective algebra",
           .equation = "DS_d(AR(x), o) = RS_d(x), or AR_C(RS_d(x))",
           .condition = "in every group, o gives each member another shard (of a range that is the "
                        "same for the group), or each shard to equally many, whose sums C adds up",
           .order_open = true,
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
