// gather-own-shard
//
//   DS_d(AG_d(x), position * block) = x      exact
//   AG_d(DS_d(x, position * block)) = x      exact, x the same on all members of a group
//
// What a member cuts out of a gather at its own place is what it put in. Cuts of other dims stay.
// The other way round, members that each put in their part of one value get that value.
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kSlice{"slice"};

// Does every member start at its own block of the dim, `whole` long?
Verdict starts_at_own_shard(const HloGraph& h, ClassId start, int64_t whole, int64_t block,
                            const hlo::DeviceGroups& groups) {
  std::vector<int64_t> starts = clamped_starts(h, start, whole, block);
  if (starts.empty()) return refuse("where a device's slice starts is not known");
  for (const auto& group : groups.groups) {
    for (size_t position = 0; position < group.size(); ++position) {
      if (starts[group[position]] != static_cast<int64_t>(position) * block) {
        return refuse("a device cuts out another shard than its own");
      }
    }
  }
  return accept();
}

Verdict cuts_own_shard(const HloGraph& h, const Match& m) {
  NodeId gather = m.node(kGather);
  int dim = dim_of(h, gather);
  int64_t block = h.dims(m[kX])[dim];
  if (h.op(m.node(kSlice)).ints[dim] != block) return refuse("the slice is not one shard long");
  return starts_at_own_shard(h, m[kStarts[dim]], h.op(gather).shape.dims[dim], block,
                             *h.collective(gather).groups);
}

Verdict gathers_own_shards(const HloGraph& h, const Match& m) {
  NodeId gather = m.node(kGather);
  int dim = dim_of(h, gather);
  if (h.op(gather).shape.dims != h.dims(m[kX]))
    return refuse("the shards are not all of the value");
  const hlo::DeviceGroups& groups = *h.collective(gather).groups;
  if (!h.uniform(m[kX], groups)) return refuse("the value differs inside a group");
  return starts_at_own_shard(h, m[kStarts[dim]], h.dims(m[kX])[dim], h.op(m.node(kSlice)).ints[dim],
                             groups);
}

void add_rank(RuleBook& book, int rank) {
  HloGraph& h = book.hlo();
  book.add(
      book.rule("rank" + std::to_string(rank), dynamic_slice(kSlice, all_gather(kGather, kX), rank))
          .where([&h](const Match& m) { return cuts_own_shard(h, m); })
          .then([&h, rank](EGraph&, const Match& m) -> Outcome {
            const auto& ints = h.op(m.node(kSlice)).ints;
            hlo::Dims sizes(ints.begin(), ints.end());
            if (sizes == h.dims(m[kX])) return m[kX];
            int dim = dim_of(h, m.node(kGather));
            std::vector<ClassId> starts = starts_of(m, rank);
            starts[dim] = h.integer_constant(h.facts_of(m[kX]).region, h.type(starts[dim]), 0);
            return h.dynamic_slice(m.node(kSlice), m[kX], starts, sizes);
          }));
  book.add(book.rule("of-uniform/rank" + std::to_string(rank),
                     all_gather(kGather, dynamic_slice(kSlice, kX, rank)))
               .where([&h](const Match& m) { return gathers_own_shards(h, m); })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add(RuleBook& book) {
  for (int rank = 1; rank <= kMaxRank; ++rank) add_rank(book, rank);
}

}  // namespace

Family gather_own_shard() {
  return {{.name = "gather-own-shard",
           .family = "collective algebra",
           .equation = "DS_d(AG_d(x), position * block) = x = AG_d(DS_d(x, position * block))",
           .condition = "every device cuts out its own shard; on the right x is the same on all "
                        "members of a group",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
