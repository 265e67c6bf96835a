// gather-own-shard
//
//   DS_d(AG_d(x), position * block) = x      exact
//
// What a member cuts out of a gather at its own place is what it put in. Cuts of other dims stay.
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kSlice{"slice"};

Verdict cuts_own_shard(const HloGraph& h, const Match& m) {
  NodeId gather = m.node(kGather);
  int dim = dim_of(h, gather);
  const std::vector<int64_t>& sizes = h.op(m.node(kSlice)).ints;
  int64_t block = h.dims(m[kX])[dim];
  if (sizes[dim] != block) return refuse("the slice is not one shard long");
  int64_t whole = h.op(gather).shape.dims[dim];
  std::vector<int64_t> starts = clamped_starts(h, m[kStarts[dim]], whole, block);
  if (starts.empty()) return refuse("where a device's slice starts is not known");
  for (const auto& group : h.collective(gather).groups->groups) {
    for (size_t position = 0; position < group.size(); ++position) {
      if (starts[group[position]] != static_cast<int64_t>(position) * block) {
        return refuse("a device cuts out another shard than its own");
      }
    }
  }
  return accept();
}

void add_rank(RuleBook& book, int rank) {
  HloGraph& h = book.hlo();
  book.add(book.rule("rank" + std::to_string(rank),
                     dynamic_slice(kSlice, all_gather(kGather, kX), rank))
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
}

void add(RuleBook& book) {
  for (int rank = 1; rank <= kMaxRank; ++rank) add_rank(book, rank);
}

}  // namespace

Family gather_own_shard() {
  return {{.name = "gather-own-shard",
           .family = "collective algebra",
           .equation = "DS_d(AG_d(x), position * block) = x",
           .condition = "every device cuts out the shard that it put in",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
