// gather-convert
//
//   convert(AG(x)) = AG(convert(x))      exact
//
// A convert looks at one element at a time, and a gather only places elements.
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kConvert{"convert"};

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("forward", unary(Kind::kConvert, kConvert, all_gather(kGather, kX)))
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId gather = m.node(kGather);
                 ClassId converted = h.convert(m.node(kConvert), m[kX]);
                 return h.all_gather(converted, dim_of(h, gather), h.op(gather).collective,
                                     {gather});
               }));
  book.add(book.rule("backward", all_gather(kGather, unary(Kind::kConvert, kConvert, kX)))
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId gather = m.node(kGather);
                 ClassId gathered =
                     h.all_gather(m[kX], dim_of(h, gather), h.op(gather).collective, {gather});
                 return h.convert(m.node(kConvert), gathered);
               }));
}

}  // namespace

Family gather_convert() {
  return {{.name = "gather-convert",
           .family = "flips",
           .equation = "convert(AG(x)) = AG(convert(x))",
           .condition = "none"},
          add};
}

}  // namespace flipsat::rules
