// gather-reshape
//
//   reshape(AG_d(x)) = AG_o(reshape'(x))      exact
//
// A gather along d lays n blocks side by side; in row-major order everything up to d decides the
// block. The reshape keeps the blocks apart exactly if what stands before the new dim o has the
// size of what stood before d; going forward n must also divide the new dim. Going back any such d
// will do. Merging the gathered dim into one that stands before it interleaves the blocks. Going
// forward, the old gather's class also gets the reshape undone on the new one, so that who else
// reads it needs no second gather.
//
// What is the same on all members is not gathered but repeated (collective-of-uniform), by a
// broadcast along a new dim. Reshaping such gathers would make ever more dims.
#include "hlo/data_movement.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kReshape{"reshape"};

std::optional<int> forward_dim(const HloGraph& h, const Match& m) {
  NodeId gather = m.node(kGather);
  int64_t n = h.collective(gather).group_size();
  const hlo::Shape& gathered = h.op(gather).shape;
  if (n < 2 || gathered.element_count() == 0) return std::nullopt;
  return hlo::gather_dim_after_reshape(gathered.dims, dim_of(h, gather),
                                       h.op(m.node(kReshape)).shape.dims, n);
}

bool repeats(const HloGraph& h, const Match& m) {
  return is_repeated(h, m[kX], h.collective(m.node(kGather)));
}
constexpr const char* kRepeats = "the gather repeats one value";

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("forward", unary(Kind::kReshape, kReshape, all_gather(kGather, kX)))
               .where([&h](const Match& m) -> Verdict {
                 if (!forward_dim(h, m)) return refuse("the reshape mixes the gathered blocks");
                 if (repeats(h, m)) return refuse(kRepeats);
                 return accept();
               })
               .then([&h](EGraph& graph, const Match& m) -> Outcome {
                 NodeId gather = m.node(kGather);
                 NodeId reshape = m.node(kReshape);
                 int dim = *forward_dim(h, m);
                 hlo::Dims local = h.op(reshape).shape.dims;
                 local[dim] /= h.collective(gather).group_size();
                 ClassId reshaped = reshape_of(h, reshape, m[kX], local);
                 ClassId gathered = h.all_gather(reshaped, dim, h.op(gather).collective, {gather});
                 graph.merge(m[kGather], h.reshape(reshape, gathered, h.op(gather).shape.dims));
                 return gathered;
               }));
  book.add(book.rule("backward", all_gather(kGather, unary(Kind::kReshape, kReshape, kX)))
               .where([&h](const Match& m) -> Verdict {
                 const hlo::Dims& to = h.op(m.node(kReshape)).shape.dims;
                 if (hlo::product(to) == 0) return refuse("an empty array");
                 if (hlo::gather_dims_before_reshape(h.dims(m[kX]), to, dim_of(h, m.node(kGather)))
                         .empty()) {
                   return refuse("no dim before the reshape holds the same blocks");
                 }
                 if (repeats(h, m)) return refuse(kRepeats);
                 return accept();
               })
               .then([&h](EGraph& graph, const Match& m) -> Outcome {
                 NodeId gather = m.node(kGather);
                 NodeId reshape = m.node(kReshape);
                 hlo::Dims from = h.dims(m[kX]);
                 hlo::Dims result = h.op(gather).shape.dims;
                 ClassId equal = m.root();
                 for (int d : hlo::gather_dims_before_reshape(from, h.op(reshape).shape.dims,
                                                              dim_of(h, gather))) {
                   ClassId gathered = h.all_gather(m[kX], d, h.op(gather).collective, {gather});
                   ClassId reshaped = h.reshape(reshape, gathered, result);
                   graph.merge(equal, reshaped);
                 }
                 return equal;
               }));
}

}  // namespace

Family gather_reshape() {
  return {{.name = "gather-reshape",
           .family = "flips",
           .equation = "reshape(AG_d(x)) = AG_o(reshape(x))",
           .condition = "the dims before o hold as many elements as those before d; forward, the "
                        "group size divides o"},
          add};
}

}  // namespace flipsat::rules
