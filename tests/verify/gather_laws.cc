// Rewrites around all-gather: the true ones are accepted, near misses are not.
#include "tests/catch.h"
#include "tests/verify/programs.h"

using namespace flipsat::verify::testing;

TEST_CASE("a convert passes an all-gather") {
  CHECK(verdict("x = f32[8,4] parameter(0)\n"
                "ag = f32[32,4] all-gather(x), dimensions={0}" +
                    kAll +
                    "\n"
                    "ROOT c = bf16[32,4] convert(ag)\n",
                "x = f32[8,4] parameter(0)\n"
                "n = bf16[8,4] convert(x)\n"
                "ROOT g = bf16[32,4] all-gather(n), dimensions={0}" +
                    kAll + "\n") == "same");
}

TEST_CASE("a dropped narrowing is another value") {
  CHECK(verdict("x = f32[8,4] parameter(0)\n"
                "n = bf16[8,4] convert(x)\n"
                "w = f32[8,4] convert(n)\n"
                "ROOT ag = f32[32,4] all-gather(w), dimensions={0}" +
                    kAll + "\n",
                "x = f32[8,4] parameter(0)\n"
                "ROOT ag = f32[32,4] all-gather(x), dimensions={0}" +
                    kAll + "\n") == "different");
}

TEST_CASE("widening and narrowing back is nothing") {
  CHECK(verdict("x = bf16[8,4] parameter(0)\n"
                "w = f32[8,4] convert(x)\n"
                "ag = f32[32,4] all-gather(w), dimensions={0}" +
                    kAll +
                    "\n"
                    "ROOT n = bf16[32,4] convert(ag)\n",
                "x = bf16[8,4] parameter(0)\n"
                "ROOT ag = bf16[32,4] all-gather(x), dimensions={0}" +
                    kAll + "\n") == "same");
}

TEST_CASE("a reshape passes an all-gather of its major dim") {
  CHECK(verdict("x = f32[8,12] parameter(0)\n"
                "ag = f32[32,12] all-gather(x), dimensions={0}" +
                    kAll +
                    "\n"
                    "ROOT r = f32[384] reshape(ag)\n",
                "x = f32[8,12] parameter(0)\n"
                "l = f32[96] reshape(x)\n"
                "ROOT g = f32[384] all-gather(l), dimensions={0}" +
                    kAll + "\n") == "same");
}

TEST_CASE("a reshape across shards does not pass an all-gather") {
  CHECK(verdict("x = f32[8,3] parameter(0)\n"
                "ag = f32[8,12] all-gather(x), dimensions={1}" +
                    kAll +
                    "\n"
                    "ROOT r = f32[96] reshape(ag)\n",
                "x = f32[8,3] parameter(0)\n"
                "l = f32[24] reshape(x)\n"
                "ROOT g = f32[96] all-gather(l), dimensions={0}" +
                    kAll + "\n") == "different");
}

TEST_CASE("an elementwise operation passes two all-gathers") {
  std::string before =
      "x = f32[8,4] parameter(0)\n"
      "y = f32[8,4] parameter(1)\n"
      "gx = f32[32,4] all-gather(x), dimensions={0}" +
      kAll +
      "\n"
      "gy = f32[32,4] all-gather(y), dimensions={0}" +
      kAll +
      "\n"
      "ROOT d = f32[32,4] divide(gx, gy)\n";
  std::string after =
      "x = f32[8,4] parameter(0)\n"
      "y = f32[8,4] parameter(1)\n"
      "l = f32[8,4] divide(x, y)\n"
      "ROOT g = f32[32,4] all-gather(l), dimensions={0}" +
      kAll + "\n";
  CHECK(verdict(before, after) == "same");
  std::string swapped = after;
  swapped.replace(swapped.find("divide(x, y)"), 12, "divide(y, x)");
  CHECK(verdict(before, swapped) == "different");
}

