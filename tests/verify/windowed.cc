// Windows and scatters on numbers worked out by hand, and as functions of exactly what they read.
#include "tests/verify/numbers_of.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;

namespace {

const std::string kFive = "v = f32[5] constant({1, 2, 3, 4, 5})\nz = f32[] constant(0)\n";
const std::string kOverwrite =
    "second {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n";
const std::string kSelect =
    "ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = pred[] compare(a, b), direction=GE\n}\n";

}  // namespace

TEST_CASE("a reduce-window slides, strides, pads and dilates") {
  CHECK(
      on_one(kFive + "ROOT r = f32[4] reduce-window(v, z), window={size=2}, to_apply=add_f32\n") ==
      Values{3, 5, 7, 9});
  CHECK(on_one(kFive + "ROOT r = f32[3] reduce-window(v, z), window={size=2 stride=2 pad=0_1}, "
                       "to_apply=add_f32\n") == Values{3, 7, 5});
  CHECK(on_one(kFive + "ROOT r = f32[5] reduce-window(v, z), window={size=5 pad=4_0}, "
                       "to_apply=add_f32\n") == Values{1, 3, 6, 10, 15});
  CHECK(on_one(kFive + "ROOT r = f32[3] reduce-window(v, z), window={size=2 rhs_dilate=2}, "
                       "to_apply=add_f32\n") == Values{4, 6, 8});
  CHECK(on_one(kFive + "ROOT r = f32[8] reduce-window(v, z), window={size=2 lhs_dilate=2}, "
                       "to_apply=maximum_f32\n") == Values{1, 2, 2, 3, 3, 4, 4, 5});
}

TEST_CASE("a variadic reduce-window carries all its arrays") {
  // The largest of every two, and where it stood.
  std::string computations =
      "best {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n"
      "  j = s32[] parameter(3)\n  c = pred[] compare(a, b), direction=GE\n"
      "  m = f32[] select(c, a, b)\n  k = s32[] select(c, i, j)\n"
      "  ROOT t = (f32[], s32[]) tuple(m, k)\n}\n";
  std::string lines =
      "v = f32[4] constant({5, 1, 7, 2})\ni = s32[4] iota(), iota_dimension=0\n"
      "z = f32[] constant(-9)\nm = s32[] constant(-1)\n"
      "ROOT r = (f32[3], s32[3]) reduce-window(v, i, z, m), window={size=2}, to_apply=best\n";
  CHECK(on_one(lines, computations, 0) == Values{5, 7, 7});
  CHECK(on_one(lines, computations, 1) == Values{0, 2, 2});
}

TEST_CASE("a convolution multiplies what lies under the kernel") {
  // One feature, one batch: plain, flipped, strided, padded, transposed (dilated).
  auto conv = [](const std::string& size, const std::string& window) {
    return on_one(
        "v = f32[1,1,4] constant({{{1, 2, 3, 4}}})\nk = f32[1,1,2] constant({{{1, 10}}})\n"
        "ROOT c = f32[1,1," +
        size + "] convolution(v, k), window={" + window + "}, dim_labels=bf0_io0->bf0\n");
  };
  CHECK(conv("3", "size=2") == Values{21, 32, 43});
  CHECK(conv("3", "size=2 rhs_reversal=1") == Values{12, 23, 34});
  CHECK(conv("2", "size=2 stride=2") == Values{21, 43});
  CHECK(conv("5", "size=2 pad=1_1") == Values{10, 21, 32, 43, 4});
  CHECK(conv("6", "size=2 lhs_dilate=2") == Values{1, 20, 2, 30, 3, 40});
  CHECK(conv("2", "size=2 rhs_dilate=2") == Values{31, 42});
}

TEST_CASE("dim labels say which dim is which, groups which features meet") {
  std::string v =
      "v = f32[2,2] constant({{1, 2}, {3, 4}})\nk = f32[2,2] constant({{1, 10}, {100, 1000}})\n";
  CHECK(on_one(v + "ROOT c = f32[2,2] convolution(v, k), dim_labels=bf_io->bf\n") ==
        Values{201, 2010, 403, 4030});
  CHECK(on_one(v + "ROOT c = f32[2,2] convolution(v, k), dim_labels=fb_oi->bf\n") ==
        Values{31, 3100, 42, 4200});
  std::string g =
      "v = f32[1,4] constant({{1, 2, 3, 4}})\nk = f32[2,2] constant({{1, 10}, {100, 1000}})\n";
  CHECK(on_one(g + "ROOT c = f32[1,2] convolution(v, k), dim_labels=bf_io->bf, "
                   "feature_group_count=2\n") == Values{201, 4030});
  std::string b = "v = f32[4,1] constant({{1}, {2}, {3}, {4}})\nk = f32[1,2] constant({{1, 10}})\n";
  CHECK(on_one(b + "ROOT c = f32[2,2] convolution(v, k), dim_labels=bf_io->bf, "
                   "batch_group_count=2\n") == Values{1, 30, 2, 40});
}

TEST_CASE("select-and-scatter sends each source to the element picked in its window") {
  CHECK(on_one("v = f32[4] constant({1, 5, 2, 5})\ns = f32[2] constant({10, 20})\n"
               "z = f32[] constant(0)\nROOT r = f32[4] select-and-scatter(v, s, z), "
               "window={size=2 stride=2}, select=ge, scatter=add_f32\n",
               kSelect) == Values{0, 10, 0, 20});
  // Overlapping windows may pick one element twice; of equal ones the first stays.
  CHECK(on_one("v = f32[3] constant({1, 5, 5})\ns = f32[2] constant({10, 20})\n"
               "z = f32[] constant(1)\nROOT r = f32[3] select-and-scatter(v, s, z), "
               "window={size=2}, select=ge, scatter=add_f32\n",
               kSelect) == Values{1, 31, 1});
}

