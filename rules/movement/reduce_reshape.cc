// reduce-reshape
//
//   reshape(AR(x)) = AR(reshape(x))                        exact
//   reshape(RS_d(x)) = RS_o(reshape(x))                    exact
//
// An all-reduce adds up elements wherever they are. A reduce-scatter keeps, in row-major order,
// what stands before its dim apart: any o will do going in that has before it what was before d;
// going out the group size must also divide d. Either way the reduction's own class also gets the
// reshape undone on the new one, so that who else reads it needs no second sum.
#include "hlo/data_movement.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kReshape{"reshape"};

void add_all_reduce(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(
      book.rule("forward/all-reduce", unary(Kind::kReshape, kReshape, all_reduce(kReduction, kX)))
          .then([&h](EGraph& graph, const Match& m) -> Outcome {
            const NodeId reduction = m.node(kReduction), reshape = m.node(kReshape);
            const hlo::Dims from = h.op(reduction).shape.dims;
            const ClassId inside = reshape_of(h, reshape, m[kX], h.op(reshape).shape.dims);
            const ClassId reduced = h.all_reduce(inside, h.op(reduction).collective, {reduction});
            graph.merge(m[kReduction], h.reshape(reshape, reduced, from));
            return reduced;
          }));
  book.add(
      book.rule("backward/all-reduce", all_reduce(kReduction, unary(Kind::kReshape, kReshape, kX)))
          .then([&h](EGraph&, const Match& m) -> Outcome {
            const NodeId reduction = m.node(kReduction);
            const ClassId reduced = h.all_reduce(m[kX], h.op(reduction).collective, {reduction});
            return h.reshape(m.node(kReshape), reduced, h.op(reduction).shape.dims);
          }));
}

std::vector<int> dims_going_in(const HloGraph& h, const Match& m) {
  const NodeId scatter = m.node(kReduction);
  return hlo::scatter_dims_after_reshape(h.op(scatter).shape.dims, dim_of(h, scatter),
                                         h.op(m.node(kReshape)).shape.dims);
}

std::optional<int> dim_going_out(const HloGraph& h, const Match& m) {
  const NodeId scatter = m.node(kReduction);
  return hlo::scatter_dim_before_reshape(h.dims(m[kX]), h.op(m.node(kReshape)).shape.dims,
                                         dim_of(h, scatter), h.collective(scatter).group_size());
}

void add_reduce_scatter(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("forward/reduce-scatter",
                     unary(Kind::kReshape, kReshape, reduce_scatter(kReduction, kX)))
               .where([&h](const Match& m) -> Verdict {
                 if (!dims_going_in(h, m).empty()) return accept();
                 return refuse("no dim after the reshape holds the same blocks");
               })
               .then([&h](EGraph& graph, const Match& m) -> Outcome {
                 const NodeId scatter = m.node(kReduction), reshape = m.node(kReshape);
                 const hlo::Dims from = h.op(scatter).shape.dims;
                 const ClassId equal = m.root();
                 for (int dim : dims_going_in(h, m)) {
                   hlo::Dims whole = h.op(reshape).shape.dims;
                   whole[dim] *= h.collective(scatter).group_size();
                   const ClassId inside = reshape_of(h, reshape, m[kX], whole);
                   graph.merge(equal,
                               h.reduce_scatter(inside, dim, h.op(scatter).collective, {scatter}));
                 }
                 graph.merge(m[kReduction], h.reshape(reshape, equal, from));
                 return equal;
               }));
  book.add(book.rule("backward/reduce-scatter",
                     reduce_scatter(kReduction, unary(Kind::kReshape, kReshape, kX)))
               .where([&h](const Match& m) -> Verdict {
                 if (dim_going_out(h, m)) return accept();
                 return refuse("the reshape mixes the scattered blocks");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId scatter = m.node(kReduction);
                 const ClassId scattered = h.reduce_scatter(m[kX], *dim_going_out(h, m),
                                                            h.op(scatter).collective, {scatter});
                 return h.reshape(m.node(kReshape), scattered, h.op(scatter).shape.dims);
               }));
}

void add(RuleBook& book) {
  add_all_reduce(book);
  add_reduce_scatter(book);
}

}  // namespace

Family reduce_reshape() {
  return {
      {.name = "reduce-reshape",
       .family = "data movement",
       .equation = "reshape(R(x)) = R(reshape(x)), R all-reduce or reduce-scatter",
       .condition = "the dims before a scattered dim hold as many elements on both sides; going "
                    "out, the group size divides it"},
      add};
}

}  // namespace flipsat::rules
