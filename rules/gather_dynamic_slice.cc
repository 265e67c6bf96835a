// gather-dynamic-slice
//
//   DS(AG_d(x), i) = AG_d(DS(x, i))      exact
//
// A slice that leaves the gathered dim whole can be taken before the gather, where it moves less.
// Each member slices what it sends, so every start index of a cut dim must be the same on all
// members of a group. Starts of dims that are not cut clamp to zero on both sides.
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kSlice{"slice"};

// The cut dims' starts agree within the groups; `whole` are the dims of the sliced array.
Verdict starts_agree(const HloGraph& h, const Match& m, int rank, int gathered_dim,
                     const hlo::Dims& whole) {
  const Operator& slice = h.op(m.node(kSlice));
  for (int dim = 0; dim < rank; ++dim) {
    if (slice.ints[dim] == whole[dim]) continue;
    if (dim == gathered_dim) return refuse("the gathered dim is cut");
    if (!is_uniform_start(h, m[kStarts[dim]], whole[dim], slice.ints[dim],
                          *h.collective(m.node(kGather)).groups)) {
      return refuse("a start index differs inside a group");
    }
  }
  return accept();
}

void add_rank(RuleBook& book, int rank) {
  HloGraph& h = book.hlo();
  std::string suffix = "/rank" + std::to_string(rank);
  book.add(book.rule("forward" + suffix, dynamic_slice(kSlice, all_gather(kGather, kX), rank))
               .where([&h, rank](const Match& m) -> Verdict {
                 NodeId gather = m.node(kGather);
                 return starts_agree(h, m, rank, dim_of(h, gather), h.op(gather).shape.dims);
               })
               .then([&h, rank](EGraph&, const Match& m) -> Outcome {
                 NodeId gather = m.node(kGather);
                 int dim = dim_of(h, gather);
                 const auto& ints = h.op(m.node(kSlice)).ints;
                 hlo::Dims sizes(ints.begin(), ints.end());
                 sizes[dim] = h.dims(m[kX])[dim];
                 ClassId sliced = h.dynamic_slice(m.node(kSlice), m[kX], starts_of(m, rank), sizes);
                 return h.all_gather(sliced, dim, h.op(gather).collective, {gather});
               }));
  book.add(book.rule("backward" + suffix, all_gather(kGather, dynamic_slice(kSlice, kX, rank)))
               .where([&h, rank](const Match& m) -> Verdict {
                 return starts_agree(h, m, rank, dim_of(h, m.node(kGather)), h.dims(m[kX]));
               })
               .then([&h, rank](EGraph&, const Match& m) -> Outcome {
                 NodeId gather = m.node(kGather);
                 int dim = dim_of(h, gather);
                 const auto& ints = h.op(m.node(kSlice)).ints;
                 hlo::Dims sizes(ints.begin(), ints.end());
                 sizes[dim] = h.op(gather).shape.dims[dim];
                 ClassId gathered = h.all_gather(m[kX], dim, h.op(gather).collective, {gather});
                 return h.dynamic_slice(m.node(kSlice), gathered, starts_of(m, rank), sizes);
               }));
}

void add(RuleBook& book) {
  for (int rank = 1; rank <= kMaxRank; ++rank) add_rank(book, rank);
}

}  // namespace

Family gather_dynamic_slice() {
  return {{.name = "gather-dynamic-slice",
           .family = "flips",
           .equation = "DS(AG_d(x), i) = AG_d(DS(x, i))",
           .condition = "d is not cut, and every start index of a cut dim is the same on all "
                        "members of a group"},
          add};
}

}  // namespace flipsat::rules
