// What an instruction does, decoded once: strides, offsets, groups, reducers. The interpreter asks
// for single elements and must not search attributes for each.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "hlo/window.h"
#include "verify/domain.h"

namespace flipsat::verify {

// Number of arrays (and tokens) in a shape, and the shape of one of them.
uint32_t part_count(const hlo::Shape& shape);
const hlo::Shape& part_shape(const hlo::Shape& shape, uint32_t part);

// Throws Unmodelled for dynamic shapes, of parts too, and for arrays whose indices would overflow.
void require_moderate(const hlo::Shape& shape);

// Flat index of an array seen as outer x dim x inner, for operations along one dim.
struct AlongDim {
  int64_t size = 1;
  int64_t inner = 1;

  int64_t outer_of(int64_t index) const { return index / (size * inner); }
  int64_t at(int64_t index) const { return index / inner % size; }
  int64_t inner_of(int64_t index) const { return index % inner; }
  int64_t flat(int64_t outer, int64_t at, int64_t within) const {
    return (outer * size + at) * inner + within;
  }
};

AlongDim along(const hlo::Dims& dims, int64_t dim);

// HLO's scatter. Every position among the indices (all dims but the vector's) makes one update
// window; entry i of these lists belongs to position i.
struct ScatterPlan {
  std::vector<int64_t> index_at;   // where its index vector begins in the indices
  std::vector<int64_t> update_at;  // where its window begins in the updates
  std::vector<hlo::Dims> batch;    // its coordinates in the operand's batching dims
  int64_t vector_step = 0;         // between the numbers of an index vector
  hlo::IntList to_operand;         // operand dim of each number
  hlo::IntList batching;           // operand dims that are given by the position
  hlo::Dims window;                // size in each operand dim
  hlo::Dims update_strides;        // in the updates, of each operand dim
};

// What an operation that is only a name reads of an operand: the dims whose coordinate is that of
// the result's dim (-1: all of the dim is read).
struct Reading {
  std::vector<int64_t> result_dim;
};

struct Plan {
  // The operation; of an asynchronous start the one that it starts. `lead` of its results are the
  // operands, passed along.
  hlo::Opcode opcode = hlo::Opcode::kParameter;
  uint32_t lead = 0;

  // Data movement that sends every result index to operand 0 at
  // offset + sum of coordinate[i] * multiplier[i].
  hlo::Dims strides;  // of the result
  hlo::Dims multipliers;
  int64_t offset = 0;

  ScalarOp scalar;
  Contraction contraction;
  // Of a dot: what it sums lies at even distances in each operand. Else nullopt.
  std::optional<int64_t> left_step, right_step;
  std::optional<hlo::Reducer> reducer;
  hlo::ComputationId reducer_computation = hlo::kNoId;
  uint64_t tag = 0;

  // Collectives: groups, and each device's group and position in it.
  hlo::DeviceGroupsRef groups;
  std::vector<uint32_t> group_of;
  std::vector<uint32_t> position_of;
  std::vector<int64_t> source_of;    // permute: device whose data each receives, or -1 for zeros
  std::vector<AlongDim> result_dim;  // by operand: the result along the collective's dim
  std::vector<AlongDim> operand_dim;

  // Windowed operations, by dim of the array (convolutions: by spatial dim).
  hlo::Window window;
  hlo::ConvolutionDims convolution;
  std::optional<ScatterPlan> scatter;
  std::vector<Reading> readings;  // by operand; empty: all of every operand

  // Dot, reduce: the contracted (reduced) index space as pairs of offsets into the operands, and
  // the result's coordinates as multipliers into them.
  std::vector<int64_t> inner_left;
  std::vector<int64_t> inner_right;
  hlo::Dims right_multipliers;

  // Concatenate: the operand dims along the joined one. Gather, scatter, pad: dims of operand 0.
  std::vector<AlongDim> pieces;
  hlo::Dims operand_dims;
  hlo::Dims operand_strides;
};

// Decodes; throws Unmodelled for what the interpreter has no meaning for.
std::unique_ptr<Plan> make_plan(const hlo::Module& module, const hlo::Instruction& instruction,
                                const hlo::DeviceCounts& counts);

// plan_windows.cc, plan_opaque.cc
void plan_window(const hlo::Module& module, const hlo::Instruction& instruction, Plan& plan);
void plan_convolution(const hlo::Module& module, const hlo::Instruction& instruction, Plan& plan);
void require_gather(const hlo::Module& module, const hlo::Instruction& instruction);
void plan_scatter(const hlo::Module& module, const hlo::Instruction& instruction, Plan& plan);
void plan_opaque(const hlo::Module& module, const hlo::Instruction& instruction, Plan& plan);
void plan_reducer(const hlo::Module& module, const hlo::Instruction& instruction, Plan& plan);

// The kind of products: element types, precision, algorithm.
Contraction contraction_of(const hlo::Module& module, const hlo::Instruction& instruction);

// Operations that are functions of what they read, with no meaning beyond their name.
bool is_opaque_function(hlo::Opcode opcode);

// The coordinates of a flat index, written to `out`.
void coordinates(int64_t index, const hlo::Dims& strides, const hlo::Dims& dims, int64_t* out);

// `{1,5}` as integers (for attributes that are kept as text).
std::vector<int64_t> integers_in(std::string_view text);

}  // namespace flipsat::verify
