// gather-own-shard
//
//   DS_d(AG_d(x), position * block + c) = DS_d(x, c)     exact: inside the own shard
//   DS_d(AG_d,G(x), o) = AG_d,H(x)                       exact: whole shards, those of H
//   AG_d(DS_d(x, position * block)) = x                  exact: x the same on all of a group
//
// What a member cuts out of a gather at its own place is what it put in. If it cuts out several
// shards, its own among them, and so do the members whose shards they are, a smaller gather makes
// them. Cuts of other dims stay. The other way round, members that each put in their part of one
// value get that value.
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

// What a member cuts out along the gathered dim: a place inside its own shard, or whole shards.
struct Kept {
  std::vector<int64_t> places;              // by device; empty: whole shards
  std::optional<hlo::DeviceGroups> groups;  // who gathers them
};

Verdict find_inside(const std::vector<int64_t>& starts, int64_t block, int64_t cut,
                    const hlo::DeviceGroups& groups, Kept& kept) {
  kept.places.resize(starts.size());
  for (const auto& group : groups.groups) {
    for (size_t position = 0; position < group.size(); ++position) {
      const int64_t place = starts[group[position]] - static_cast<int64_t>(position) * block;
      if (place < 0 || place + cut > block) {
        return refuse("a device cuts out another shard than its own");
      }
      kept.places[group[position]] = place;
    }
  }
  return accept();
}

Verdict find_shards(const std::vector<int64_t>& starts, int64_t block, int64_t cut,
                    const hlo::DeviceGroups& groups, Kept& kept) {
  if (cut % block != 0) return refuse("the slice is not of whole shards");
  const int64_t count = cut / block;
  kept.groups.emplace();
  for (const auto& group : groups.groups) {
    for (int64_t position = 0; position < static_cast<int64_t>(group.size()); ++position) {
      const int64_t start = starts[group[position]];
      const int64_t first = start / block;
      if (start % block != 0) return refuse("the slice is not of whole shards");
      if (position < first || position >= first + count) {
        return refuse("a device cuts out other shards than its own");
      }
      const auto begin = group.begin() + first, end = begin + count;
      if (std::any_of(begin, end, [&](int64_t member) { return starts[member] != start; })) {
        return refuse("the devices whose shards are cut out cut out others");
      }
      if (position == first) kept.groups->groups.emplace_back(begin, end);
    }
  }
  auto& all = kept.groups->groups;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
  });
  return accept();
}

Verdict find_kept(const HloGraph& h, const Match& m, Kept& kept) {
  const NodeId gather = m.node(kGather);
  const int dim = dim_of(h, gather);
  const int64_t whole = h.op(gather).shape.dims[dim], cut = h.op(m.node(kSlice)).ints[dim];
  const int64_t block = h.dims(m[kX])[dim];
  const hlo::DeviceGroups& groups = *h.collective(gather).groups;
  if (cut == whole && groups.group_size() > 1) return refuse("the gathered dim is not cut");
  const std::vector<int64_t> starts = clamped_starts(h, m[kStarts[dim]], whole, cut);
  if (starts.empty()) return refuse("where a device's slice starts is not known");
  if (cut <= block) return find_inside(starts, block, cut, groups, kept);
  return find_shards(starts, block, cut, groups, kept);
}

Outcome keep(HloGraph& h, const Match& m, int rank) {
  const NodeId gather = m.node(kGather), slice = m.node(kSlice);
  const int dim = dim_of(h, gather);
  const auto& ints = h.op(slice).ints;
  hlo::Dims sizes(ints.begin(), ints.end());
  Kept kept;
  if (Verdict verdict = find_kept(h, m, kept); !verdict) return verdict;
  ClassId shards = m[kX];
  if (kept.groups) {
    auto fewer = h.collectives().with_groups(h.op(gather).collective, *kept.groups);
    if (!fewer) return refuse(kUnsayable);
    shards = h.all_gather(shards, dim, *fewer, {gather});
    kept.places.assign(h.counts().devices(), 0);
  }
  if (sizes == h.dims(shards)) return shards;
  std::vector<ClassId> starts = starts_of(m, rank);
  const hlo::ComputationId region = h.facts_of(shards).region;
  auto place = h.device_table(region, kept.places, h.type(starts[dim]));
  if (!place) return refuse("the place inside a shard cannot be written");
  starts[dim] = *place;
  return h.dynamic_slice(slice, shards, starts, sizes);
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
          .where([&h](const Match& m) {
            Kept kept;
            return find_kept(h, m, kept);
          })
          .then([&h, rank](EGraph&, const Match& m) { return keep(h, m, rank); }));
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
           .equation = "DS_d(AG_d(x), position * block + c) = DS_d(x, c), or AG_d(x) over fewer; "
                       "AG_d(DS_d(x, position * block)) = x",
           .condition = "every device cuts out what is inside its own shard, or whole shards of "
                        "devices that cut out the same; in the last x is the same on all members "
                        "of a group",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
