#include "extract/combiner_file.h"

#include <stdexcept>

#include "hlo/input_error.h"
#include "tests/catch.h"
#include "tests/extract/json_file.h"

namespace flipsat::extract {
namespace {

constexpr const char* kCombiner = R"({
  "name": "lab",
  "all_gather": {"max_bytes": 4096, "max_count": 3},
  "all_reduce": {"enabled": true, "max_bytes": 9007199254740993, "max_count": 2},
  "reduce_scatter": {"enabled": false, "max_bytes": 7},
  "by_dim": false,
  "combine_different_types": true,
  "combine_in_loops": false
})";

std::string replaced(const std::string& from, const std::string& to) {
  return testing::replaced(kCombiner, from, to);
}

void check_refused(const std::string& text, int line, const std::string& words) {
  testing::check_refused(combiner_from_json, text, line, words);
}

TEST_CASE("a combiner file is read to the last figure") {
  const hlo::CombinerOptions options = combiner_from_json(kCombiner, "lab.json");
  using Limits = hlo::CombinerOptions::Limits;
  CHECK(options.name == "lab");
  CHECK(options.all_gather == Limits{true, 4096, 3});
  CHECK(options.all_reduce == Limits{true, 9007199254740993, 2});  // which no double holds
  CHECK(options.reduce_scatter == Limits{false, 7, 0});
  CHECK(options.collective_permute == Limits{false, 0, 0});
  CHECK_FALSE(options.by_dim);
  CHECK(options.combine_different_types);
  CHECK_FALSE(options.combine_in_loops);
}

TEST_CASE("what a combiner file leaves out") {
  const hlo::CombinerOptions options = combiner_from_json("{\"name\": \"none\"}", "lab.json");
  CHECK(options == hlo::combiner_preset("none"));
}

TEST_CASE("the combiners of examples/ are the presets") {
  for (const char* name : {"neuron", "xla-gpu", "xla-cpu", "none"}) {
    INFO(name);
    const std::string path = std::string(FLIPSAT_EXAMPLES "/combiners/") + name + ".json";
    CHECK(combiner_by_name(path) == hlo::combiner_preset(name));
    CHECK(combiner_by_name(name) == hlo::combiner_preset(name));
  }
}

TEST_CASE("faults of a combiner file are told with their line") {
  check_refused("", 1, "not JSON");
  check_refused("[]", 1, "must be an object");
  check_refused(replaced("\"lab\",", "\"lab\""), 3, "not JSON");
  check_refused(replaced("\"name\": \"lab\",", ""), 1, "lacks \"name\"");
  check_refused(replaced("\"lab\"", "1"), 2, "\"name\" must be a string");
  check_refused(replaced("{\"max_bytes\": 4096, \"max_count\": 3}", "4096"), 3,
                "\"all_gather\" must be an object");
  check_refused(replaced("4096", "\"4096\""), 3, "\"max_bytes\" must be a number");
  check_refused(replaced("4096", "-1"), 3, "must not be negative");
  check_refused(replaced("4096", "0"), 3, "too small");
  check_refused(replaced("4096", "9223372036854775808"), 3, "too large");
  check_refused(replaced("4096", "1e300"), 3, "too large");
  check_refused(replaced(", \"max_count\": 3", ""), 3, "\"all_gather\" lacks \"max_count\"");
  check_refused(replaced("\"max_count\": 3", "\"max_cuont\": 3, \"max_count\": 3"), 3,
                "\"all_gather\" has no field \"max_cuont\"");
  check_refused(replaced("\"enabled\": true", "\"enabled\": 1"), 4,
                "\"enabled\" must be true or false");
  check_refused(replaced("\"by_dim\"", "\"by_dims\""), 6, "no field \"by_dims\"");
  check_refused(replaced("\"by_dim\": false", "\"by_dim\": null"), 6, "must be true or false");
  check_refused(replaced("\"by_dim\"", "\"name\""), 6, "twice");
  check_refused(std::string(100'000, '['), 1, "nested too deeply");
}

TEST_CASE("a combiner is named by a preset or a path") {
  CHECK_THROWS_AS(combiner_by_name("tpu"), std::invalid_argument);
  CHECK_THROWS_AS(combiner_by_name("no/such/file.json"), hlo::InputError);
}

}  // namespace
}  // namespace flipsat::extract
