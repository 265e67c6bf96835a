#include "egraph/dag/eliminate.h"

#include <algorithm>
#include <bit>

#include "egraph/dag/elimination_order.h"

namespace flipsat::egraph::dag {
namespace {

constexpr size_t kWidest = 22;  // tables of 32 MiB
constexpr Cost kNever = Cost{1} << 63;

Cost add(Cost a, Cost b) { return (a | b) & kNever ? kNever : a + b; }

// Costs by assignment; bit i of an assignment is the value of scope[i].
struct Table {
  std::vector<Number> scope;
  std::vector<Cost> costs;
};

class Eliminating {
 public:
  Eliminating(const Problem& problem, EliminationOrder order)
      : problem_(problem),
        order_(std::move(order)),
        buckets_(order_.variables.size()),
        decisions_(order_.variables.size()),
        is_used_(problem.class_count()) {
    for (const Number root : problem.roots) is_used_[root] = true;
    for (Number cls = 0; cls < problem.class_count(); ++cls) place(table_of(cls));
  }

  Elimination run(uint64_t& work) {
    for (Number turn = 0; turn < order_.variables.size(); ++turn) work += eliminate(turn);
    for (Number turn = static_cast<Number>(order_.variables.size()); turn-- > 0;) decide(turn);
    Elimination result;
    result.cost = paid_;
    result.selection.assign(problem_.class_count(), kNoId);
    for (Number cls = 0; cls < problem_.class_count(); ++cls) {
      if (is_used_[cls]) result.selection[cls] = cheapest_node(cls);
    }
    return result;
  }

 private:
  Table table_of(Number cls) const {
    Table table;
    const auto add_to_scope = [&](Number member) {
      if (!is_used_[member]) table.scope.push_back(member);  // roots have one value
    };
    add_to_scope(cls);
    for (const Number node : problem_.nodes(cls)) {
      for (const Number need : problem_.needs(node)) add_to_scope(need);
    }
    sort_scope(table.scope);
    const auto bit_of = [&](Number member) {
      return uint64_t{1} << (std::ranges::find(table.scope, member) - table.scope.begin());
    };
    const uint64_t own_bit = is_used_[cls] ? 0 : bit_of(cls);
    const uint64_t count = uint64_t{1} << table.scope.size();
    table.costs.assign(count, 0);
    for (uint64_t at = 0; at < count; ++at) {
      if ((at & own_bit) == own_bit) table.costs[at] = kNever;
    }
    for (const Number node : problem_.nodes(cls)) {
      uint64_t wanted = own_bit;
      for (const Number need : problem_.needs(node)) {
        if (!is_used_[need]) wanted |= bit_of(need);
      }
      // All assignments that have these bits.
      for (uint64_t at = wanted; at < count; at = (at + 1) | wanted) {
        table.costs[at] = std::min(table.costs[at], problem_.cost[node]);
      }
    }
    return table;
  }
  // By turn, the last one first: a table's first turn is then its highest bit.
  void sort_scope(std::vector<Number>& scope) const {
    std::ranges::sort(scope, std::greater(), [&](Number cls) { return order_.turn[cls]; });
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
  }
  void place(Table table) {
    if (table.scope.empty()) {
      paid_ = add(paid_, table.costs[0]);
    } else {
      buckets_[order_.turn[table.scope.back()]].push_back(std::move(table));
    }
  }

  uint64_t eliminate(Number turn) {
    std::vector<Table> tables = std::move(buckets_[turn]);
    Table joined;
    joined.scope = order_.neighbours[turn];
    sort_scope(joined.scope);
    const size_t width = joined.scope.size();
    const uint64_t count = uint64_t{1} << width;
    joined.costs.resize(count);
    std::vector<bool>& decision = decisions_[turn];
    decision.resize(count);
    // By table and bit of the joined scope: the bit in the table's scope. The variable itself is
    // the highest bit of each table.
    std::vector<uint64_t> bits(tables.size() * width);
    for (size_t i = 0; i < tables.size(); ++i) {
      for (size_t bit = 0; bit < width; ++bit) {
        const auto found = std::ranges::find(tables[i].scope, joined.scope[bit]);
        if (found == tables[i].scope.end()) continue;
        bits[bit * tables.size() + i] = uint64_t{1} << (found - tables[i].scope.begin());
      }
    }
    // In Gray code, so that one bit changes from one assignment to the next.
    std::vector<uint64_t> at(tables.size());
    uint64_t assignment = 0;
    for (uint64_t step = 0; step < count; ++step) {
      Cost off = 0, on = 0;
      for (size_t i = 0; i < tables.size(); ++i) {
        const Cost* costs = tables[i].costs.data() + at[i];
        off = add(off, costs[0]);
        on = add(on, costs[tables[i].costs.size() / 2]);
      }
      joined.costs[assignment] = std::min(off, on);
      decision[assignment] = on < off;
      const size_t flipped = static_cast<size_t>(std::countr_zero(step + 1));
      if (flipped >= width) break;
      assignment ^= uint64_t{1} << flipped;
      for (size_t i = 0; i < tables.size(); ++i) at[i] ^= bits[flipped * tables.size() + i];
    }
    place(std::move(joined));
    return count * (tables.size() + 1);
  }

  void decide(Number turn) {
    std::vector<Number> scope = order_.neighbours[turn];
    sort_scope(scope);
    uint64_t assignment = 0;
    for (size_t bit = 0; bit < scope.size(); ++bit) {
      if (is_used_[scope[bit]]) assignment |= uint64_t{1} << bit;
    }
    is_used_[order_.variables[turn]] = decisions_[turn][assignment];
  }

  Number cheapest_node(Number cls) const {
    Number best = kNoId;
    for (const Number node : problem_.nodes(cls)) {
      if (best != kNoId && problem_.cost[node] >= problem_.cost[best]) continue;
      if (std::ranges::all_of(problem_.needs(node), [&](Number need) { return is_used_[need]; })) {
        best = node;
      }
    }
    return best;
  }

  const Problem& problem_;
  const EliminationOrder order_;
  std::vector<std::vector<Table>> buckets_;   // by turn: tables that have no variable before
  std::vector<std::vector<bool>> decisions_;  // by turn and assignment of the neighbours
  std::vector<bool> is_used_;                 // by class: roots, and what was decided
  Cost paid_ = 0;
};

// How many steps an elimination takes at least.
uint64_t steps(const EliminationOrder& order) {
  uint64_t sum = 0;
  for (const auto& neighbours : order.neighbours) sum += uint64_t{2} << neighbours.size();
  return sum;
}

}  // namespace

std::optional<Elimination> eliminate(const Problem& problem, uint64_t most_work, uint64_t& work) {
  const size_t widest = std::min<size_t>(kWidest, std::bit_width(most_work));
  std::optional<EliminationOrder> order = elimination_order(problem, widest, work);
  if (!order || steps(*order) > most_work) return std::nullopt;
  return Eliminating(problem, std::move(*order)).run(work);
}

}  // namespace flipsat::egraph::dag
