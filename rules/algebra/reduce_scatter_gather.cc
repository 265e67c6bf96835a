// reduce-scatter-gather
//
//   AG_d(RS_d(x)) = AR(x)      the same ordered groups
//
// exact, order-open: each member makes its part of the sum and all gather the parts.
//
// A sum is taken apart only where a part may be all that is needed: a device keeps its own shard of
// something made of the sum, or joins the sum with something gathered over the same devices.
// Otherwise every sum would be two collectives along each of its dims.
#include <set>

#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

using language::CollectiveIndex;

constexpr OpVar kScatter{"scatter"};
constexpr int kMostSteps = 4;  // from the sum to its partner
constexpr size_t kMostReached = 64;

// Along which dim a sum may be taken apart, and in which order of members.
struct Partner {
  int dim = 0;
  hlo::DeviceGroups groups;
};

// What is made of a sum, and the dim of the sum behind each of its dims.
struct Reached {
  ClassId cls;
  std::vector<int64_t> dim_behind;
  int steps = 0;
};

// The groups with members in the order of the shards of `size / n` that they start at, if each
// keeps another one.
std::optional<hlo::DeviceGroups> order_of_shards(const std::vector<int64_t>& starts, int64_t size,
                                                 const hlo::DeviceGroups& groups) {
  if (starts.empty()) return std::nullopt;
  const int64_t cut = size / groups.group_size();
  hlo::DeviceGroups sorted = groups;
  for (auto& group : sorted.groups) {
    std::sort(group.begin(), group.end(),
              [&](int64_t a, int64_t b) { return starts[a] < starts[b]; });
    for (size_t i = 0; i < group.size(); ++i) {
      if (starts[group[i]] != static_cast<int64_t>(i) * cut) return std::nullopt;
    }
  }
  return sorted;
}

std::optional<Partner> slice_as_partner(const HloGraph& h, NodeId slice, const Reached& at,
                                        const hlo::DeviceGroups& groups) {
  const hlo::Dims& whole = h.dims(at.cls);
  const std::vector<int64_t>& sizes = h.op(slice).ints;
  const auto operands = h.graph().children(slice);
  if (h.graph().find(operands[0]) != at.cls) return std::nullopt;
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    if (sizes[dim] == 0 || sizes[dim] * groups.group_size() != whole[dim]) continue;
    auto sorted = order_of_shards(clamped_starts(h, operands[dim + 1], whole[dim], sizes[dim]),
                                  whole[dim], groups);
    if (sorted) return Partner{static_cast<int>(at.dim_behind[dim]), std::move(*sorted)};
  }
  return std::nullopt;
}

std::optional<Partner> gather_as_partner(const HloGraph& h, NodeId map, const Reached& at,
                                         const hlo::DeviceGroups& groups) {
  for (ClassId operand : h.graph().children(map)) {
    if (h.graph().find(operand) == at.cls || h.dims(operand) != h.dims(at.cls)) continue;
    for (NodeId node : h.graph().nodes(operand)) {
      if (h.op(node).kind != Kind::kAllGather) continue;
      const hlo::DeviceGroups& gathered = *h.collective(node).groups;
      if (gathered.without_order() != groups) continue;
      return Partner{static_cast<int>(at.dim_behind[dim_of(h, node)]), gathered};
    }
  }
  return std::nullopt;
}

// In the order in which they are reached: the nearest counts.
std::optional<Partner> find_partner(const HloGraph& h, NodeId sum) {
  const hlo::DeviceGroups& groups = *h.collective(sum).groups;
  const egraph::EGraph& graph = h.graph();
  Reached start{graph.find(sum), {}, 0};
  for (int dim = 0; dim < h.op(sum).shape.rank(); ++dim) start.dim_behind.push_back(dim);
  std::vector<Reached> reached{start};
  std::set<ClassId> seen{start.cls};
  for (size_t i = 0; i < reached.size() && reached.size() < kMostReached; ++i) {
    const Reached at = reached[i];
    for (NodeId parent : graph.parents(at.cls)) {
      const Operator& op = h.op(parent);
      std::optional<Partner> partner;
      // The sum's own shard is a scatter without this rule.
      if (op.kind == Kind::kDynamicSlice && at.steps > 0) {
        partner = slice_as_partner(h, parent, at, groups);
      }
      if (op.kind == Kind::kElementwise) partner = gather_as_partner(h, parent, at, groups);
      if (partner) return partner;
      const bool goes_on =
          op.kind == Kind::kElementwise || op.kind == Kind::kConvert || op.kind == Kind::kTranspose;
      if (!goes_on || at.steps == kMostSteps || !seen.insert(graph.find(parent)).second) continue;
      Reached next{graph.find(parent), at.dim_behind, at.steps + 1};
      if (op.kind == Kind::kTranspose) {
        for (size_t dim = 0; dim < op.ints.size(); ++dim) {
          next.dim_behind[dim] = at.dim_behind[op.ints[dim]];
        }
      }
      if (h.dims(next.cls).size() == next.dim_behind.size()) reached.push_back(std::move(next));
    }
  }
  return std::nullopt;
}

void add_merge(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("merge", all_gather(kGather, reduce_scatter(kScatter, kX)))
               .where([&h](const Match& m) -> Verdict {
                 const NodeId gather = m.node(kGather), scatter = m.node(kScatter);
                 if (dim_of(h, gather) != dim_of(h, scatter)) {
                   return refuse("what is gathered was scattered along another dim");
                 }
                 if (*h.collective(gather).groups != *h.collective(scatter).groups) {
                   return refuse("what is gathered was scattered over other groups");
                 }
                 const char* apart = what_keeps_apart(h, gather, scatter);
                 return apart ? refuse(apart) : accept();
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const CollectiveIndex scatter = h.op(m.node(kScatter)).collective;
                 auto sum = h.collectives().with_groups(
                     scatter, h.collectives()[scatter].groups->without_order());
                 if (!sum) return refuse(kUnsayable);
                 return h.all_reduce(m[kX], *sum, {m.node(kGather), m.node(kScatter)});
               }));
}

void add_split(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("split", all_reduce(kReduction, kX))
               .where([&h](const Match& m) -> Verdict {
                 if (h.collective(m.node(kReduction)).group_size() == 1) {
                   return refuse("a group of one gathers nothing");
                 }
                 if (find_partner(h, m.node(kReduction))) return accept();
                 return refuse("nothing is made of the sum of which a part is enough");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const NodeId sum = m.node(kReduction);
                 const std::optional<Partner> partner = find_partner(h, sum);
                 if (!partner) return Outcome::nothing();
                 auto scatter = h.collectives().with_groups(h.op(sum).collective, partner->groups);
                 if (!scatter) return refuse(kUnsayable);
                 ClassId part = h.reduce_scatter(m[kX], partner->dim, *scatter, {sum});
                 return h.all_gather(part, partner->dim,
                                     h.collectives().with_reducer(*scatter, std::nullopt), {});
               })
               .looks_elsewhere());
}

void add(RuleBook& book) {
  add_merge(book);
  add_split(book);
}

}  // namespace

Family reduce_scatter_gather() {
  return {{.name = "reduce-scatter-gather",
           .family = "collective algebra",
           .equation = "AG_d(RS_d(x)) = AR(x)",
           .condition = "the same ordered groups; a sum is taken apart only where a device keeps "
                        "its own shard of what is made of it, or joins it with a gather",
           .order_open = true},
          add};
}

}  // namespace flipsat::rules
