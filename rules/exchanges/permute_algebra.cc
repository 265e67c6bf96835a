// Permutes among themselves:
//
//   permute-permute:     CP_Q(CP_P(x)) = CP_PQ(x)    pairs of PQ: what P sends and Q sends on
//   permute-of-uniform:  CP_P(x) = x    all devices are targets, x is the same on each pair
//   permute-sum:         CP_P(x) + CP_Q(x) = CP_P+Q(x)    no device sends, or receives, in both
//
// exact but for sums of floats, where a zero that is added takes the sign from -0: reassoc.
// Permutes with attributes that may be about their pairs (bounds within which one sends) are not
// joined.
#include "rules/exchanges/exchange.h"
#include "rules/exchanges/permutes.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kOuter{"outer"}, kInner{"inner"}, kSum{"sum"};

// None, or the partitioner's mark of a permute of its own.
bool says_nothing_of_pairs(const std::string& steering) {
  return steering.empty() || steering == "frontend_attributes={is_spmd_generated=\"true\"};";
}

bool may_be_joined(const language::Collective& a, const language::Collective& b) {
  return a.steering == b.steering && says_nothing_of_pairs(a.steering);
}

bool sends_all_to_all_devices(const HloGraph& h, const hlo::DevicePairs& pairs) {
  return static_cast<int64_t>(pairs.size()) == h.counts().devices();
}

hlo::DevicePairs joined(const hlo::DevicePairs& first, const hlo::DevicePairs& then) {
  hlo::DevicePairs both;
  for (const auto& [source, middle] : first) {
    for (const auto& [sender, target] : then) {
      if (sender == middle) both.emplace_back(source, target);
    }
  }
  return both;
}

// The pairs of both, sorted by source; nullopt where a device sends, or receives, in both.
std::optional<hlo::DevicePairs> united(const hlo::DevicePairs& a, const hlo::DevicePairs& b) {
  for (const auto& [source, target] : a) {
    for (const auto& [other_source, other_target] : b) {
      if (source == other_source || target == other_target) return std::nullopt;
    }
  }
  hlo::DevicePairs both = a;
  both.insert(both.end(), b.begin(), b.end());
  std::sort(both.begin(), both.end());
  return both;
}

Pattern permute(OpVar name, Pattern operand) {
  return unary(Kind::kCollectivePermute, name, std::move(operand));
}

bool has_one_user(const HloGraph& h, ClassId cls) {
  int users = 0;
  for ([[maybe_unused]] NodeId parent : h.graph().parents(cls)) {
    if (++users > 1) return false;
  }
  return users == 1;
}

// The permute that a class is and that may be joined with one that uses it.
NodeId joinable_permute(const HloGraph& h, ClassId cls, NodeId outer) {
  for (NodeId node : h.graph().nodes(cls)) {
    if (h.op(node).kind != Kind::kCollectivePermute) continue;
    if (may_be_joined(h.collective(outer), h.collective(node))) return node;
  }
  return egraph::kNoId;
}

// Is the permute itself sent on by one that alone uses it?
bool is_inside_chain(const HloGraph& h, NodeId permute) {
  const ClassId cls = h.graph().find(permute);
  if (!has_one_user(h, cls)) return false;
  const NodeId user = *h.graph().parents(cls).begin();
  return h.op(user).kind == Kind::kCollectivePermute &&
         may_be_joined(h.collective(user), h.collective(permute));
}