TEST_CASE("all-gathers of different groups do not merge") {
  CHECK(verdict("x = f32[8,4] parameter(0)\n"
                "y = f32[8,4] parameter(1)\n"
                "gx = f32[16,4] all-gather(x), dimensions={0}" +
                    kPairs +
                    "\n"
                    "gy = f32[16,4] all-gather(y), dimensions={0}, channel_id=2, "
                    "replica_groups={{0,2},{1,3}}, use_global_device_ids=true\n"
                    "ROOT d = f32[16,4] add(gx, gy)\n",
                "x = f32[8,4] parameter(0)\n"
                "y = f32[8,4] parameter(1)\n"
                "l = f32[8,4] add(x, y)\n"
                "ROOT g = f32[16,4] all-gather(l), dimensions={0}" +
                    kPairs + "\n") == "different");
}

namespace {

std::string slice_of_gather(const std::string& sharding) {
  return "x = f32[6,8,5] parameter(0)\n"
         "i = s32[] parameter(1)" +
         sharding +
         "\n"
         "z = s32[] constant(0)\n"
         "three = s32[] constant(3)\n"
         "ag = f32[6,32,5] all-gather(x), dimensions={1}" +
         kAll +
         "\n"
         "ROOT ds = f32[1,32,2] dynamic-slice(ag, i, z, three), dynamic_slice_sizes={1,32,2}\n";
}

std::string gather_of_slice(const std::string& sharding, const std::string& starts) {
  return "x = f32[6,8,5] parameter(0)\n"
         "i = s32[] parameter(1)" +
         sharding +
         "\n"
         "z = s32[] constant(0)\n"
         "one = s32[] constant(1)\n"
         "two = s32[] constant(2)\n"
         "three = s32[] constant(3)\n"
         "j = s32[] add(i, one)\n"
         "l = f32[1,8,2] dynamic-slice(x, " +
         starts +
         "), dynamic_slice_sizes={1,8,2}\n"
         "ROOT g = f32[1,32,2] all-gather(l), dimensions={1}" +
         kAll + "\n";
}

}  // namespace

TEST_CASE("a slice with an index that all members share passes an all-gather") {
  std::string shared = ", sharding={replicated}";
  CHECK(verdict(slice_of_gather(shared), gather_of_slice(shared, "i, z, three")) == "same");
}

TEST_CASE("a slice with an index that differs does not pass an all-gather") {
  CHECK(verdict(slice_of_gather(""), gather_of_slice("", "i, z, three")) == "different");
  flipsat::verify::Options told;
  told.assume_replicated = {"i"};
  CHECK(verdict(slice_of_gather(""), gather_of_slice("", "i, z, three"), told) == "same");
}

TEST_CASE("a slice that starts elsewhere is another value") {
  std::string shared = ", sharding={replicated}";
  CHECK(verdict(slice_of_gather(shared), gather_of_slice(shared, "j, z, three")) == "different");
  CHECK(verdict(slice_of_gather(shared), gather_of_slice(shared, "i, z, two")) == "different");
  CHECK(verdict(slice_of_gather(shared), gather_of_slice(shared, "i, i, three")) == "same");
}

TEST_CASE("an all-gather of another dim is another value") {
  CHECK(verdict("x = f32[8,8] parameter(0)\n"
                "ag = f32[32,8] all-gather(x), dimensions={0}" +
                    kAll +
                    "\n"
                    "ROOT t = f32[8,32] transpose(ag), dimensions={1,0}\n",
                "x = f32[8,8] parameter(0)\n"
                "ROOT g = f32[8,32] all-gather(x), dimensions={1}" +
                    kAll + "\n") == "different");
  CHECK(verdict("x = f32[8,8] parameter(0)\n"
                "ag = f32[32,8] all-gather(x), dimensions={0}" +
                    kAll +
                    "\n"
                    "ROOT t = f32[8,32] transpose(ag), dimensions={1,0}\n",
                "x = f32[8,8] parameter(0)\n"
                "t = f32[8,8] transpose(x), dimensions={1,0}\n"
                "ROOT g = f32[8,32] all-gather(t), dimensions={1}" +
                    kAll + "\n") == "same");
}

