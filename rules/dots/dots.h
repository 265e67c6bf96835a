// Where the dims of a dot's operands go, and short ways to write patterns of dots.
#pragma once

#include "rules/vocabulary.h"

namespace flipsat::rules {

inline constexpr const char* kDotFamily = "dots";
inline constexpr OpVar kDot{"dot"};
inline constexpr ClassVar kOther{"other"};

enum class DotRole : uint8_t { kFree, kBatch, kContracted };

struct DotPlace {
  DotRole role = DotRole::kFree;
  int partner = -1;  // batch, contracted: the dim of the other operand
  int result = -1;   // free, batch: the dim of the result
};

// The operands of a dot, one of them being looked at.
struct DotView {
  language::DotDims dims;
  bool is_left = true;  // the one looked at is the left operand
  int rank = 0, other_rank = 0;

  DotPlace place(int dim) const;
  // The dim of the operand that is dim `result` of the result, if it has one there.
  std::optional<int> dim_of_result(int result) const;
};
DotView view_of_dot(const HloGraph& h, NodeId dot, bool is_left);

// dot(operand, other) where the operand is on the side looked at.
Pattern dot_of(bool is_left, Pattern operand, Pattern other);
ClassId dot_like(HloGraph& h, NodeId dot, bool is_left, ClassId operand, ClassId other);

inline std::string side_name(bool is_left) { return is_left ? "left" : "right"; }

// A sum of all members' values in the type; nullopt where attributes steer the gather. Groups as
// the gather has them.
std::optional<language::CollectiveIndex> sum_in_place_of_gather(HloGraph& h, NodeId gather,
                                                                hlo::ElementType type);

// May sums of this type be regrouped? Those of integers always.
bool may_regroup(hlo::ElementType type, hlo::Numerics allowed);
inline constexpr const char* kRegroups = "sums of floats are regrouped (--numerics reassoc)";

}  // namespace flipsat::rules
