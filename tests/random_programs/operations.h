// Random operations on a value. Each gives the new value, or the value itself where the operation
// does not fit it.
#pragma once

#include <string>
#include <vector>

#include "tests/random_programs/program.h"

namespace flipsat::random_programs {

// ---- data movement ----
Value random_transpose(Body& body, const Value& x);
Value random_reshape(Body& body, const Value& x);
Value random_slice(Body& body, const Value& x);
// How starts differ between devices.
enum class Starts : uint8_t { kUniform, kByDevice, kAny };
Value random_dynamic_slice(Body& body, const Value& x, Starts starts, int whole_dim = -1);
Value random_update(Body& body, const Value& x);
Value random_pad(Body& body, const Value& x);
Value random_concatenate(Body& body, const Value& x);
Value random_broadcast(Body& body, const Value& x);
Value random_reverse(Body& body, const Value& x);
Value movement(Body& body, const Value& x);  // any of these

Value transpose(Body& body, const Value& x, const std::vector<int64_t>& permutation);
Value reshape(Body& body, const Value& x, const Dims& dims);
// What a device holds of one dim if every member of its group takes another block; `position` by
// device. Other dims stay whole.
Value cut_block(Body& body, const Value& x, int dim, int64_t block,
                const std::vector<int64_t>& position);

// ---- arithmetic ----
Value random_unary(Body& body, const Value& x);
Value random_binary(Body& body, const Value& x, const Value& y);
Value random_elementwise(Body& body, const Value& x);  // with operands of any kind
Value random_reduce(Body& body, const Value& x);
Value random_dot(Body& body, const Value& x);
Value convert(Body& body, const Value& x, ElementType type);
Value random_convert(Body& body, const Value& x);

// ---- collectives ----
Value gather(Body& body, const Value& x, int dim, const Grouping& grouping);
Value all_reduce(Body& body, const Value& x, const std::string& opcode, const Grouping& grouping);
Value reduce_scatter(Body& body, const Value& x, int dim, const std::string& opcode,
                     const Grouping& grouping);
std::string random_reducer(Random& random, ElementType type);
Value random_collective(Body& body, const Value& x);
// A value of this type with a dim that the number divides; the dim is given back.
Value divisible(Body& body, int64_t by, int& dim);

// ---- control ----
Value random_control(Body& body, const Value& x, int depth);
Value through_tuple(Body& body, const Value& x);

// ---- what rewrite rules look for ----
Value random_pattern(Body& body);

// One more step in a computation; `depth` bounds nesting.
void grow(Body& body, int steps, int depth);

}  // namespace flipsat::random_programs
