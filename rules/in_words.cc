#include "rules/in_words.h"

#include <map>

namespace flipsat::rules {

std::string_view in_words(const std::string& rule) {
  static const std::map<std::string, std::string_view, std::less<>> kWords = {
      // flips
      {"gather-convert",
       "a convert looks at one element at a time and a gather only places elements, so converting "
       "before or after gathering gives the same"},
      {"gather-reshape",
       "a reshape that keeps each shard together can be done on the shards before they are "
       "gathered"},
      {"gather-elementwise",
       "an operation on each element can be done on the shards before they are gathered"},
      {"gather-dynamic-slice",
       "a slice that leaves the gathered dim whole can be taken from each shard before gathering"},
      {"reduce-convert", "the values can be converted before they are reduced instead of after"},
      {"scatter-transpose",
       "a transpose only renames dims, so it can be done before the reduce-scatter"},
      // collective algebra
      {"reduce-own-shard",
       "a device that sums the whole and keeps only its own shard needs no more than a "
       "reduce-scatter"},
      {"gather-own-shard",
       "a device that gathers the whole and keeps only its own shard had that shard before"},
      {"reduce-scatter-gather", "an all-reduce is a reduce-scatter followed by an all-gather"},
      {"reduce-reduce", "two sums over groups one after the other are one sum over both"},
      {"scatter-reduce",
       "summing over some devices and scattering over others can be done in either order"},
      {"scatter-scatter", "two reduce-scatters one after the other are one, or change places"},
      {"gather-gather", "two all-gathers one after the other are one, or change places"},
      {"gather-reduce", "a gather and a sum over different devices can be done in either order"},
      {"collective-of-one", "a collective among one device alone does nothing"},
      {"collective-of-uniform",
       "every member of the group has the same value already, so nothing has to be sent"},
      {"reduce-update",
       "summing arrays in which each device has filled another block is gathering the blocks"},
      // data movement
      {"gather-transpose", "a transpose only renames dims, so it can be done on the shards"},
      {"gather-slice", "a slice that leaves the gathered dim whole can be taken from the shards"},
      {"gather-broadcast", "a shard can be broadcast along other dims before it is gathered"},
      {"gather-reverse", "other dims than the gathered one can be reversed on the shards"},
      {"gather-pad", "other dims than the gathered one can be padded on the shards"},
      {"gather-concatenate",
       "arrays gathered alike can be joined along another dim first and gathered once"},
      {"gather-dynamic-update-slice",
       "a part can be written into each shard before gathering instead of into the whole"},
      {"gather-reduce-dims", "other dims than the gathered one can be summed on the shards"},
      {"gather-reduce-own-dim",
       "instead of gathering a dim and summing over it, each device sums its shard and the sums "
       "are "
       "all-reduced"},
      {"reduce-transpose", "a transpose only renames dims, so it can be done before the sum"},
      {"reduce-reshape", "a reshape only renames places, so it can be done before the sum"},
      {"reduce-slice", "only what is kept of a sum has to be summed"},
      {"reduce-dynamic-slice",
       "only what is kept of a sum has to be summed, where all members keep the same part"},
      {"reduce-broadcast", "a sum can be broadcast after it is made instead of before"},
      {"reduce-reverse", "elements can be put in another order before they are summed or after"},
      {"reduce-pad", "a sum can be padded before or after it is made"},
      {"reduce-concatenate", "arrays summed alike can be joined first and summed at once"},
      {"reduce-dynamic-update-slice",
       "a part can be written into an array before both are summed instead of after"},
      {"reduce-select",
       "which of two sums is taken can be decided before summing, where all members decide alike"},
      {"reduce-reduce-dims",
       "summing over dims and summing over devices can be done in either order"},
      // sums
      {"reduce-sum", "the sum of two sums over devices is one sum over devices of the sum"},
      {"reduce-scale", "a factor that all members share can be taken into or out of the sum"},
      // permutes and all-to-alls
      {"permute-permute", "two permutes one after the other are one"},
      {"permute-of-uniform",
       "each device would receive what it has already, so nothing has to be sent"},
      {"permute-sum", "two permutes that never meet at a device can be sent as one"},
      {"all-to-all-inverse", "the second all-to-all puts everything back where it was"},
      {"all-to-all-of-uniform",
       "every member of the group has the same value already, so nothing has to be sent"},
      // dots
      {"gather-dot",
       "a matrix product can be made of each shard, and the products gathered instead of the "
       "operand"},
      {"gather-dot-contracted",
       "instead of gathering a contracted dim, each device multiplies its shards and the products "
       "are summed over the devices"},
      {"reduce-dot", "a matrix product by what all members share can be made before the sum"},
      {"dot-transpose", "a transpose of an operand or result is a matter of naming the dot's dims"},
      // see-through
      {"convert-convert", "a convert to a wider type and on is one convert"},
      {"reshape-reshape", "two reshapes one after the other are one"},
      {"transpose-transpose", "two transposes one after the other are one"},
      {"slice-slice", "a slice of a slice is one slice, and a slice of everything is nothing"},
      {"broadcast-broadcast", "two broadcasts one after the other are one"},
      {"reverse-reverse", "two reverses one after the other are one, or nothing"},
      {"pad-nothing", "a pad that adds nothing is nothing"},
      {"whole-slice", "a slice of everything is nothing"},
      {"tuple-element", "an element taken out of a tuple is what was put into it"},
      {"zero-times", "what is multiplied by zero is zero, and adding zero changes nothing"},
  };
  if (const auto found = kWords.find(rule); found != kWords.end()) return found->second;
  // One rule an operation that is carried through.
  if (rule.starts_with("permute-")) {
    return "what is done to each device's own array can be done before it is sent or after";
  }
  if (rule.starts_with("all-to-all-")) {
    return "what leaves the exchanged parts whole can be done before the exchange or after";
  }
  return "";
}

}  // namespace flipsat::rules
