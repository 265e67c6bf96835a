// collective-of-one
//
//   AG(x) = AR(x) = RS(x) = A2A(x) = x, groups of one      exact
//
// A group of one gathers its own shard, adds up one value and exchanges nothing.
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

void add_kind(RuleBook& book, Kind kind) {
  HloGraph& h = book.hlo();
  book.add(book.rule(std::string(language::to_string(kind)), unary(kind, kReduction, kX))
               .where([&h](const Match& m) -> Verdict {
                 if (h.collective(m.node(kReduction)).group_size() == 1) return accept();
                 return refuse("the groups have several members");
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add(RuleBook& book) {
  add_kind(book, Kind::kAllGather);
  add_kind(book, Kind::kAllReduce);
  add_kind(book, Kind::kReduceScatter);
  add_kind(book, Kind::kAllToAll);
}

}  // namespace

Family collective_of_one() {
  return {{.name = "collective-of-one",
           .family = "collective algebra",
           .equation = "AG(x) = AR(x) = RS(x) = A2A(x) = x",
           .condition = "groups of one",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