// A whole chain at once, from its last permute down to the first whose result is used elsewhere: of
// n permutes there would be n * n / 2 shorter joins, and those of a ring lead everywhere.
void add_permute_permute(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("join", permute(kOuter, permute(kInner, kX)))
               .where([&h](const Match& m) -> Verdict {
                 if (!may_be_joined(h.collective(m.node(kOuter)), h.collective(m.node(kInner)))) {
                   return refuse("attributes may be about the pairs");
                 }
                 const ClassId middle = h.graph().find(m.node(kInner));
                 if (!has_one_user(h, middle))
                   return refuse("what is in between is used elsewhere");
                 if (is_inside_chain(h, m.node(kOuter))) return refuse("part of a longer chain");
                 return accept();
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId outer = m.node(kOuter);
                 std::vector<NodeId> chain{outer, m.node(kInner)};
                 hlo::DevicePairs pairs =
                     joined(*h.collective(chain.back()).pairs, *h.collective(outer).pairs);
                 ClassId x = m[kX];
                 while (has_one_user(h, x)) {
                   const NodeId next = joinable_permute(h, x, outer);
                   if (next == egraph::kNoId || std::ranges::count(chain, next) > 0) break;
                   pairs = joined(*h.collective(next).pairs, pairs);
                   chain.push_back(next);
                   x = h.graph().children(next)[0];
                 }
                 if (pairs.empty()) {
                   const hlo::Dims dims = h.dims(x);
                   auto zero = h.constant(h.facts_of(x).region, h.type(x), 0);
                   if (!zero) return refuse("nothing is sent on, of a type that has no zero");
                   return h.broadcast(egraph::kNoId, *zero, {}, dims);
                 }
                 auto collective = h.collectives().as_permute(h.op(outer).collective, pairs);
                 if (!collective) return refuse("no mode can say the pairs");
                 return h.collective_permute(x, *collective, chain);
               })
               .looks_elsewhere());
}

void add_permute_of_uniform(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("stay", permute(kOuter, kX))
               .where([&h](const Match& m) -> Verdict {
                 const hlo::DevicePairs& pairs = *h.collective(m.node(kOuter)).pairs;
                 if (!sends_all_to_all_devices(h, pairs)) return refuse("a device gets zeros");
                 if (is_equal_on_pairs(h.equality(m[kX]), pairs)) return accept();
                 return refuse("the value differs between a source and its target");
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add_permute_sum(RuleBook& book) {
  HloGraph& h = book.hlo();
  const hlo::Numerics allowed = book.options().numerics;
  book.add(book.rule("unite", egraph::node(language::kind_number(Kind::kElementwise), kSum,
                                           {permute(kOuter, kX), permute(kInner, kX)}))
               .where([&h, allowed](const Match& m) -> Verdict {
                 const Operator& sum = h.op(m.node(kSum));
                 if (sum.opcode != hlo::Opcode::kAdd) return refuse("no sum");
                 const bool is_exact =
                     !hlo::is_float(sum.shape.type) && !hlo::is_complex(sum.shape.type);
                 if (!is_exact && allowed < hlo::Numerics::kReassoc) {
                   return refuse("the sign of a zero may differ (--numerics reassoc)");
                 }
                 const auto& a = h.collective(m.node(kOuter));
                 const auto& b = h.collective(m.node(kInner));
                 if (!may_be_joined(a, b)) return refuse("attributes may be about the pairs");
                 if (united(*a.pairs, *b.pairs)) return accept();
                 return refuse("a device sends or receives in both");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId a = m.node(kOuter), b = m.node(kInner);
                 auto pairs = united(*h.collective(a).pairs, *h.collective(b).pairs);
                 auto collective = h.collectives().as_permute(h.op(a).collective, *pairs);
                 if (!collective) return refuse("no mode can say the pairs");
                 return h.collective_permute(m[kX], *collective, {a, b});
               }));
}

}  // namespace

Family permute_permute() {
  return {exchange_law("permute-permute", "permute_Q(permute_P(x)) = permute_PQ(x)",
                       "no attributes that may be about the pairs"),
          add_permute_permute};
}

Family permute_of_uniform() {
  return {exchange_law("permute-of-uniform", "permute(x) = x",
                       "every device is a target; x is the same on a source and its target"),
          add_permute_of_uniform};
}

Family permute_sum() {
  return {exchange_law("permute-sum", "permute_P(x) + permute_Q(x) = permute_P+Q(x)",
                       "no device sends, or receives, in both; sums of floats: reassoc"),
          add_permute_sum};
}

}  // namespace flipsat::rules
