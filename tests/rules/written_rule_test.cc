// The rule that docs/writing-a-rule.md writes in C++: its code blocks stand here word for word.

// my-gather-transpose
//
//   transpose_p(AG_d(x)) = AG_o(transpose_p(x)), o = p^-1(d)      exact
//
// Result dim i of a transpose is operand dim p[i], so the gathered dim is found at o.
#include "hlo/data_movement.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kTranspose{"transpose"};

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("forward", unary(Kind::kTranspose, kTranspose, all_gather(kGather, kX)))
               .where([&h](const Match& m) -> Verdict {
                 if (h.collective(m.node(kGather)).group_size() > 1) return accept();
                 return refuse("a group of one gathers nothing");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId gather = m.node(kGather), transpose = m.node(kTranspose);
                 const std::vector<int64_t>& p = h.op(transpose).ints;
                 ClassId transposed = h.transpose(transpose, m[kX], p);
                 int dim = hlo::dim_after_transpose(p, dim_of(h, gather));
                 return h.all_gather(transposed, dim, h.op(gather).collective, {gather});
               }));
}

}  // namespace

Family my_gather_transpose() {
  return {{.name = "my-gather-transpose",
           .family = "flips",
           .equation = "transpose_p(AG_d(x)) = AG_o(transpose_p(x)), o = p^-1(d)",
           .condition = "none",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules

#include "optimizer/harness/text_programs.h"
#include "tests/catch.h"

namespace flipsat::rules::testing {
namespace {

TEST_CASE("my-gather-transpose is right on small programs") {
  optimizer::Counts counts =
      optimizer::check(optimizer::programs_of("transpose[p](all-gather[d, G](x))"),
                       optimizer::rule_rewriter(my_gather_transpose(), "forward"), {.scale = 0.2});
  CHECK(counts.fired > 0);
  CHECK(counts.wrong == 0);
}

}  // namespace
}  // namespace flipsat::rules::testing
