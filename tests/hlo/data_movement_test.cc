#include "hlo/data_movement.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/catch.h"

namespace flipsat::hlo {
namespace {

// All dims of rank up to 3 with sizes from this list.
std::vector<Dims> small_shapes() {
  const int64_t sizes[] = {1, 2, 3, 4, 6};
  std::vector<Dims> shapes{Dims{}};
  size_t begin = 0;
  for (int rank = 1; rank <= 3; ++rank) {
    size_t end = shapes.size();
    for (size_t i = begin; i < end; ++i) {
      for (int64_t size : sizes) {
        Dims dims = shapes[i];
        dims.push_back(size);
        shapes.push_back(dims);
      }
    }
    begin = end;
  }
  return shapes;
}

// Shapes by number of elements: those that can be reshaped into each other.
std::map<int64_t, std::vector<Dims>> shapes_by_size() {
  std::map<int64_t, std::vector<Dims>> by_size;
  for (const Dims& dims : small_shapes()) by_size[product(dims)].push_back(dims);
  return by_size;
}

// An array laid out row-major: which element of which member each place holds.
using Values = std::vector<int64_t>;

// The concatenation of n members along d, each holding member * count + 0, 1, ..
Values gather(const std::vector<Values>& members, const Dims& local, int d) {
  int64_t outer = product(local, 0, d);
  int64_t inner = product(local) / outer;
  Values result;
  for (int64_t o = 0; o < outer; ++o) {
    for (const Values& member : members) {
      result.insert(result.end(), member.begin() + o * inner, member.begin() + (o + 1) * inner);
    }
  }
  return result;
}

std::vector<Values> numbered_members(int64_t n, int64_t count) {
  std::vector<Values> members(n, Values(count));
  for (int64_t m = 0; m < n; ++m) std::iota(members[m].begin(), members[m].end(), m * count);
  return members;
}

// Part k of n of an array along d.
Values shard(const Values& whole, const Dims& dims, int d, int64_t n, int64_t k) {
  int64_t outer = product(dims, 0, d);
  int64_t inner = product(dims) / outer / n;
  Values result;
  for (int64_t o = 0; o < outer; ++o) {
    int64_t begin = (o * n + k) * inner;
    result.insert(result.end(), whole.begin() + begin, whole.begin() + begin + inner);
  }
  return result;
}

Dims divided(Dims dims, int d, int64_t n) {
  dims[d] /= n;
  return dims;
}

Dims multiplied(Dims dims, int d, int64_t n) {
  dims[d] *= n;
  return dims;
}

TEST_CASE("reshape through gather: outwards, exactly where every element lands alike") {
  for (const auto& [size, shapes] : shapes_by_size()) {
    for (const Dims& gathered : shapes) {
      for (const Dims& to : shapes) {
        for (int64_t n : {2, 3, 4}) {
          for (int d = 0; d < static_cast<int>(gathered.size()); ++d) {
            if (gathered[d] % n != 0) continue;
            std::vector<Values> members = numbered_members(n, size / n);
            Values wanted = gather(members, divided(gathered, d, n), d);
            std::vector<int> right;
            for (int o = 0; o < static_cast<int>(to.size()); ++o) {
              if (to[o] % n == 0 && gather(members, divided(to, o, n), o) == wanted) {
                right.push_back(o);
              }
            }
            std::optional<int> found = gather_dim_after_reshape(gathered, d, to, n);
            REQUIRE(right.size() <= 1);
            REQUIRE(found.has_value() == !right.empty());
            if (found) REQUIRE(*found == right[0]);
          }
        }
      }
    }
  }
}

TEST_CASE("reshape through gather: inwards, every dim that works and no other") {
  for (const auto& [size, shapes] : shapes_by_size()) {
    for (const Dims& from : shapes) {
      for (const Dims& to : shapes) {
        for (int64_t n : {2, 3}) {
          std::vector<Values> members = numbered_members(n, size);
          for (int o = 0; o < static_cast<int>(to.size()); ++o) {
            Values wanted = gather(members, to, o);
            std::vector<int> right;
            for (int d = 0; d < static_cast<int>(from.size()); ++d) {
              if (gather(members, from, d) == wanted) right.push_back(d);
            }
            REQUIRE(gather_dims_before_reshape(from, to, o) == right);
          }
        }
      }
    }
  }
}

TEST_CASE("reshape through scatter: outwards, every dim that works and no other") {
  for (const auto& [size, shapes] : shapes_by_size()) {
    for (const Dims& scattered : shapes) {
      for (const Dims& to : shapes) {
        for (int64_t n : {2, 3}) {
          Values whole(size * n);
          std::iota(whole.begin(), whole.end(), 0);
          for (int d = 0; d < static_cast<int>(scattered.size()); ++d) {
            std::vector<int> right;
            for (int o = 0; o < static_cast<int>(to.size()); ++o) {
              bool same = true;
              for (int64_t k = 0; same && k < n; ++k) {
                same = shard(whole, multiplied(scattered, d, n), d, n, k) ==
                       shard(whole, multiplied(to, o, n), o, n, k);
              }
              if (same) right.push_back(o);
            }
            REQUIRE(scatter_dims_after_reshape(scattered, d, to) == right);
          }
        }
      }
    }
  }
}

TEST_CASE("reshape through scatter: inwards, exactly where every element lands alike") {
  for (const auto& [size, shapes] : shapes_by_size()) {
    Values whole(size);
    std::iota(whole.begin(), whole.end(), 0);
    for (const Dims& from : shapes) {
      for (const Dims& to : shapes) {
        for (int64_t n : {2, 3, 4}) {
          for (int o = 0; o < static_cast<int>(to.size()); ++o) {
            if (to[o] % n != 0) continue;
            std::vector<int> right;
            for (int d = 0; d < static_cast<int>(from.size()); ++d) {
              bool same = from[d] % n == 0;
              for (int64_t k = 0; same && k < n; ++k) {
                same = shard(whole, from, d, n, k) == shard(whole, to, o, n, k);
              }
              if (same) right.push_back(d);
            }
            std::optional<int> found = scatter_dim_before_reshape(from, to, o, n);
            REQUIRE(right.size() <= 1);
            REQUIRE(found.has_value() == !right.empty());
            if (found) REQUIRE(*found == right[0]);
          }
        }
      }
    }
  }
}

TEST_CASE("reshape conditions: nothing for groups of one, no elements, or no reshape at all") {
  CHECK_FALSE(gather_dim_after_reshape({4, 2}, 0, {8}, 1));
  CHECK_FALSE(gather_dim_after_reshape({4, 0}, 0, {0}, 2));
  CHECK_FALSE(gather_dim_after_reshape({4, 2}, 0, {4, 4}, 2));
  CHECK(gather_dims_before_reshape({0, 2}, {2, 0}, 0).empty());
  CHECK(scatter_dims_after_reshape({0}, 0, {0}).empty());
  CHECK_FALSE(scatter_dim_before_reshape({4}, {2, 2}, 0, 1));
  int64_t huge = int64_t{1} << 40;
  CHECK_FALSE(gather_dim_after_reshape({huge, huge}, 0, {huge, huge}, 2));
}

TEST_CASE("transpose: where a dim goes") {
  CHECK(dim_after_transpose({2, 0, 1}, 0) == 1);
  CHECK(dim_after_transpose({2, 0, 1}, 2) == 0);
  CHECK_THROWS_AS(dim_after_transpose({1, 0}, 2), std::logic_error);
}

}  // namespace
}  // namespace flipsat::hlo
