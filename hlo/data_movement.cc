#include "hlo/data_movement.h"

#include <limits>
#include <stdexcept>

namespace flipsat::hlo {
namespace {

// The equations are about non-empty arrays of a countable size and a reshape between them; a
// product of no elements would equal any other.
bool is_reshape_of_elements(const Dims& from, const Dims& to) {
  int64_t elements = product(from);
  return elements > 0 && elements < std::numeric_limits<int64_t>::max() && elements == product(to);
}

std::vector<int> dims_with_prefix(const Dims& dims, int64_t prefix) {
  std::vector<int> found;
  int64_t before = 1;
  for (int i = 0; i < static_cast<int>(dims.size()); ++i) {
    if (before == prefix) found.push_back(i);
    before *= dims[i];
  }
  return found;
}

std::optional<int> divisible_dim_with_prefix(const Dims& dims, int64_t prefix, int64_t n) {
  if (n < 2) return std::nullopt;
  // At most one: a dim that n divides is larger than 1, so no later dim has the same prefix.
  for (int i : dims_with_prefix(dims, prefix)) {
    if (dims[i] % n == 0) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> gather_dim_after_reshape(const Dims& gathered, int d, const Dims& to,
                                            int64_t n) {
  if (!is_reshape_of_elements(gathered, to)) return std::nullopt;
  return divisible_dim_with_prefix(to, product(gathered, 0, d), n);
}

std::vector<int> gather_dims_before_reshape(const Dims& from, const Dims& to, int o) {
  if (!is_reshape_of_elements(from, to)) return {};
  return dims_with_prefix(from, product(to, 0, o));
}

std::vector<int> scatter_dims_after_reshape(const Dims& scattered, int d, const Dims& to) {
  if (!is_reshape_of_elements(scattered, to)) return {};
  return dims_with_prefix(to, product(scattered, 0, d));
}

std::optional<int> scatter_dim_before_reshape(const Dims& from, const Dims& to, int o, int64_t n) {
  if (!is_reshape_of_elements(from, to)) return std::nullopt;
  return divisible_dim_with_prefix(from, product(to, 0, o), n);
}

int dim_after_transpose(const std::vector<int64_t>& permutation, int d) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] == d) return static_cast<int>(i);
  }
  throw std::logic_error("a transpose's permutation lacks dimension " + std::to_string(d));
}

std::vector<int64_t> inverse_permutation(const std::vector<int64_t>& permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[permutation[i]] = static_cast<int64_t>(i);
  }
  return inverse;
}

}  // namespace flipsat::hlo
