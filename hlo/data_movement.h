// The conditions under which data movement passes a collective, on dims alone. Shared by rules,
// passes and the tests that try them on all small shapes.
#pragma once

#include <optional>
#include <vector>

#include "hlo/shape.h"

namespace flipsat::hlo {

// reshape(AG_d(x)) = AG_o(reshape'(x)): the one dim `o` of the result `to` that a gather along `d`
// over n >= 2 members of the array `gathered` (AG's result dims) can take, or nullopt. Condition:
// prod(to[<o]) == prod(gathered[<d]) and n divides to[o].
std::optional<int> gather_dim_after_reshape(const Dims& gathered, int d, const Dims& to, int64_t n);

// AG_o(reshape x) = reshape(AG_d x), x with dims `from`, reshape result `to`, gathered along `o`:
// every `d` with prod(from[<d]) == prod(to[<o]), smallest first. There may be several, all right.
std::vector<int> gather_dims_before_reshape(const Dims& from, const Dims& to, int o);

// reshape(RS_d x) = RS_o(reshape x): RS result dims `scattered`, reshape result `to`: every `o`
// with prod(to[<o]) == prod(scattered[<d]).
std::vector<int> scatter_dims_after_reshape(const Dims& scattered, int d, const Dims& to);

// RS_o(reshape x) = reshape(RS_d x), x with dims `from`, scattered along o of `to` over n members:
// the one d with prod(from[<d]) == prod(to[<o]) and n divides from[d].
std::optional<int> scatter_dim_before_reshape(const Dims& from, const Dims& to, int o, int64_t n);

// Position of dim d after transpose with `permutation` (result dim i = operand dim
// permutation[i]). Throws std::logic_error where the permutation lacks d.
int dim_after_transpose(const std::vector<int64_t>& permutation, int d);

// The permutation of the transpose that takes back one with this permutation.
std::vector<int64_t> inverse_permutation(const std::vector<int64_t>& permutation);

}  // namespace flipsat::hlo
