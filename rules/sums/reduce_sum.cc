// reduce-sum
//
//   R(x1) + .. + R(xk) + y1 + .. = R(x1 + .. + xk) + y1 + ..      R all-reduce or reduce-scatter
//
// + is R's own reduction. Exact for integers, min, max, and, or; reassoc for float sums and
// products, whose terms are then added in another order.
//
// A chain of additions whose partial sums nobody else uses comes in as one node of all its terms
// (Kind::kSum), made once, before any rule has run: several hundred terms are one match, and no
// subset of them is enumerated. All terms that are reduced alike are added before their reduction.
#include <map>
#include <tuple>

#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

using hlo::Opcode;

constexpr OpVar kSumNode{"sum"};

// Terms by how they are reduced.
struct Key {
  Kind kind;
  language::CollectiveIndex collective;
  std::vector<int64_t> dims;
  auto operator<=>(const Key&) const = default;
};
struct Reduced {
  std::vector<ClassId> operands;
  std::vector<NodeId> sources;
  std::vector<size_t> terms;
};

class Grouping {
 public:
  Grouping(const HloGraph& h, NodeId sum) {
    const Operator& op = h.op(sum);
    const hlo::Reducer reducer{*hlo::reduction_by(op.opcode, op.shape.type), op.shape.type};
    const auto terms = h.graph().children(sum);
    std::map<Key, Reduced> all;
    for (size_t i = 0; i < terms.size(); ++i) {
      std::set<Key> seen;
      for (NodeId node : h.graph().nodes(terms[i])) {
        const Operator& term = h.op(node);
        if (term.kind != Kind::kAllReduce && term.kind != Kind::kReduceScatter) continue;
        if (h.collective(node).reducer != reducer) continue;
        Key key{term.kind, term.collective, term.ints};
        if (!seen.insert(key).second) continue;
        Reduced& reduced = all[key];
        reduced.operands.push_back(h.graph().children(node)[0]);
        reduced.sources.push_back(node);
        reduced.terms.push_back(i);
      }
    }
    take_largest(all, terms.size());
    for (size_t i = 0; i < terms.size(); ++i) {
      if (!is_taken_[i]) others.push_back(terms[i]);
    }
  }

  std::map<Key, Reduced> reduced;  // those with several terms
  std::vector<ClassId> others;

 private:
  // A term that can be reduced in several ways goes with the most others.
  void take_largest(std::map<Key, Reduced>& all, size_t term_count) {
    is_taken_.assign(term_count, false);
    std::vector<std::map<Key, Reduced>::iterator> by_size;
    for (auto it = all.begin(); it != all.end(); ++it) by_size.push_back(it);
    std::ranges::stable_sort(by_size, [](const auto& a, const auto& b) {
      return a->second.terms.size() > b->second.terms.size();
    });
    for (const auto& it : by_size) {
      Reduced left;
      for (size_t i = 0; i < it->second.terms.size(); ++i) {
        if (is_taken_[it->second.terms[i]]) continue;
        left.operands.push_back(it->second.operands[i]);
        left.sources.push_back(it->second.sources[i]);
        left.terms.push_back(it->second.terms[i]);
      }
      if (left.terms.size() < 2) continue;
      for (size_t term : left.terms) is_taken_[term] = true;
      reduced.emplace(it->first, std::move(left));
    }
  }

  std::vector<bool> is_taken_;
};

ClassId add_up(HloGraph& h, Opcode opcode, std::vector<ClassId> terms) {
  // Halves first: as deep as need be, and float sums the more precise for it.
  while (terms.size() > 1) {
    std::vector<ClassId> next;
    for (size_t i = 0; i + 1 < terms.size(); i += 2) {
      const ClassId pair[] = {terms[i], terms[i + 1]};
      next.push_back(h.elementwise(opcode, pair));
    }
    if (terms.size() % 2 == 1) next.push_back(terms.back());
    terms = std::move(next);
  }
  return terms.front();
}

void add(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.before_all(
      [numerics = book.options().numerics](HloGraph& graph) { add_sums(graph, numerics); });
  book.add(book.rule("forward", egraph::any_node(language::kind_number(Kind::kSum), kSumNode))
               .where([&h](const Match& m) -> Verdict {
                 if (!Grouping(h, m.node(kSumNode)).reduced.empty()) return accept();
                 return refuse("no two terms are reduced alike");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId sum = m.node(kSumNode);
                 const Opcode opcode = h.op(sum).opcode;
                 Grouping grouping(h, sum);
                 std::vector<ClassId> terms;
                 for (auto& [key, reduced] : grouping.reduced) {
                   const ClassId added = add_up(h, opcode, reduced.operands);
                   terms.push_back(key.kind == Kind::kAllReduce
                                       ? h.all_reduce(added, key.collective, reduced.sources)
                                       : h.reduce_scatter(added, static_cast<int>(key.dims[0]),
                                                          key.collective, reduced.sources));
                 }
                 terms.insert(terms.end(), grouping.others.begin(), grouping.others.end());
                 return add_up(h, opcode, std::move(terms));
               })
               .looks_elsewhere());
}

}  // namespace

Family reduce_sum() {
  return {{.name = "reduce-sum",
           .family = "sums",
           .equation = "R(x) + R(y) = R(x + y), R all-reduce or reduce-scatter, + its reduction",
           .condition = "the same groups, reducer and dim; float sums and products: reassoc",
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
