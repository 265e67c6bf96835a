// Operations that move elements along some dims and leave the others whole, as a collective meets
// them:
//
//   f(C_d(x), u) = C_o(f(x, u))
//
// C all-gather, all-reduce or reduce-scatter; f leaves dim d whole and puts it at o; what f takes
// besides x is the same on all members. One description of each f serves every collective, in both
// directions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/vocabulary.h"

namespace flipsat::rules {

// Where the operand's dim `dim` is in the result of f, and the other way round; nullopt where f
// cuts, reverses, pads, joins, reduces or makes it.
std::optional<int> dim_after(const HloGraph& hlo, NodeId f, int dim);
std::optional<int> dim_before(const HloGraph& hlo, NodeId f, int dim);

// The same on another operand (on others for a concatenate or dynamic-update-slice), whose dims may
// differ in size where f leaves them whole. A movement that undoes that of its operand gives what
// was there before.
ClassId move_alike(HloGraph& hlo, NodeId f, std::span<const ClassId> operands);

// Is what f takes besides the arrays the same on all members of the collective's groups (and, for a
// reduction, still what it was when the members' are reduced)?
Verdict asides_agree(const HloGraph& hlo, NodeId f, NodeId collective);

// A scalar that all members reduce to itself: zero in a sum, zero or one in a product; in a
// minimum, maximum, and, or anything that is the same on all.
bool is_kept_by_reduction(const HloGraph& hlo, ClassId scalar, const language::Collective& by);

// The scalar that a value is a broadcast of, if that is in its class.
std::optional<NodeId> splat_of(const HloGraph& hlo, ClassId value);

// The collective of another operand, along `dim` (an all-reduce has none).
ClassId collect_alike(HloGraph& hlo, NodeId collective, ClassId x, int dim,
                      std::vector<NodeId> sources);

// Does a collective of the same kind, groups and dim take this operand?
bool is_collected_alike(const HloGraph& hlo, ClassId operand, const Operator& collective, int dim);

// How the rules for one f and one collective are made.
enum class Outward : uint8_t {
  kAlways,       // no larger outside: transpose, reverse, broadcast, pad
  kWithPartner,  // larger outside, so only where the operand, or another part of it, is collected
                 // alike as well
};

// What tells the rewrites of a family for several collectives apart: "/all-reduce"; gathers have
// families of their own.
std::string suffix_of(Kind collective);

// Both directions for an f of one array.
void add_passage(RuleBook& book, Kind collective, Kind f, Outward outward);
// The same for a concatenate, dynamic-update-slice or select, of several arrays: each is collected
// alike, or the same on all members.
void add_joint_passage(RuleBook& book, const std::vector<Kind>& collectives, Kind f);

// A law of the family "data movement", both ways.
RuleInfo movement_law(std::string name, std::string equation, std::string condition);

}  // namespace flipsat::rules