TEST_CASE("a scatter adds the updates that fall on an element") {
  std::string base =
      "o = f32[4] constant({1, 1, 1, 1})\ni = s32[3,1] constant({{2}, {0}, {2}})\n"
      "u = f32[3] constant({10, 20, 30})\n";
  std::string dims =
      "update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=";
  CHECK(on_one(base + "ROOT r = f32[4] scatter(o, i, u), " + dims + "add_f32\n") ==
        Values{21, 1, 41, 1});
  CHECK(on_one(base + "ROOT r = f32[4] scatter(o, i, u), " + dims + "second\n", kOverwrite) ==
        Values{20, 1, 30, 1});
  // Windows that stick out are left out, not clamped.
  CHECK(on_one("o = f32[4] constant({1, 1, 1, 1})\ni = s32[2,1] constant({{3}, {-1}})\n"
               "u = f32[2,2] constant({{10, 20}, {30, 40}})\n"
               "ROOT r = f32[4] scatter(o, i, u), update_window_dims={1}, inserted_window_dims={}, "
               "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f32\n") ==
        Values{1, 1, 1, 1});
  CHECK(on_one("o = f32[2,3] constant({{0, 0, 0}, {0, 0, 0}})\ni = s32[1,2] constant({{1, 0}})\n"
               "u = f32[1,1,2] constant({{{10, 20}}})\n"
               "ROOT r = f32[2,3] scatter(o, i, u), update_window_dims={1,2}, "
               "inserted_window_dims={}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=1, "
               "to_apply=add_f32\n") == Values{0, 10, 20, 0, 0, 0});
  // A batch dim of its own.
  CHECK(on_one("o = f32[2,3] constant({{0, 0, 0}, {0, 0, 0}})\ni = s32[2,1] constant({{2}, {1}})\n"
               "u = f32[2] constant({10, 20})\n"
               "ROOT r = f32[2,3] scatter(o, i, u), update_window_dims={}, "
               "inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
               "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, "
               "to_apply=add_f32\n") == Values{0, 0, 10, 0, 20, 0});
}

TEST_CASE("other features and other batches pass an all-gather, those that are read do not") {
  auto conv = [](const std::string& lines) {
    return "x = f32[2,4] parameter(0)\nk = f32[4,3] parameter(1)\n" + lines;
  };
  std::string gathered = conv("g = f32[8,4] all-gather(x), dimensions={0}" + kAll +
                              "\nROOT c = f32[8,3] convolution(g, k), dim_labels=bf_io->bf\n");
  std::string local = "c = f32[2,3] convolution(x, k), dim_labels=bf_io->bf\n";
  Options options;
  options.assume_replicated = {"k"};
  CHECK(verdict(gathered,
                conv(local + "ROOT g = f32[8,3] all-gather(c), dimensions={0}" + kAll + "\n"),
                options) == "same");
  // Each device has a kernel of its own.
  CHECK(verdict(gathered, conv(local + "ROOT g = f32[8,3] all-gather(c), dimensions={0}" + kAll +
                               "\n")) == "different");
}

TEST_CASE("scatters of one row are told apart by where its updates fall") {
  auto scatter = [](const std::string& operand, const std::string& updates) {
    return "o = f32[6,4] parameter(0)\ni = s32[3,1] parameter(1)\nu = f32[3,4] parameter(2)\n" +
           operand + updates;
  };
  std::string dims =
      "update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f32\n";
  std::string whole = scatter("s = f32[6,4] scatter(o, i, u), " + dims,
                              "ROOT r = f32[6,2] slice(s), slice={[0:6], [2:4]}\n");
  std::string sliced = scatter(
      "a = f32[6,2] slice(o), slice={[0:6], [2:4]}\nb = f32[3,2] slice(u), slice={[0:3], [2:4]}\n",
      "ROOT r = f32[6,2] scatter(a, i, b), " + dims);
  std::string other = scatter(
      "a = f32[6,2] slice(o), slice={[0:6], [2:4]}\nb = f32[3,2] slice(u), slice={[0:3], [1:3]}\n",
      "ROOT r = f32[6,2] scatter(a, i, b), " + dims);
  CHECK(verdict(whole, sliced) == "same");
  CHECK(verdict(whole, other) != "same");
}

TEST_CASE("a pooled gradient is a function of its windows") {
  auto pool = [](const std::string& window, const std::string& pair) {
    return "v = f32[8] parameter(0)\ns = f32[4] parameter(1)\nz = f32[] constant(0)\n"
           "ROOT r = f32[8] select-and-scatter(" +
           pair + ", z), window={size=" + window + "}, select=ge, scatter=add_f32\n";
  };
  auto check = [&](const std::string& a, const std::string& b) {
    return verdict(program(a, "num_partitions=4", kSelect),
                   program(b, "num_partitions=4", kSelect));
  };
  CHECK(check(pool("2 stride=2", "v, s"), pool("2 stride=2", "v, s")) == "same");
  CHECK(check(pool("2 stride=2", "v, s"), pool("5", "v, s")) != "same");
}
