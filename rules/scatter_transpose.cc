// scatter-transpose
//
//   transpose_p(RS_d(x)) = RS_o(transpose_p(x)), o = p^-1(d)      exact
//
// Result dim i of a transpose is operand dim p[i], so the scattered dim is found at o. The sums are
// the same sums of the same elements.
#include "hlo/data_movement.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kTranspose{"transpose"};

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("forward", unary(Kind::kTranspose, kTranspose, reduce_scatter(kReduction, kX)))
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId scatter = m.node(kReduction);
                 std::vector<int64_t> permutation = h.op(m.node(kTranspose)).ints;
                 int dim = hlo::dim_after_transpose(permutation, dim_of(h, scatter));
                 ClassId transposed = h.transpose(m.node(kTranspose), m[kX], permutation);
                 return h.reduce_scatter(transposed, dim, h.op(scatter).collective, {scatter});
               }));
  book.add(
      book.rule("backward", reduce_scatter(kReduction, unary(Kind::kTranspose, kTranspose, kX)))
          .then([&h](EGraph&, const Match& m) -> Outcome {
            NodeId scatter = m.node(kReduction);
            std::vector<int64_t> permutation = h.op(m.node(kTranspose)).ints;
            int dim = static_cast<int>(permutation[dim_of(h, scatter)]);
            ClassId scattered = h.reduce_scatter(m[kX], dim, h.op(scatter).collective, {scatter});
            return h.transpose(m.node(kTranspose), scattered, permutation);
          }));
}

}  // namespace

Family scatter_transpose() {
  return {{.name = "scatter-transpose",
           .family = "flips",
           .equation = "transpose_p(RS_d(x)) = RS_o(transpose_p(x)), o = p^-1(d)",
           .condition = "none"},
          add};
}

}  // namespace flipsat::rules
