#include "passes/literal/reshape_dims.h"

#include "passes/errors.h"
#include "tests/catch.h"

namespace flipsat::passes::literal {
namespace {

using Borders = std::vector<std::pair<int, int>>;

// The examples of XLA's own unit test.
TEST_CASE("reshape dims: the runs of XLA's CommonFactors") {
  CHECK(common_factors({2, 5, 1, 3}, {1, 10, 3, 1}) ==
        Borders{{0, 0}, {0, 1}, {2, 2}, {3, 2}, {4, 3}, {4, 4}});
  CHECK(common_factors({2, 6}, {4, 3}) == Borders{{0, 0}, {2, 2}});
  CHECK(common_factors({1, 2, 6}, {4, 1, 3, 1}) == Borders{{0, 0}, {1, 0}, {3, 3}, {3, 4}});
  CHECK(common_factors({1, 2, 1}, {1, 1, 1, 2}) ==
        Borders{{0, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}});
  CHECK(common_factors({1}, {}) == Borders{{0, 0}, {1, 0}});
  CHECK(common_factors({3, 4}, {3, 4}) == Borders{{0, 0}, {1, 1}, {2, 2}});
  CHECK(common_factors({0, 10, 3}, {0, 3}) == Borders{{0, 0}, {3, 2}});
  CHECK(common_factors({4, 0, 2}, {4, 0}) == Borders{{0, 0}, {3, 2}});
}

TEST_CASE("reshape dims: what is no reshape ends the run") {
  CHECK_THROWS_AS(common_factors({2, 3}, {5}), FatalError);
  const int64_t kHuge = int64_t{1} << 40;
  CHECK_THROWS_AS(common_factors({kHuge, kHuge}, {kHuge * 2, kHuge}), FatalError);
}

TEST_CASE("reshape dims: where a dim goes, and with what") {
  ReshapeDims merge({3, 8, 1, 5}, {24, 5});
  CHECK(merge.result_dims_of(1) == std::vector<int>{0});
  CHECK(merge.result_dims_of(3) == std::vector<int>{1});
  CHECK(merge.others_merged_with(1) == 1);
  ReshapeDims split({3, 8}, {3, 2, 4});
  CHECK(split.result_dims_of(1) == std::vector<int>{1, 2});
  CHECK_FALSE(split.only_merges());
  CHECK(ReshapeDims({3, 8}, {24}).only_merges());
}

}  // namespace
}  // namespace flipsat::passes::literal