TEST_CASE("members in another order are another all-gather") {
  CHECK(verdict("x = f32[8] parameter(0)\n"
                "ROOT g = f32[32] all-gather(x), dimensions={0}" +
                    kAll + "\n",
                "x = f32[8] parameter(0)\n"
                "ROOT g = f32[32] all-gather(x), dimensions={0}, channel_id=1, "
                "replica_groups={{0,2,1,3}}, use_global_device_ids=true\n") == "different");
}

TEST_CASE("two equal all-gathers are one") {
  std::string two =
      "x = f32[8] parameter(0)\n"
      "g = f32[32] all-gather(x), dimensions={0}" +
      kAll +
      "\n"
      "h = f32[32] all-gather(x), dimensions={0}, channel_id=2, "
      "replica_groups=[1,4]<=[4], use_global_device_ids=true\n"
      "n = f32[32] negate(g)\n"
      "ROOT s = f32[32] multiply(n, h)\n";
  std::string one =
      "x = f32[8] parameter(0)\n"
      "g = f32[32] all-gather(x), dimensions={0}" +
      kAll +
      "\n"
      "n = f32[32] negate(g)\n"
      "ROOT s = f32[32] multiply(n, g)\n";
  CHECK(verdict(two, one) == "same");
  CHECK(verdict(one, two) == "same");
}

TEST_CASE("the own shard of an all-gather is the operand") {
  auto with = [](const std::string& rows) {
    return "x = f32[8,4] parameter(0)\n"
           "ag = f32[32,4] all-gather(x), dimensions={0}" +
           kAll +
           "\n"
           "p = u32[] partition-id()\n"
           "rows = u32[] constant(" +
           rows +
           ")\n"
           "at = u32[] multiply(p, rows)\n"
           "z = u32[] constant(0)\n"
           "ROOT ds = f32[8,4] dynamic-slice(ag, at, z), dynamic_slice_sizes={8,4}\n";
  };
  std::string operand = "x = f32[8,4] parameter(0)\nROOT c = f32[8,4] copy(x)\n";
  CHECK(verdict(with("8"), operand) == "same");
  CHECK(verdict(with("7"), operand) == "different");
}

TEST_CASE("a transpose under an all-gather that forgets to move the dim is another value") {
  CHECK(verdict("x = f32[4,4,4] parameter(0)\n"
                "ag = f32[16,4,4] all-gather(x), dimensions={0}" +
                    kAll +
                    "\n"
                    "ROOT t = f32[4,16,4] transpose(ag), dimensions={2,0,1}\n",
                "x = f32[4,4,4] parameter(0)\n"
                "t = f32[4,4,4] transpose(x), dimensions={1,0,2}\n"
                "ROOT g = f32[4,16,4] all-gather(t), dimensions={1}" +
                    kAll + "\n") == "different");
}

TEST_CASE("a pad passes an all-gather on another dim only") {
  auto before = [](const std::string& padding, const std::string& shape) {
    return "x = f32[8,4] parameter(0)\n"
           "v = f32[] constant(0)\n"
           "ag = f32[32,4] all-gather(x), dimensions={0}" +
           kAll +
           "\n"
           "ROOT p = f32[" +
           shape + "] pad(ag, v), padding=" + padding + "\n";
  };
  auto after = [](const std::string& padding, const std::string& local, const std::string& shape) {
    return "x = f32[8,4] parameter(0)\n"
           "v = f32[] constant(0)\n"
           "l = f32[" +
           local + "] pad(x, v), padding=" + padding +
           "\n"
           "ROOT g = f32[" +
           shape + "] all-gather(l), dimensions={0}" + kAll + "\n";
  };
  CHECK(verdict(before("0_0x1_2", "32,7"), after("0_0x1_2", "8,7", "32,7")) == "same");
  CHECK(verdict(before("0_0x1_2", "32,7"), after("0_0x2_1", "8,7", "32,7")) == "different");
  CHECK(verdict(before("4_0x0_0", "36,4"), after("1_0x0_0", "9,4", "36,4")) == "different");
}
