// reduce-transpose, scatter-transpose, reduce-slice, -dynamic-slice, -broadcast, -reverse, -pad,
// -reduce-dims, -concatenate, -dynamic-update-slice, -select
//
//   f(R(x), u) = R(f(x, u)),  R all-reduce, or reduce-scatter on a dim that f leaves whole
//
// exact: each element is the same sum, in another place. What f takes besides decides the same on
// all members, and elements that f adds are reduced to themselves. A reduce by R's own operation
// regroups the sum: exact where that is modular or picks one element, else reassoc.
#include "rules/movement/movement.h"

namespace flipsat::rules {
namespace {

template <Kind kMovement, Outward kOutward>
void add(RuleBook& book) {
  add_passage(book, Kind::kAllReduce, kMovement, kOutward);
  add_passage(book, Kind::kReduceScatter, kMovement, kOutward);
}

template <Kind kMovement>
void add_joint(RuleBook& book) {
  add_joint_passage(book, {Kind::kAllReduce, Kind::kReduceScatter}, kMovement);
}

}  // namespace

Family reduce_transpose() {
  return {movement_law("reduce-transpose", "transpose(AR(x)) = AR(transpose(x))", "none"),
          [](RuleBook& book) {
            add_passage(book, Kind::kAllReduce, Kind::kTranspose, Outward::kAlways);
          }};
}

Family scatter_transpose() {
  RuleInfo flip = movement_law("scatter-transpose",
                               "transpose_p(RS_d(x)) = RS_o(transpose_p(x)), o = p^-1(d)", "none");
  flip.family = "flips";
  return {flip, [](RuleBook& book) {
            add_passage(book, Kind::kReduceScatter, Kind::kTranspose, Outward::kAlways);
          }};
}

Family reduce_slice() {
  return {movement_law(
              "reduce-slice", "slice(R(x)) = R(slice(x)), R all-reduce or reduce-scatter",
              "a scattered dim is not cut; going out, x or another slice of it is reduced alike"),
          add<Kind::kSlice, Outward::kWithPartner>};
}

Family reduce_dynamic_slice() {
  return {movement_law(
              "reduce-dynamic-slice", "DS(R(x), i) = R(DS(x, i)), R all-reduce or reduce-scatter",
              "a scattered dim is not cut, and every start index of a cut dim is the same on all "
              "members of a group; going out, x is reduced alike"),
          add<Kind::kDynamicSlice, Outward::kWithPartner>};
}

Family reduce_broadcast() {
  return {movement_law("reduce-broadcast",
                       "broadcast(R(x)) = R(broadcast(x)), R all-reduce or reduce-scatter",
                       "the scattered dim is no new dim"),
          add<Kind::kBroadcast, Outward::kAlways>};
}

Family reduce_reverse() {
  return {movement_law("reduce-reverse",
                       "reverse(R(x)) = R(reverse(x)), R all-reduce or reduce-scatter",
                       "a scattered dim is not reversed"),
          add<Kind::kReverse, Outward::kAlways>};
}

Family reduce_pad() {
  return {movement_law(
              "reduce-pad", "pad(R(x), v) = R(pad(x, v)), R all-reduce or reduce-scatter",
              "a scattered dim is not padded; v is zero in a sum, zero or one in a product, else "
              "the same "
              "on all members of a group"),
          add<Kind::kPad, Outward::kAlways>};
}

Family reduce_reduce_dims() {
  return {movement_law(
              "reduce-reduce-dims",
              "reduce_e(R(x), v) = R(reduce_e(x, v)), R all-reduce or reduce-scatter",
              "both reduce by one operation; a scattered dim is not reduced; v is zero in a sum, "
              "zero or one in a product, else the same on all members of a group; going out, x is "
              "reduced "
              "alike; float sums: reassoc"),
          add<Kind::kReduce, Outward::kWithPartner>};
}

Family reduce_concatenate() {
  return {movement_law(
              "reduce-concatenate",
              "concatenate_e(R(x1), .., R(xk)) = R(concatenate_e(x1, .., xk)), R all-reduce or "
              "reduce-scatter",
              "a scattered dim is not e; an operand that is not reduced alike is reduced to "
              "itself; going out, one operand need not be reduced for this"),
          add_joint<Kind::kConcatenate>};
}

Family reduce_dynamic_update_slice() {
  return {
      movement_law("reduce-dynamic-update-slice",
                   "DUS(R(x), R(y), i) = R(DUS(x, y, i)), R all-reduce or reduce-scatter",
                   "the update has all of a scattered dim; every start index is the same on all "
                   "members of a group; an operand that is not reduced alike is reduced to itself; "
                   "going out, one operand need not be reduced for this"),
      add_joint<Kind::kDynamicUpdateSlice>};
}

Family reduce_select() {
  return {movement_law(
              "reduce-select",
              "select(p, R(x), R(y)) = R(select(p, x, y)), R all-reduce or reduce-scatter",
              "p is the same on all members of a group, and along a scattered array; an operand "
              "that is not reduced alike is reduced to itself; going out, one operand is reduced "
              "alike"),
          add_joint<Kind::kElementwise>};
}

}  // namespace flipsat::rules
