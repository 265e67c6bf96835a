#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "extract/machine_model.h"
#include "hlo/input_error.h"
#include "tests/catch.h"
#include "tests/extract/json_file.h"

namespace flipsat::extract {
namespace {

constexpr const char* kMachine = R"({
  "name": "lab",
  "fabric": "staged",
  "mesh_bytes": 1000000,
  "doubling_bytes": 56000000,
  "devices_per_node": 16,
  "launch_us": 2.5,
  "on_node": {"step_us": 1.5, "gb_per_s": 409.6},
  "off_node": {"step_us": 15, "gb_per_s": 20},
  "memory_gb_per_s": 2900,
  "matrix_tflop_per_s": 667,
  "tile_rows": 128,
  "curves": [
    {"opcode": "all-gather", "devices": 8, "points": [[65536, 19], [1048576, 31.5]]}
  ]
})";

std::string replaced(const std::string& from, const std::string& to) {
  return testing::replaced(kMachine, from, to);
}

void check_refused(const std::string& text, int line, const std::string& words) {
  testing::check_refused(machine_from_json, text, line, words);
}

TEST_CASE("a machine file is read to the last figure") {
  const Machine machine = machine_from_json(kMachine, "lab.json");
  CHECK(machine.name == "lab");
  CHECK(machine.fabric == Fabric::kStaged);
  CHECK(machine.mesh_bytes == 1'000'000);
  CHECK(machine.doubling_bytes == 56'000'000);
  CHECK(machine.devices_per_node == 16);
  CHECK(machine.launch == 2'500'000);
  CHECK(machine.on_node.step == 1'500'000);
  CHECK(machine.on_node.bytes_per_second == 409'600'000'000);
  CHECK(machine.off_node.step == 15'000'000);
  CHECK(machine.off_node.bytes_per_second == 20'000'000'000);
  CHECK(machine.memory_bytes_per_second == 2'900'000'000'000);
  CHECK(machine.matrix_flops_per_second == 667'000'000'000'000);
  CHECK(machine.tile_rows == 128);
  REQUIRE(machine.curves.size() == 1);
  CHECK(machine.curves[0].devices == 8);
  CHECK(machine.curves[0].points ==
        std::vector<CurvePoint>{{65536, 19'000'000}, {1 << 20, 31'500'000}});
}

TEST_CASE("torus and switch fields") {
  const std::string staged =
      "\"staged\",\n  \"mesh_bytes\": 1000000,\n  \"doubling_bytes\": 56000000";
  const Machine torus = machine_from_json(
      replaced(staged, "\"torus\", \"axes\": 3, \"wrap_multiple\": 4"), "lab.json");
  CHECK(torus.fabric == Fabric::kTorus);
  CHECK(torus.axes == 3);
  CHECK(torus.wrap_multiple == 4);
  CHECK(machine_from_json(replaced(staged, "\"switch\""), "lab.json").fabric == Fabric::kSwitch);
}

TEST_CASE("faults of a machine file are told with their line") {
  check_refused("", 1, "not JSON");
  check_refused("[1, 2]", 1, "must be an object");
  check_refused(replaced("\"lab\",", "\"lab\""), 3, "not JSON");
  check_refused(replaced("2900", "\"2900\""), 10, "\"memory_gb_per_s\" must be a number");
  check_refused(replaced("2900", "0"), 10, "\"memory_gb_per_s\" is too small");
  check_refused(replaced("2900", "-1"), 10, "must not be negative");
  check_refused(replaced("2900", "1e300"), 10, "too large");
  check_refused(replaced("2900", "1e999"), 10, "not JSON: number overflow");
  check_refused(replaced("staged", "carrier pigeon"), 3, "\"fabric\" must be");
  check_refused(replaced("56000000", "5"), 5, "must not be below");
  check_refused(replaced("\"tile_rows\"", "\"tile_cols\""), 12, "no field \"tile_cols\"");
  check_refused(replaced("\"step_us\": 15, ", ""), 9, "\"off_node\" lacks \"step_us\"");
  check_refused(replaced("all-gather", "add"), 14, "\"add\" is not a collective");
  check_refused(replaced("1048576", "65536"), 14, "bytes must rise");
  check_refused(replaced(", [1048576, 31.5]", ""), 14, "two points or more");
  check_refused(replaced("[65536, 19]", "[65536]"), 14, "[bytes, microseconds]");
  check_refused(replaced("\"tile_rows\": 128", "\"name\": \"twice\""), 12, "twice");
  check_refused(std::string(100'000, '['), 1, "nested too deeply");
}

TEST_CASE("the machines of examples/ are the presets") {
  for (const Machine& preset : built_in_machines()) {
    INFO(preset.name);
    CHECK(machine_from_file(FLIPSAT_EXAMPLES "/machines/" + preset.name + ".json") == preset);
  }
}

TEST_CASE("a machine file that changes is read anew") {
  const std::string name = "flipsat-machine-" + std::to_string(getpid()) + ".json";
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream(path) << kMachine;
  const Machine& first = machine_preset(path);
  CHECK(first.name == "lab");
  CHECK(&machine_preset(path) == &first);
  std::ofstream(path) << replaced("\"lab\"", "\"changed\"");
  CHECK(machine_preset(path).name == "changed");
  CHECK(first.name == "lab");
  CHECK(machine_from_file(path).name == "changed");
  std::remove(path.c_str());
  CHECK_THROWS_AS(machine_preset(path), hlo::InputError);
}

}  // namespace
}  // namespace flipsat::extract
