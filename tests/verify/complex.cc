// Complex numbers, on numbers and as symbols.
#include <cmath>

#include "tests/verify/numbers_of.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;

namespace {

const std::string kTwo =
    "a = c64[2] constant({(1, 2), (3, -1)})\nb = c64[2] constant({(2, 0.5), (0, 1)})\n";
const std::string kAdd =
    "add {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n  ROOT r = c64[] add(a, b)\n}\n";

}  // namespace

TEST_CASE("complex arithmetic") {
  CHECK(on_one(kTwo + "ROOT r = c64[2] add(a, b)\n") == Values{3, 2.5, 3, 0});
  CHECK(on_one(kTwo + "ROOT r = c64[2] multiply(a, b)\n") == Values{1, 4.5, 1, 3});
  CHECK(on_one(kTwo + "m = c64[2] multiply(a, b)\nROOT r = c64[2] divide(m, b)\n") ==
        Values{1, 2, 3, -1});
  CHECK(on_one(kTwo + "ROOT r = c64[2] negate(a)\n") == Values{-1, -2, -3, 1});
  CHECK(on_one(kTwo + "ROOT r = f32[2] real(a)\n") == Values{1, 3});
  CHECK(on_one(kTwo + "ROOT r = f32[2] imag(a)\n") == Values{2, -1});
  CHECK(on_one("a = c64[1] constant({(3, 4)})\nROOT r = f32[1] abs(a)\n") == Values{5});
  CHECK(on_one(kTwo + "x = f32[2] real(a)\ny = f32[2] imag(a)\nROOT r = c64[2] complex(y, x)\n") ==
        Values{2, 1, -1, 3});
  CHECK(on_one(kTwo + "ROOT r = pred[2] compare(a, a), direction=EQ\n") == Values{1, 1});
  CHECK(on_one(kTwo + "ROOT r = pred[2] compare(a, b), direction=NE\n") == Values{1, 1});
  CHECK(on_one("x = s32[1] constant({7})\nROOT r = c64[1] convert(x)\n") == Values{7, 0});
  CHECK(on_one("x = c128[1] constant({(0.1, 1)})\nROOT r = c64[1] convert(x)\n") ==
        Values{static_cast<double>(0.1f), 1});
}

TEST_CASE("complex numbers in dots, reductions and collectives") {
  CHECK(on_one(kTwo +
               "ROOT d = c64[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n") ==
        Values{2, 7.5});
  CHECK(on_one(kTwo + "z = c64[] constant((10, 20))\n"
                      "ROOT r = c64[] reduce(a, z), dimensions={0}, to_apply=add\n",
               kAdd) == Values{14, 21});
  std::string id =
      "p = u32[] partition-id()\nf = f32[] convert(p)\none = f32[] constant(1)\n"
      "c = c64[] complex(f, one)\nx = c64[2] broadcast(c), dimensions={}\n";
  CHECK(on_device(0, id + "ROOT s = c64[2] all-reduce(x), to_apply=add" + kAll + "\n",
                  "num_partitions=4", kAdd) == Values{6, 4, 6, 4});
  CHECK(on_device(1, id + "ROOT g = c64[4] all-gather(x), dimensions={0}" + kPairs + "\n",
                  "num_partitions=4", kAdd) == Values{0, 1, 0, 1, 1, 1, 1, 1});
  CHECK(on_device(0, id + "ROOT g = c64[2] collective-permute(x), channel_id=1, "
                          "source_target_pairs={{0,1}}\n") == Values{0, 0, 0, 0});
}

TEST_CASE("a number made of parts has these parts") {
  std::string z = "z = c64[4] parameter(0)\n";
  CHECK(verdict(z + "ROOT n = c64[4] negate(z)\n",
                z + "x = f32[4] real(z)\ny = f32[4] imag(z)\nc = c64[4] complex(x, y)\n"
                    "ROOT n = c64[4] negate(c)\n") == "same");
  CHECK(verdict(z + "ROOT n = c64[4] negate(z)\n",
                z + "x = f32[4] real(z)\ny = f32[4] imag(z)\nc = c64[4] complex(y, x)\n"
                    "ROOT n = c64[4] negate(c)\n") == "different");
  std::string xy = "x = f32[4] parameter(0)\ny = f32[4] parameter(1)\n";
  CHECK(verdict(xy + "ROOT r = f32[4] add(x, x)\n",
                xy + "c = c64[4] complex(x, y)\nv = f32[4] real(c)\nROOT r = f32[4] add(v, v)\n") ==
        "same");
  CHECK(verdict(xy + "ROOT r = f32[4] add(x, x)\n",
                xy + "c = c64[4] complex(x, y)\nv = f32[4] imag(c)\nROOT r = f32[4] add(v, v)\n") ==
        "different");
}

TEST_CASE("complex sums are open between devices, and gathers pass complex elements on") {
  auto check = [](const std::string& a, const std::string& b) {
    return verdict(program(a, "num_partitions=4", kAdd), program(b, "num_partitions=4", kAdd));
  };
  std::string z =
      "z = c64[8] parameter(0)\np = u32[] partition-id()\ntwo = u32[] constant(2)\n"
      "i = u32[] multiply(p, two)\n";
  std::string sliced = z + "s = c64[8] all-reduce(z), to_apply=add" + kAll +
                       "\nROOT r = c64[2] dynamic-slice(s, i), dynamic_slice_sizes={2}\n";
  CHECK(check(sliced, z + "ROOT r = c64[2] reduce-scatter(z), dimensions={0}, to_apply=add" + kAll +
                          "\n") == "same");
  CHECK(check(sliced,
              z + "ROOT r = c64[2] reduce-scatter(z), dimensions={0}, to_apply=add, channel_id=1, "
                  "replica_groups={{1,0,2,3}}, use_global_device_ids=true\n") == "different");
  // A product with one is not the number: an infinite part makes the other one NaN.
  std::string one = "one = c64[] constant((1, 0))\nw = c64[8] broadcast(one), dimensions={}\n";
  CHECK(check(z + "ROOT n = c64[8] negate(z)\n",
              z + one + "m = c64[8] multiply(z, w)\nROOT n = c64[8] negate(m)\n") == "different");
}
