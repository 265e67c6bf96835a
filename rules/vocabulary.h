// Words that the rule files share: variables, patterns by kind, short ways to read a match.
#pragma once

#include <algorithm>
#include <vector>

#include "egraph/rule.h"
#include "language/hlo_graph.h"
#include "rules/families.h"

namespace flipsat::rules {

using egraph::accept;
using egraph::ClassVar;
using egraph::EGraph;
using egraph::Match;
using egraph::OpVar;
using egraph::Outcome;
using egraph::Pattern;
using egraph::refuse;
using egraph::Verdict;
using language::ClassId;
using language::HloGraph;
using language::Kind;
using language::NodeId;
using language::Operator;

inline constexpr ClassVar kX{"x"};
inline constexpr OpVar kGather{"gather"}, kReduction{"reduction"}, kMoved{"moved"};

inline Pattern all_gather(OpVar name, Pattern operand) {
  return egraph::node(language::kind_number(Kind::kAllGather), name, {std::move(operand)});
}
inline Pattern all_reduce(OpVar name, Pattern operand) {
  return egraph::node(language::kind_number(Kind::kAllReduce), name, {std::move(operand)});
}
inline Pattern reduce_scatter(OpVar name, Pattern operand) {
  return egraph::node(language::kind_number(Kind::kReduceScatter), name, {std::move(operand)});
}
inline Pattern unary(Kind kind, OpVar name, Pattern operand) {
  return egraph::node(language::kind_number(kind), name, {std::move(operand)});
}

// Start indices of a dynamic-slice by dim.
inline constexpr ClassVar kStarts[kMaxRank] = {{"start0"}, {"start1"}, {"start2"},
                                               {"start3"}, {"start4"}, {"start5"}};

// A dynamic-slice of an array of the given rank.
inline Pattern dynamic_slice(OpVar name, Pattern operand, int rank) {
  std::vector<Pattern> children{std::move(operand)};
  for (int dim = 0; dim < rank; ++dim) children.push_back(kStarts[dim]);
  return egraph::node(language::kind_number(Kind::kDynamicSlice), name, std::move(children));
}
std::vector<ClassId> starts_of(const Match& match, int rank);

// The gathered or scattered dim of a matched collective.
inline int dim_of(const HloGraph& hlo, NodeId node) {
  return static_cast<int>(hlo.op(node).ints[0]);
}

// May sums by this reducer be added up in other groups than the program has them?
bool may_regroup(const hlo::Reducer& reducer, hlo::Numerics allowed);
inline constexpr const char* kNoRegrouping =
    "float sums would be added up in other groups (--numerics reassoc)";

// Why two matched collectives cannot be one whatever their groups; null if nothing is in the way.
// A gather has no reducer and goes with any.
const char* what_keeps_apart(const HloGraph& hlo, NodeId a, NodeId b);
inline constexpr const char* kUnsayable =
    "without a channel the groups cannot follow the partitions";

// A start index as it acts, by device: clamped to [0, size - cut]; empty where it is not known.
std::vector<int64_t> clamped_starts(const HloGraph& hlo, ClassId start, int64_t size, int64_t cut);

// Is a start index, after clamping, the same on all members of each group?
bool is_uniform_start(const HloGraph& hlo, ClassId start, int64_t size, int64_t cut,
                      const hlo::DeviceGroups& groups);

// Adds to each chain of additions the sum that it is, where the class of results in force lets its
// terms be added in another order.
void add_sums(HloGraph& hlo, hlo::Numerics numerics);

// Is all that this collective gathers or reduces one value, the same on all members of a group of
// two or more? Packed elements do not count: they are neither repeated nor scaled.
bool is_repeated(const HloGraph& hlo, ClassId x, const language::Collective& collective);

// The same elements with other dims. A reshape of a reshape is made one of what that was made of.
ClassId reshape_of(HloGraph& hlo, NodeId like, ClassId x, const hlo::Dims& dims);

}  // namespace flipsat::rules
