#include "extract/machine.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "extract/group_span.h"
#include "extract/machine_model.h"
#include "hlo/input_error.h"
#include "tests/catch.h"

namespace flipsat::extract {
namespace {

using hlo::Opcode;

constexpr Opcode kCollectives[] = {Opcode::kAllGather,          Opcode::kAllReduce,
                                   Opcode::kReduceScatter,      Opcode::kAllToAll,
                                   Opcode::kRaggedAllToAll,     Opcode::kCollectivePermute,
                                   Opcode::kCollectiveBroadcast};

// `count` groups of `size` members: consecutive ids, or `stride` apart.
hlo::DeviceGroups groups_of(int64_t count, int64_t size, int64_t stride = 1) {
  hlo::DeviceGroups result;
  for (int64_t g = 0; g < count; ++g) {
    const int64_t first = g / stride * stride * size + g % stride;
    std::vector<int64_t> group;
    for (int64_t i = 0; i < size; ++i) group.push_back(first + i * stride);
    result.groups.push_back(std::move(group));
  }
  return result;
}

Machine tiny(Fabric fabric) {
  Machine machine;
  machine.name = "tiny";
  machine.fabric = fabric;
  machine.devices_per_node = 4;
  machine.launch = 1000;
  machine.on_node = {100, 100'000'000'000};  // 10 ps a byte
  machine.off_node = {500, 10'000'000'000};  // 100 ps a byte
  machine.memory_bytes_per_second = 1'000'000'000'000;
  machine.matrix_flops_per_second = 2'000'000'000'000;
  machine.axes = 2;
  machine.wrap_multiple = 4;
  return machine;
}

TEST_CASE("launch time rises with every byte on every preset, opcode and kind of group") {
  const std::vector<hlo::DeviceGroups> shapes = {
      groups_of(4, 2),
      groups_of(2, 4),
      groups_of(1, 8),
      groups_of(4, 4, 4),
      groups_of(2, 3),
      groups_of(1, 16),
      groups_of(2, 16),
      groups_of(8, 8, 8),
      groups_of(1, 64),
      groups_of(16, 16),
      groups_of(16, 16, 16),
      groups_of(1, 512),
      {{{0, 1, 2, 3}, {4, 5}, {6}}},
      {{{0, 5, 11}, {1, 2, 3}}},
      {{{3, 40}, {7, 300}}},
  };
  std::vector<int64_t> sizes;
  for (int64_t base = 1; base <= int64_t{1} << 50; base *= 2) {
    for (int64_t size : {base - 1, base, base + 1, base + base / 3}) sizes.push_back(size);
  }
  for (int64_t edge : {1'000'000, 56'000'000}) {
    for (int64_t d = -2; d <= 2; ++d) sizes.push_back(edge + d);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (const Machine& machine : built_in_machines()) {
    for (Opcode opcode : kCollectives) {
      for (const hlo::DeviceGroups& groups : shapes) {
        Picoseconds before = -1;
        for (int64_t bytes : sizes) {
          const Picoseconds time = launch_time(machine, opcode, bytes, groups);
          INFO(machine.name << " " << hlo::to_string(opcode) << " " << bytes << " bytes, group of "
                            << groups.groups[0].size());
          REQUIRE(time > before);
          // Every byte counts, not only those of the sweep.
          REQUIRE(launch_time(machine, opcode, bytes + 1, groups) > time);
          before = time;
        }
      }
    }
  }
}

TEST_CASE("a group of one device launches nothing and copies") {
  for (const Machine& machine : built_in_machines()) {
    const Picoseconds copy = memory_time(machine, 2 << 20);
    CHECK(launch_time(machine, Opcode::kAllReduce, 1 << 20, groups_of(8, 1)) == copy);
    CHECK(launch_time(machine, Opcode::kAllReduce, 1 << 20, {}) == copy);
  }
}

TEST_CASE("a launch takes as long as its slowest group") {
  const Machine& machine = machine_preset("trn2");
  const Picoseconds large = launch_time(machine, Opcode::kAllGather, 4096, {{{0, 1, 2, 3}}});
  CHECK(launch_time(machine, Opcode::kAllGather, 4096, {{{0, 1, 2, 3}, {4, 5}, {6}}}) == large);
}

TEST_CASE("huge launches saturate") {
  for (const Machine& machine : built_in_machines()) {
    const int64_t most = std::numeric_limits<int64_t>::max();
    CHECK(launch_time(machine, Opcode::kAllReduce, most, groups_of(1, 512)) == most);
    CHECK(memory_time(machine, most) > memory_time(machine, most / 2));
    CHECK(matrix_time(machine, most) > 0);
  }
}

TEST_CASE("switch: ring times on and across nodes") {
  const Machine machine = tiny(Fabric::kSwitch);
  // Gather of 400 B over 4: 1000 + 3 * 100 + 400 * 3/4 * 10 = 4300.
  CHECK(launch_time(machine, Opcode::kAllGather, 400, groups_of(1, 4)) == 4300);
  CHECK(launch_time(machine, Opcode::kAllGatherStart, 400, groups_of(1, 4)) == 4300);
  CHECK(launch_time(machine, Opcode::kReduceScatter, 400, groups_of(1, 4)) == 4300);
  // All-reduce, twice the steps and bytes: 1000 + 600 + 6000.
  CHECK(launch_time(machine, Opcode::kAllReduce, 400, groups_of(1, 4)) == 7600);
  // Exchange in one step: 1000 + 100 + 3000. Permute: 1000 + 100 + 4000.
  CHECK(launch_time(machine, Opcode::kAllToAll, 400, groups_of(1, 4)) == 4100);
  CHECK(launch_time(machine, Opcode::kCollectivePermute, 400, groups_of(1, 2)) == 5100);
  // Eight devices on two nodes. Between nodes 100 B each: 500 + 100 * 1/2 * 100 = 5500; on the node
  // as above without launch 3300: 1000 + 5500 + 3300.
  CHECK(launch_time(machine, Opcode::kAllGather, 400, groups_of(1, 8)) == 9800);
  // All-reduce: scatter 3300, all-reduce between nodes 2 * 500 + 100 * 100 = 11000, gather 3300.
  CHECK(launch_time(machine, Opcode::kAllReduce, 400, groups_of(1, 8)) == 18600);
  // One member a node: all of it between nodes, 1000 + 500 + 400 * 1/2 * 100.
  CHECK(launch_time(machine, Opcode::kAllGather, 400, {{{0, 4}, {1, 5}}}) == 21500);
  CHECK(launch_time(machine, Opcode::kCollectivePermute, 400, {{{0, 4}}}) == 41500);
}

TEST_CASE("staged: mesh, doubling and ring meet at the sizes where the runtime changes over") {
  Machine machine = tiny(Fabric::kStaged);
  machine.devices_per_node = 16;
  machine.mesh_bytes = 1000;
  machine.doubling_bytes = 10'000;
  const hlo::DeviceGroups sixteen = groups_of(1, 16);
  // Ring at 10,000 B and above: 1000 + 15 * 100 + 10,000 * 15/16 * 10 = 96,250.
  CHECK(launch_time(machine, Opcode::kAllGather, 10'000, sixteen) == 96'250);
  // Nothing to move: one mesh step.
  CHECK(launch_time(machine, Opcode::kAllGather, 0, sixteen) == 1100);
  // Doubling has 4 steps: 400 at 0 B, 95,250 at 10,000 B; at 1000 B 400 + 94,850 / 10 = 9885.
  CHECK(launch_time(machine, Opcode::kAllGather, 1000, sixteen) == 10'885);
  // Mesh half way: 100 + (9885 - 100) / 2 = 4992.
  CHECK(launch_time(machine, Opcode::kAllGather, 500, sixteen) == 5992);
}

TEST_CASE("torus: axes add up, a whole axis wraps, a stride shares links") {
  Machine machine = tiny(Fabric::kTorus);
  machine.devices_per_node = 16;
  const auto time = [&](const hlo::DeviceGroups& groups) {
    return launch_time(machine, Opcode::kAllGather, 1600, groups);
  };
  // A row of 4 of 4x4 wraps: 2 hops, both ways: 1000 + 200 + 1600 * 3/4 * 10 / 2.
  CHECK(time(groups_of(4, 4)) == 7200);
  CHECK(time(groups_of(4, 4, 4)) == 7200);  // and a column
  // All 16: 4 hops, two axes: 1000 + 400 + 1600 * 15/16 * 10 / 4.
  CHECK(time(groups_of(1, 16)) == 5150);
  machine.wrap_multiple = 16;
  // Lines: 3 hops, one way.
  CHECK(time(groups_of(4, 4)) == 13'300);
  // Ids 0 and 2 of a row: 2 hops over a link shared by two: 1000 + 200 + 1600 / 2 * 10 * 2.
  CHECK(time({{{0, 2}, {1, 3}, {12, 14}, {13, 15}}}) == 17'200);
  // Exchange on a line of 4: half of 1600 B of each of two members cross the middle.
  CHECK(launch_time(machine, Opcode::kAllToAll, 1600, groups_of(4, 4)) == 1000 + 300 + 16'000);
  // A permute pays its hops: ids 0 and 5 are a row and a column apart.
  CHECK(launch_time(machine, Opcode::kCollectivePermute, 100, {{{0, 5}, {15}}}) ==
        1000 + 200 + 1000);
}

TEST_CASE("torus: a group is priced by the node that has most of it") {
  // Ids 4 and 5 are a line of 2 on the second node: 100 + 400 / 2 * 10. Between nodes 200 B:
  // 500 + 200 / 2 * 100.
  CHECK(launch_time(tiny(Fabric::kTorus), Opcode::kAllGather, 400, {{{3, 4, 5}}}) ==
        1000 + 2100 + 10'500);
}

TEST_CASE("torus shapes are as square as the count allows") {
  CHECK(torus_shape(16, 2) == std::vector<int64_t>{4, 4});
  CHECK(torus_shape(8, 2) == std::vector<int64_t>{4, 2});
  CHECK(torus_shape(256, 2) == std::vector<int64_t>{16, 16});
  CHECK(torus_shape(16, 3) == std::vector<int64_t>{4, 2, 2});
  CHECK(torus_shape(7, 2) == std::vector<int64_t>{7, 1});
  CHECK(torus_shape(1, 3) == std::vector<int64_t>{1, 1, 1});
}

TEST_CASE("published measurements lie near the presets") {
  // Scaling book: v5e, gather of 34 MB over 4 chips of a 4x4 slice, 680 us measured.
  const Picoseconds gather =
      launch_time(machine_preset("tpu-v5e"), Opcode::kAllGather, 34'000'000, groups_of(4, 4));
  CHECK(gather > 640'000'000);
  CHECK(gather < 720'000'000);
  // The table's own point: H100, 8 devices, all-reduce of 16 MiB, 145 us.
  CHECK(launch_time(machine_preset("h100"), Opcode::kAllReduce, 16 << 20, groups_of(1, 8)) ==
        145'000'000);
  // Two nodes of Hopper GPUs: about 46 us at small sizes.
  const Picoseconds small =
      launch_time(machine_preset("h100"), Opcode::kAllReduce, 64, groups_of(1, 16));
  CHECK(small > 40'000'000);
  CHECK(small < 60'000'000);
}

TEST_CASE("a curve's flat and falling stretches rise by a picosecond a byte") {
  const Curve curve =
      make_curve(Opcode::kAllGather, 2, {{100, 5000}, {200, 4000}, {300, 9000}}, 50);
  CHECK(curve.points == std::vector<CurvePoint>{{100, 5000}, {200, 5100}, {300, 9000}});
  CHECK(curve_time(curve, 0) == 4900);
  CHECK(curve_time(curve, 150) == 5050);
  CHECK(curve_time(curve, 250) == 7050);
  CHECK(curve_time(curve, 400) == 12'900);
  // Faster than its launch and a picosecond a byte: raised.
  CHECK(make_curve(Opcode::kAllGather, 2, {{100, 1}}, 50).points[0].time == 150);
}

TEST_CASE("a group takes the curve of the smallest measured group that holds it") {
  Machine machine = tiny(Fabric::kSwitch);
  machine.devices_per_node = 16;
  machine.curves = {make_curve(Opcode::kAllGather, 8, {{100, 8000}, {200, 9000}}, 1000),
                    make_curve(Opcode::kAllGather, 4, {{100, 4000}, {200, 5000}}, 1000)};
  CHECK(launch_time(machine, Opcode::kAllGather, 100, groups_of(1, 2)) == 4000);
  CHECK(launch_time(machine, Opcode::kAllGather, 100, groups_of(1, 4)) == 4000);
  CHECK(launch_time(machine, Opcode::kAllGather, 100, groups_of(1, 5)) == 8000);
  CHECK(launch_time(machine, Opcode::kAllGather, 100, groups_of(1, 16)) == 8000);
  // No curve of its own: the formula.
  CHECK(launch_time(machine, Opcode::kReduceScatter, 100, groups_of(1, 2)) == 1000 + 100 + 500);
}

TEST_CASE("memory and matrix times round up") {
  const Machine machine = tiny(Fabric::kSwitch);
  CHECK(memory_time(machine, 7) == 7);
  CHECK(matrix_time(machine, 3) == 2);
  CHECK(memory_time(machine_preset("trn2"), 2900) == 1000);
  CHECK(memory_time(machine_preset("trn2"), 1) == 1);
}

TEST_CASE("an unknown machine is named, with those that there are") {
  CHECK(machine_preset("trn2").name == "trn2");
  CHECK_THROWS_AS(machine_preset("abacus"), std::invalid_argument);
  try {
    machine_preset("abacus");
  } catch (const std::invalid_argument& error) {
    const std::string words = error.what();
    for (const Machine& machine : built_in_machines()) {
      CHECK(words.find(machine.name) != std::string::npos);
    }
  }
  CHECK_THROWS_AS(machine_preset("no/such/file.json"), hlo::InputError);
}

}  // namespace
}  // namespace flipsat::extract
