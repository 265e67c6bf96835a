#include "tools/vary.h"

#include <limits>

#include "extract/machine_model.h"
#include "tests/catch.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

using extract::CostOptions;
using extract::machine_of;

CostOptions options(const std::string& machine, const std::string& combiner = "neuron") {
  return {hlo::combiner_preset(combiner), machine, extract::Objective::kTime};
}

TEST_CASE("values are factors or in the figure's unit") {
  const Variation alpha = read_variation("alpha=0.5x,1x,20", options("trn2"));
  CHECK(alpha.base == 5'000'000);
  REQUIRE(alpha.values.size() == 3);
  CHECK(alpha.values[0].figure == 2'500'000);
  CHECK(alpha.values[1].figure == 5'000'000);
  CHECK(alpha.values[2].figure == 20'000'000);
  CHECK(alpha.values[2].given == "20");
  CHECK(machine_of(alpha.values[2].cost).launch == 20'000'000);
}

TEST_CASE("each parameter sets its own figure and no other") {
  using extract::Machine;
  const CostOptions base = options("trn2");
  const auto varied = [&](const std::string& text) {
    return machine_of(read_variation(text, base).values.at(0).cost);
  };
  Machine expected = machine_of(base);
  CHECK(varied("alpha=1x") == expected);
  expected.on_node.step = 7'000'000;
  CHECK(varied("step=7") == expected);
  expected = machine_of(base);
  expected.off_node.step = 7'000'000;
  CHECK(varied("off-node-step=7") == expected);
  expected = machine_of(base);
  expected.on_node.bytes_per_second = 1'500'000'000;
  CHECK(varied("beta=1.5") == expected);
  CHECK(varied("bandwidth=1.5") == expected);
  expected = machine_of(base);
  expected.off_node.bytes_per_second = 40'000'000'000;
  CHECK(varied("off-node-beta=2x") == expected);
  expected = machine_of(base);
  expected.memory_bytes_per_second = 1'450'000'000'000;
  CHECK(varied("memory=0.5x") == expected);
}

TEST_CASE("caps are set where the combiner is on") {
  const CostOptions base = options("trn2", "xla-cpu");
  hlo::CombinerOptions expected = base.combiner;
  expected.all_reduce.max_count = 3;
  CHECK(read_variation("max-count=3", base).values[0].cost.combiner == expected);
  expected = base.combiner;
  expected.all_reduce.max_bytes = 4096;
  CHECK(read_variation("max-bytes=4096", base).values[0].cost.combiner == expected);
  // No double holds the cap of this combiner.
  for (const char* factor : {"max-bytes=1x", "max-bytes=4x"}) {
    CHECK(read_variation(factor, base).values[0].figure == std::numeric_limits<int64_t>::max());
  }
}

TEST_CASE("measured launches come later by as much as the launch time grows") {
  const CostOptions base = options("h100");
  const Variation alpha = read_variation("alpha=2x", base);
  CHECK(alpha.note.empty());
  const extract::Machine& before = machine_of(base);
  const extract::Machine& after = machine_of(alpha.values[0].cost);
  REQUIRE(after.curves.size() == before.curves.size());
  for (size_t i = 0; i < before.curves.size(); ++i) {
    for (size_t j = 0; j < before.curves[i].points.size(); ++j) {
      CHECK(after.curves[i].points[j].time - before.curves[i].points[j].time == before.launch);
    }
  }
  CHECK_FALSE(read_variation("beta=2x", base).note.empty());
  CHECK(read_variation("beta=2x", options("a100")).note.empty());
}

TEST_CASE("figures as people read them") {
  CHECK(readable_figure(2'500'000, VaryUnit::kMicroseconds) == "2.5 us");
  CHECK(readable_figure(409'600'000'000, VaryUnit::kGigabytesPerSecond) == "409.6 GB/s");
  CHECK(readable_figure(1 << 20, VaryUnit::kBytes) == "1 MiB");
  CHECK(readable_figure(256, VaryUnit::kCount) == "256");
}

}  // namespace
}  // namespace flipsat::tools
