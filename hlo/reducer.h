// Reducers (`to_apply` of all-reduce, reduce-scatter, reduce), compared by what they compute.
#pragma once

#include <optional>
#include <string>

#include "hlo/module.h"

namespace flipsat::hlo {

enum class ReducerKind : uint8_t { kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr };

struct Reducer {
  ReducerKind kind;
  ElementType type;  // of both parameters and the root
  bool operator==(const Reducer&) const = default;
};

// The six kinds that XLA recognises: two scalar parameters of one type and a root that combines
// them in either order; and, or on pred only. Converts that cancel out are not looked through.
std::optional<Reducer> recognise_reducer(const Module& module, ComputationId computation);

// The reduction that an operation on two values of the type is a step of.
std::optional<ReducerKind> reduction_by(Opcode opcode, ElementType type);

// A string that two computations share exactly if they compute the same by structure: names,
// metadata and the order of commutative operands do not count. For reducers that are not
// recognised.
std::string computation_fingerprint(const Module& module, ComputationId computation);

bool is_idempotent(ReducerKind kind);  // min, max, and, or

// What XLA's all-reduce combiner keys on: the root's opcode and element type; nullopt where the
// combiner refuses (not exactly three instructions and two parameters).
struct CombinerReducer {
  Opcode root_opcode;
  ElementType root_type;
  bool operator==(const CombinerReducer&) const = default;
};
std::optional<CombinerReducer> combiner_reducer(const Module& module, ComputationId computation);

// Adds a computation to the module that reduces by `kind` on scalars of `type`, placed before all
// others, and returns it. An existing one that does so is returned instead, if it stands early
// enough in the text for every place that may want to name it.
ComputationId find_or_add_reducer(Module& module, ReducerKind kind, ElementType type);

}  // namespace flipsat::hlo
