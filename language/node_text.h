// An e-node as people read HLO: the operation and what decides it, in one short line.
//
//   bf16[64,32] all-gather(%w), dims={0}, groups=[1,8]
//
// Not HLO that could be read again: groups are told by their form, attributes that steer a compiler
// are left out, an opaque instruction is its opcode.
#pragma once

#include <span>
#include <string>

#include "language/hlo_graph.h"

namespace flipsat::language {

// With its type, or without where that is said elsewhere. The operands are given as text.
std::string node_text(const HloGraph& hlo, const Operator& op,
                      std::span<const std::string> operands, bool with_shape);
// As a term that others may stand in: `all-gather(%w, dims={0}, groups=[1,8])`.
std::string term_text(const HloGraph& hlo, const Operator& op,
                      std::span<const std::string> operands);

// "[1,8]", "[2,4] of unlike size", "{{0,2},{1,3}}" where few devices make it short: who takes part.
std::string groups_text(const hlo::DeviceGroups& groups);

// Integer scalars, and the tables that they are read from: where a slice starts.
bool is_index_arithmetic(const HloGraph& hlo, ClassId cls);

}  // namespace flipsat::language
