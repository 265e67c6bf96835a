// reduce-convert
//
//   convert(R(x)) = R'(convert(x)),  R all-reduce or reduce-scatter, R' rebuilt at the new type
//
// min and max commute with every convert that keeps the order of values, integer sums and products
// with truncation (they are modular): equal. A float sum made in a wider type is only more precise:
// a directed edge, and never the other way. Everything else is refused; hlo/reduce_convert.h has
// the table.
#include "hlo/reduce_convert.h"
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kConvert{"convert"};

ClassId reduce_like(HloGraph& h, NodeId reduction, ClassId x, const hlo::Reducer& reducer) {
  auto collective = h.collectives().with_reducer(h.op(reduction).collective, reducer);
  if (h.op(reduction).kind == Kind::kAllReduce) return h.all_reduce(x, collective, {reduction});
  return h.reduce_scatter(x, dim_of(h, reduction), collective, {reduction});
}

hlo::ReduceConvert forward(const HloGraph& h, const Match& m) {
  return hlo::convert_after_reduce(*h.collective(m.node(kReduction)).reducer,
                                   h.op(m.node(kConvert)).shape.type);
}

Verdict may_go_forward(const HloGraph& h, const Match& m, hlo::Numerics allowed) {
  hlo::ReduceConvert result = forward(h, m);
  switch (result.how) {
    case hlo::ConvertThroughReduce::kEqual:
      return accept();
    case hlo::ConvertThroughReduce::kMore:
      if (allowed >= hlo::Numerics::kPrecise) return accept();
      return refuse("a wider sum is more precise, not equal (--numerics precise)");
    case hlo::ConvertThroughReduce::kReassoc:
      if (allowed >= hlo::Numerics::kReassoc) return accept();
      return refuse("the sign of an underflowed zero may differ (--numerics reassoc)");
    case hlo::ConvertThroughReduce::kNever:
      break;
  }
  return refuse(result.reason);
}

void add_both_ways(RuleBook& book, Kind kind, const std::string& name) {
  HloGraph& h = book.hlo();
  hlo::Numerics allowed = book.options().numerics;
  book.add(
      book.rule("forward/" + name, unary(Kind::kConvert, kConvert, unary(kind, kReduction, kX)))
          .where([&h, allowed](const Match& m) { return may_go_forward(h, m, allowed); })
          .then([&h](EGraph& graph, const Match& m) -> Outcome {
            hlo::ReduceConvert result = forward(h, m);
            ClassId converted = h.convert(m.node(kConvert), m[kX]);
            ClassId reduced = reduce_like(h, m.node(kReduction), converted, result.reducer);
            if (result.how != hlo::ConvertThroughReduce::kMore) return reduced;
            graph.add_edge(m.root(), reduced);
            return Outcome::done();
          }));
  book.add(
      book.rule("backward/" + name, unary(kind, kReduction, unary(Kind::kConvert, kConvert, kX)))
          .where([&h](const Match& m) -> Verdict {
            const hlo::Reducer& reducer = *h.collective(m.node(kReduction)).reducer;
            if (hlo::reduce_before_convert(reducer, h.type(m[kX]))) return accept();
            return refuse("reducing before the convert is not the same");
          })
          .then([&h](EGraph&, const Match& m) -> Outcome {
            const hlo::Reducer& reducer = *h.collective(m.node(kReduction)).reducer;
            hlo::Reducer before = *hlo::reduce_before_convert(reducer, h.type(m[kX]));
            ClassId reduced = reduce_like(h, m.node(kReduction), m[kX], before);
            return h.convert(m.node(kConvert), reduced);
          }));
}

void add(RuleBook& book) {
  add_both_ways(book, Kind::kAllReduce, "all-reduce");
  add_both_ways(book, Kind::kReduceScatter, "reduce-scatter");
}

}  // namespace

Family reduce_convert() {
  return {{.name = "reduce-convert",
           .family = "flips",
           .equation = "convert(R(x)) = R(convert(x)), R all-reduce or reduce-scatter",
           .condition = "min, max: the convert keeps the order of values; integer sums: it "
                        "truncates; float sums: it widens, and only towards the wider sum "
                        "(precise)"},
          add};
}

}  // namespace flipsat::rules
