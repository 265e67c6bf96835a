// The interpreter on numbers: each family of operations on values that can be worked out by hand.
#include <cmath>

#include "tests/verify/numbers_of.h"
#include "verify/rounding.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;
using flipsat::hlo::ElementType;

namespace {

// x is 10 d + {0, 1} on device d.
const std::string kX =
    "p = u32[] partition-id()\n"
    "pf = f32[] convert(p)\n"
    "ten = f32[] constant(10)\n"
    "base = f32[] multiply(pf, ten)\n"
    "b = f32[2] broadcast(base), dimensions={}\n"
    "i = f32[2] iota(), iota_dimension=0\n"
    "x = f32[2] add(b, i)\n";
const std::string kM = "m = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n";

}  // namespace

TEST_CASE("data movement puts every element in its place") {
  CHECK(on_one(kM + "ROOT r = s32[3,2] transpose(m), dimensions={1,0}\n") ==
        Values{1, 4, 2, 5, 3, 6});
  CHECK(on_one(kM + "ROOT r = s32[3,2] reshape(m)\n") == Values{1, 2, 3, 4, 5, 6});
  CHECK(on_one(kM + "ROOT r = s32[2,3] reverse(m), dimensions={1}\n") == Values{3, 2, 1, 6, 5, 4});
  CHECK(on_one(kM + "ROOT r = s32[1,2] slice(m), slice={[1:2], [0:3:2]}\n") == Values{4, 6});
  CHECK(on_one(kM + "ROOT r = s32[2,6] concatenate(m, m), dimensions={1}\n") ==
        Values{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(on_one(kM + "z = s32[] constant(9)\nROOT r = s32[3,4] pad(m, z), padding=1_0x-1_1_0\n")
            .size() == 12);
  CHECK(on_one("v = s32[2] constant({7, 8})\nROOT r = s32[2,3] broadcast(v), dimensions={0}\n") ==
        Values{7, 7, 7, 8, 8, 8});
}

TEST_CASE("a pad counts low, high and interior") {
  CHECK(on_one("v = s32[3] constant({1, 2, 3})\nz = s32[] constant(9)\n"
               "ROOT r = s32[8] pad(v, z), padding=1_2_1\n") == Values{9, 1, 9, 2, 9, 3, 9, 9});
  CHECK(on_one("v = s32[3] constant({1, 2, 3})\nz = s32[] constant(9)\n"
               "ROOT r = s32[3] pad(v, z), padding=-1_1\n") == Values{2, 3, 9});
}

TEST_CASE("starts of slices are clamped") {
  auto slice = [](const std::string& at) {
    return on_one("v = s32[4] constant({1, 2, 3, 4})\ni = s32[] constant(" + at +
                  ")\n"
                  "ROOT r = s32[2] dynamic-slice(v, i), dynamic_slice_sizes={2}\n");
  };
  CHECK(slice("1") == Values{2, 3});
  CHECK(slice("9") == Values{3, 4});
  CHECK(slice("-2") == Values{1, 2});
  CHECK(on_one("v = s32[4] constant({1, 2, 3, 4})\nu = s32[2] constant({8, 9})\n"
               "i = s32[] constant(9)\nROOT r = s32[4] dynamic-update-slice(v, u, i)\n") ==
        Values{1, 2, 8, 9});
}

TEST_CASE("an HLO gather takes rows by number") {
  CHECK(on_one(kM + "i = s32[3] constant({1, 0, 7})\n"
                    "ROOT r = s32[3,3] gather(m, i), offset_dims={1}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}\n") ==
        Values{4, 5, 6, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("an all-gather joins in the order of its members") {
  CHECK(on_device(2, kX + "ROOT g = f32[8] all-gather(x), dimensions={0}" + kAll + "\n") ==
        Values{0, 1, 10, 11, 20, 21, 30, 31});
  CHECK(on_device(2, kX + "ROOT g = f32[4] all-gather(x), dimensions={0}, channel_id=1, "
                          "replica_groups={{1,0},{3,2}}, use_global_device_ids=true\n") ==
        Values{30, 31, 20, 21});
}

TEST_CASE("sums between devices") {
  CHECK(on_device(3, kX + "ROOT s = f32[2] all-reduce(x), to_apply=add_f32" + kPairs + "\n") ==
        Values{50, 52});
  CHECK(on_device(1, kX + "ROOT s = f32[1] reduce-scatter(x), dimensions={0}, to_apply=add_f32" +
                         kPairs + "\n") == Values{12});
  CHECK(on_device(0, kX + "ROOT s = f32[2] all-reduce(x), to_apply=maximum_f32" + kAll + "\n") ==
        Values{30, 31});
}

TEST_CASE("the four group modes") {
  auto sum = [](size_t device, const std::string& attributes) {
    return on_device(device,
                     "p = u32[] partition-id()\nr = u32[] replica-id()\n"
                     "two = u32[] constant(2)\nh = u32[] multiply(r, two)\nd = u32[] add(h, p)\n"
                     "w = u32[] shift-left(two, d)\n"
                     "ROOT s = u32[] all-reduce(w), to_apply=add_u32, " +
                         attributes + "\n",
                     "replica_count=2, num_partitions=2")[0] /
           2;
  };
  CHECK(sum(1, "replica_groups={{0,1}}") == 2 + 8);
  CHECK(sum(2, "replica_groups={}") == 1 + 4);
  CHECK(sum(1, "channel_id=1, replica_groups={{0},{1}}") == 1 + 2);
  CHECK(sum(3, "channel_id=1, use_global_device_ids=true, replica_groups={{0,3},{1,2}}") == 1 + 8);
  CHECK(on_device(3,
                  "r = u32[] replica-id()\n"
                  "ROOT c = u32[] collective-permute(r), source_target_pairs={{0,1}}\n",
                  "replica_count=2, num_partitions=2") == Values{0});
  CHECK(
      on_device(3,
                "p = u32[] partition-id()\none = u32[] constant(1)\nq = u32[] add(p, one)\n"
                "ROOT c = u32[] collective-permute(q), channel_id=1, source_target_pairs={{0,1}}\n",
                "replica_count=2, num_partitions=2") == Values{1});
}

TEST_CASE("an all-to-all sends part j to member j") {
  CHECK(on_device(1, kX + "ROOT a = f32[2] all-to-all(x), dimensions={0}, channel_id=1, "
                          "replica_groups={{0,1},{2,3}}\n") == Values{1, 11});
  NumberRun run =
      run_on_numbers(program(kX + "y = f32[2] negate(x)\n"
                                  "ROOT a = (f32[2], f32[2]) all-to-all(x, y), channel_id=1, "
                                  "replica_groups={{0,1},{2,3}}\n"),
                     {});
  REQUIRE(run.ran);
  CHECK(values_of(run, 0, 1) == Values{-0.0, -1});
  CHECK(values_of(run, 1, 0) == Values{10, 11});
}

TEST_CASE("a permute fills with zeros") {
  std::string permute = kX +
                        "ROOT c = f32[2] collective-permute(x), channel_id=1, "
                        "source_target_pairs={{1,0},{0,2}}\n";
  CHECK(on_device(0, permute) == Values{10, 11});
  CHECK(on_device(1, permute) == Values{0, 0});
  CHECK(on_device(2, permute) == Values{0, 1});
}

TEST_CASE("a variadic collective has a part for every operand") {
  NumberRun run =
      run_on_numbers(program(kX +
                             "y = f32[2] negate(x)\n"
                             "ROOT g = (f32[4], f32[4]) all-gather(x, y), dimensions={0}" +
                             kPairs + "\n"),
                     {});
  REQUIRE(run.ran);
  CHECK(values_of(run, 1, 3) == Values{-20, -21, -30, -31});
}

TEST_CASE("reductions and dots") {
  CHECK(on_one(kM + "z = s32[] constant(100)\n"
                    "ROOT r = s32[3] reduce(m, z), dimensions={0}, to_apply=add_s32\n") ==
        Values{105, 107, 109});
  CHECK(on_one(kM + "z = s32[] constant(0)\n"
                    "ROOT r = s32[] reduce(m, z), dimensions={0,1}, to_apply=maximum_s32\n") ==
        Values{6});
  CHECK(
      on_one("a = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n"
             "b = f32[2,3] constant({{1, 0, 1}, {0, 1, 0}})\n"
             "ROOT d = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n") ==
      Values{4, 2, 10, 5});
  CHECK(on_one("a = f32[2,1,2] constant({{{1, 2}}, {{3, 4}}})\n"
               "b = f32[2,2] constant({{1, 1}, {10, 10}})\n"
               "ROOT d = f32[2,1] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
               "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n") == Values{3, 70});
}

TEST_CASE("a reducer that is no known kind does its own steps in order") {
  CHECK(on_one("v = s32[3] constant({1, 2, 3})\nz = s32[] constant(50)\n"
               "ROOT r = s32[] reduce(v, z), dimensions={0}, to_apply=sub\n",
               "sub {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
               "  ROOT r = s32[] subtract(a, b)\n}\n") == Values{44});
}

TEST_CASE("a loop runs as often as its condition says") {
  CHECK(on_one(
            "z = s32[] constant(0)\none = s32[] constant(1)\n"
            "s = (s32[], s32[]) tuple(z, one)\n"
            "w = (s32[], s32[]) while(s), condition=more, body=step\n"
            "ROOT r = s32[] get-tuple-element(w), index=1\n",
            "more {\n  s = (s32[], s32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
            "  n = s32[] constant(5)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n"
            "step {\n  s = (s32[], s32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
            "  v = s32[] get-tuple-element(s), index=1\n  one = s32[] constant(1)\n"
            "  j = s32[] add(i, one)\n  w = s32[] add(v, v)\n"
            "  ROOT t = (s32[], s32[]) tuple(j, w)\n}\n") == Values{32});
}

TEST_CASE("a conditional takes one branch") {
  auto pick = [](const std::string& number) {
    return on_one("i = s32[] constant(" + number +
                      ")\nv = s32[] constant(7)\n"
                      "ROOT c = s32[] conditional(i, v, v), branch_computations={same, minus}\n",
                  "same {\n  a = s32[] parameter(0)\n  ROOT b = s32[] copy(a)\n}\n"
                  "minus {\n  a = s32[] parameter(0)\n  ROOT b = s32[] negate(a)\n}\n");
  };
  CHECK(pick("0") == Values{7});
  CHECK(pick("1") == Values{-7});
  CHECK(pick("9") == Values{-7});
}

TEST_CASE("integers wrap and divide as XLA has it") {
  CHECK(on_one("a = s8[4] constant({127, -128, 5, 7})\nb = s8[4] constant({1, -1, 0, -2})\n"
               "ROOT r = s8[4] add(a, b)\n") == Values{-128, 127, 5, 5});
  CHECK(on_one("a = s8[4] constant({127, -128, 5, 7})\nb = s8[4] constant({1, -1, 0, -2})\n"
               "ROOT r = s8[4] divide(a, b)\n") == Values{127, -128, -1, -3});
  CHECK(on_one("a = u8[2] constant({200, 7})\nb = u8[2] constant({100, 0})\n"
               "ROOT r = u8[2] remainder(a, b)\n") == Values{0, 7});
  CHECK(on_one("a = u8[2] constant({200, 7})\nb = u8[2] constant({100, 9})\n"
               "ROOT r = pred[2] compare(a, b), direction=GT\n") == Values{1, 0});
}

TEST_CASE("floats round to their type") {
  CHECK(round_to(1.0 + 1.0 / 256, ElementType::kBF16) == 1.0);
  CHECK(round_to(1.0 + 3.0 / 256, ElementType::kBF16) == 1.0 + 4.0 / 256);
  CHECK(std::isinf(round_to(65520, ElementType::kF16)));
  CHECK(round_to(65519, ElementType::kF16) == 65504);
  CHECK(std::isnan(round_to(1e6, ElementType::kF8E4M3FN)));
  CHECK(round_to(448, ElementType::kF8E4M3FN) == 448);
  CHECK(round_to(std::ldexp(1, -24), ElementType::kF16) == std::ldexp(1, -24));
  CHECK(round_to(std::ldexp(1, -25), ElementType::kF16) == 0);
  CHECK(ulps_between(1.0, std::nextafter(1.0f, 2.0f), ElementType::kF32) == 1);
  CHECK(ulps_between(-0.0, 0.0, ElementType::kBF16) == 0);
  CHECK(ulps_between(1.0, 2.0, ElementType::kBF16) == 128);
  CHECK(on_one("a = f32[3] constant({2.9, -2.9, 1e20})\nROOT r = s32[3] convert(a)\n") ==
        Values{2, -2, 2147483647});
  CHECK(on_one("a = s32[2] constant({300, -1})\nROOT r = u8[2] convert(a)\n") == Values{44, 255});
}

TEST_CASE("two programs are compared on numbers, and their distance told") {
  auto before = program(
      "x = bf16[8] parameter(0)\n"
      "ar = bf16[8] all-reduce(x), to_apply=add_bf16" +
      kAll +
      "\n"
      "ROOT c = f32[8] convert(ar)\n");
  auto after = program(
      "x = bf16[8] parameter(0)\n"
      "w = f32[8] convert(x)\n"
      "ROOT g = f32[8] all-reduce(w), to_apply=add_f32" +
      kAll + "\n");
  NumberComparison same = compare_on_numbers(before, before, {});
  CHECK(same.compared);
  CHECK(same.elements == 32);
  CHECK(same.differing == 0);
  NumberComparison other = compare_on_numbers(before, after, {});
  CHECK(other.compared);
  CHECK(other.differing > 0);
  CHECK(other.max_abs > 0);
  CHECK(other.max_abs < 0.1);
  CHECK(other.max_ulps > 0);
}

TEST_CASE("what has no numbers is said") {
  NumberRun run =
      run_on_numbers(program("x = f32[8] parameter(0)\n"
                             "ROOT c = f32[8] custom-call(x), custom_call_target=\"f\"\n"),
                     {});
  CHECK(!run.ran);
  CHECK(run.reason.find("%c") != std::string::npos);
}
