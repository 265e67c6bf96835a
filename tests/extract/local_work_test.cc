#include "extract/machine_model.h"
#include "extract/program_cost.h"
#include "frontends/text/text.h"
#include "tests/catch.h"

namespace flipsat::extract {
namespace {

// A picosecond a byte and an operation; tiles of 8 rows.
Machine plain_machine() {
  Machine machine;
  machine.memory_bytes_per_second = 1'000'000'000'000;
  machine.matrix_flops_per_second = 1'000'000'000'000;
  machine.tile_rows = 8;
  return machine;
}

// Work of the last instruction of an entry of these lines.
Picoseconds work(const std::string& lines, const Machine& machine = plain_machine()) {
  const hlo::Module module = frontends::read_text("ENTRY e {\n" + lines + "\n}\n", "test.hlo");
  const hlo::Computation& entry = module.entry_computation();
  return local_work(module, module[entry.root], machine);
}

std::string of_parameter(const std::string& shape, const std::string& line) {
  return "a = " + shape + " parameter(0)\nROOT r = " + line;
}

Picoseconds reshape(const std::string& from, const std::string& to,
                    const Machine& machine = plain_machine()) {
  return work(of_parameter(from, to + " reshape(a)"), machine);
}

TEST_CASE("a reshape that keeps the minor dims is free, one that re-tiles moves its bytes") {
  CHECK(reshape("f32[4,16,128]", "f32[2,2,16,128]") == 0);
  CHECK(reshape("f32[2,3,4,5]", "f32[6,4,5]") == 0);
  CHECK(reshape("f32[16,128]", "f32[1,16,1,128]") == 0);  // unit dims
  CHECK(reshape("f32[2,16,128]", "f32[32,128]") == 0);    // whole tiles of 8 rows
  CHECK(reshape("f32[2,4,128]", "f32[8,128]") == 8192);   // 4096 read, 4096 written
  CHECK(reshape("f32[1024]", "f32[8,128]") == 8192);
  CHECK(reshape("f32[8,128]", "f32[8,2,64]") == 8192);
  CHECK(reshape("f32[]", "f32[1,1]") == 0);
  Machine linear = plain_machine();
  linear.tile_rows = 0;
  CHECK(reshape("f32[1024]", "f32[8,128]", linear) == 0);
}

TEST_CASE("a transpose moves its bytes unless only unit dims move") {
  CHECK(work(of_parameter("f32[8,4]", "f32[4,8] transpose(a), dimensions={1,0}")) == 256);
  CHECK(work(of_parameter("f32[8,1,4]", "f32[1,8,4] transpose(a), dimensions={1,0,2}")) == 0);
  CHECK(work(of_parameter("f32[8,1,4]", "f32[4,1,8] transpose(a), dimensions={2,1,0}")) == 256);
}

TEST_CASE("elementwise operations are charged half, copies in full") {
  CHECK(work(of_parameter("f32[8]", "f32[8] negate(a)")) == 32);                   // (32 + 32) / 2
  CHECK(work(of_parameter("f32[8]", "bf16[8] convert(a)")) == 24);                 // (32 + 16) / 2
  CHECK(work(of_parameter("f32[8]", "f32[8] add(a, a)")) == 48);                   // (64 + 32) / 2
  CHECK(work(of_parameter("s8[3]", "pred[3] compare(a, a), direction=LT")) == 5);  // 9 / 2, up
  CHECK(work(of_parameter("f32[8]", "f32[8] copy(a)")) == 64);
}

TEST_CASE("slices move what they take, updates what they write") {
  CHECK(work(of_parameter("f32[100]", "f32[8] slice(a), slice={[0:8]}")) == 64);
  CHECK(work("a = f32[100] parameter(0)\ni = s32[] parameter(1)\n"
             "ROOT r = f32[8] dynamic-slice(a, i), dynamic_slice_sizes={8}") == 64);
  CHECK(work("a = f32[100] parameter(0)\nu = f32[8] parameter(1)\ni = s32[] parameter(2)\n"
             "ROOT r = f32[100] dynamic-update-slice(a, u, i)") == 64);
}

TEST_CASE("other operations read operands and write results") {
  CHECK(work("a = f32[8] parameter(0)\nb = f32[2] parameter(1)\n"
             "ROOT r = f32[10] concatenate(a, b), dimensions={0}") == 80);
  CHECK(work("a = f32[8] parameter(0)\nz = f32[] parameter(1)\n"
             "ROOT r = f32[10] pad(a, z), padding=1_1") == 32 + 4 + 40);
}

TEST_CASE("a broadcast reads its operand; names, constants and iota are free") {
  CHECK(work(of_parameter("f32[8]", "f32[100,8] broadcast(a), dimensions={1}")) == 32);
  CHECK(work("ROOT r = f32[1000] iota(), iota_dimension=0") == 0);
  CHECK(work("ROOT r = f32[2] constant({1, 2})") == 0);
  CHECK(work("ROOT r = f32[1000] parameter(0)") == 0);
  CHECK(work(of_parameter("f32[8]", "(f32[8], f32[8]) tuple(a, a)")) == 0);
  CHECK(work(of_parameter("f32[8]", "f32[4,2] bitcast(a)")) == 0);
  CHECK(work(of_parameter("f32[8]", "f32[16] all-gather(a), dimensions={0}, replica_groups={}")) ==
        0);
}

TEST_CASE("a dot adds its operations") {
  // Bytes 2*3*4 + 3*5*4 + 2*5*4 = 124; operations 2 * 2*5 * 3 = 60.
  CHECK(work("a = f32[2,3] parameter(0)\nb = f32[3,5] parameter(1)\n"
             "ROOT r = f32[2,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}") ==
        124 + 60);
}

}  // namespace
}  // namespace flipsat::extract
