// gather-transpose, -slice, -broadcast, -reverse, -pad, -concatenate, -dynamic-update-slice,
// -dynamic-slice, -reduce-dims
//
//   f(AG_d(x), u) = AG_o(f(x, u))      exact
//
// A gather along d only places blocks; what f does along the other dims it does to each block
// alike. What f takes besides (start indices as they act, padding, initial values) is the same on
// all members, who each use their own. Starts of dims that are not cut clamp to zero on both sides.
#include "rules/movement/movement.h"

namespace flipsat::rules {
namespace {

template <Kind kMovement, Outward kOutward>
void add(RuleBook& book) {
  add_passage(book, Kind::kAllGather, kMovement, kOutward);
}

template <Kind kMovement>
void add_joint(RuleBook& book) {
  add_joint_passage(book, {Kind::kAllGather}, kMovement);
}

}  // namespace

Family gather_transpose() {
  return {movement_law("gather-transpose",
                       "transpose_p(AG_d(x)) = AG_o(transpose_p(x)), o = p^-1(d)", "none"),
          add<Kind::kTranspose, Outward::kAlways>};
}

Family gather_slice() {
  return {movement_law("gather-slice", "slice(AG_d(x)) = AG_d(slice(x))",
                       "d is not cut; going out, x or another slice of it is gathered alike"),
          add<Kind::kSlice, Outward::kWithPartner>};
}

Family gather_dynamic_slice() {
  RuleInfo flip =
      movement_law("gather-dynamic-slice", "DS(AG_d(x), i) = AG_d(DS(x, i))",
                   "d is not cut, and every start index of a cut dim is the same on all "
                   "members of a group");
  flip.family = "flips";
  return {flip, add<Kind::kDynamicSlice, Outward::kAlways>};
}

Family gather_broadcast() {
  return {
      movement_law("gather-broadcast", "broadcast(AG_d(x)) = AG_o(broadcast(x)), o where d goes",
                   "o is no new dim"),
      add<Kind::kBroadcast, Outward::kAlways>};
}

Family gather_reverse() {
  return {
      movement_law("gather-reverse", "reverse(AG_d(x)) = AG_d(reverse(x))", "d is not reversed"),
      add<Kind::kReverse, Outward::kAlways>};
}

Family gather_pad() {
  return {movement_law("gather-pad", "pad(AG_d(x), v) = AG_d(pad(x, v))",
                       "d is not padded, v is the same on all members of a group"),
          add<Kind::kPad, Outward::kAlways>};
}

Family gather_reduce_dims() {
  return {movement_law("gather-reduce-dims", "reduce_e(AG_d(x), v) = AG_o(reduce_e(x, v))",
                       "d is not reduced, v is the same on all members of a group; going out, x is "
                       "gathered alike"),
          add<Kind::kReduce, Outward::kWithPartner>};
}

Family gather_concatenate() {
  return {movement_law(
              "gather-concatenate",
              "concatenate_e(AG_d(x1), .., AG_d(xk)) = AG_d(concatenate_e(x1, .., xk))",
              "d is not e; an operand that is not gathered alike is the same on all members of a "
              "group; going out, one operand need not be gathered for this"),
          add_joint<Kind::kConcatenate>};
}

Family gather_dynamic_update_slice() {
  return {movement_law(
              "gather-dynamic-update-slice", "DUS(AG_d(x), AG_d(y), i) = AG_d(DUS(x, y, i))",
              "the update has all of d; every start index is the same on all members of a group, "
              "so is an operand that is not gathered alike; going out, one operand need not be "
              "gathered for this"),
          add_joint<Kind::kDynamicUpdateSlice>};
}

}  // namespace flipsat::rules
