#include "extract/bound/launch_line.h"

#include <algorithm>
#include <random>

#include "extract/machine.h"
#include "extract/saturating.h"
#include "tests/catch.h"

namespace flipsat::extract {
namespace {

using hlo::Opcode;

// Sizes from a byte to beyond all breakpoints, as likely small as large.
int64_t some_size(std::mt19937_64& random) {
  const int64_t magnitude = int64_t{1} << (random() % 34);
  return magnitude + static_cast<int64_t>(random() % static_cast<uint64_t>(magnitude));
}

hlo::DeviceGroups group_of(int64_t members, int64_t stride) {
  hlo::DeviceGroups groups;
  groups.groups.emplace_back();
  for (int64_t i = 0; i < members; ++i) groups.groups[0].push_back(i * stride);
  return groups;
}

TEST_CASE("launch line: never above the launch time within its range, and near it where asked") {
  const std::string name = GENERATE("trn1", "trn2", "tpu-v5e", "tpu-v5p", "a100", "h100", "b200");
  const Opcode opcode = GENERATE(Opcode::kAllGather, Opcode::kAllReduce, Opcode::kReduceScatter,
                                 Opcode::kCollectivePermute);
  const Machine& machine = machine_preset(name);
  std::mt19937_64 random(7);
  int made = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int64_t members = int64_t{2} << (random() % 6), stride = int64_t{1} << (random() % 5);
    const std::vector<GroupSpan> spans = group_spans(machine, group_of(members, stride));
    const int64_t a = some_size(random), b = some_size(random);
    const int64_t from = std::min(a, b), to = std::max(a, b);
    const int64_t at = from + static_cast<int64_t>(random() % static_cast<uint64_t>(to - from + 1));
    const auto line = launch_line(machine, opcode, spans, from, to, at);
    const LaunchSlope slope = launch_slope(machine, opcode, spans, from, to);
    const auto lines = launch_lines(machine, opcode, spans, from, to, at);
    CHECK(lines.empty() == !line);
    auto time = [&](int64_t bytes) { return launch_time_over(machine, opcode, bytes, spans); };
    if (line) ++made;
    for (int k = 0; k < 40; ++k) {
      const int64_t size = std::clamp(k < 2 ? (k ? to : from) : some_size(random), from, to);
      INFO(name << " " << members << " by " << stride << ", " << size << " in " << from << ".."
                << to);
      if (line) CHECK(line->fixed + line->moving(size) <= time(size));
      const auto is_not_above = [&](const LaunchLine& one) {
        return one.fixed + one.moving(size) <= time(size);
      };
      CHECK((lines.empty() || std::ranges::any_of(lines, is_not_above)));
      const int64_t more = std::clamp(some_size(random), size, to);
      CHECK(time(size) - slope.slack + slope.moving(more - size) <= time(more));
    }
    // Within one stretch of a straight line nothing is lost but rounding.
    if (line && from == to) CHECK(time(at) - line->fixed - line->moving(at) <= 8);
  }
  CHECK(made > 100);
}

TEST_CASE("launch lines: exact where a further byte takes the less, the more there are") {
  const Machine& machine = machine_preset("trn2");
  const std::vector<GroupSpan> spans = group_spans(machine, group_of(8, 1));
  const int64_t from = 1024, to = int64_t{1} << 30;
  const int64_t at = int64_t{1} << 20;
  const auto lines = launch_lines(machine, Opcode::kAllGather, spans, from, to, at);
  REQUIRE(lines.size() > 1);
  const auto one = launch_line(machine, Opcode::kAllGather, spans, from, to, at);
  REQUIRE(one);
  for (int64_t size = from; size <= to; size *= 2) {
    const Picoseconds time = launch_time_over(machine, Opcode::kAllGather, size, spans);
    Picoseconds best = kSaturated;
    for (const LaunchLine& line : lines) best = std::min(best, line.fixed + line.moving(size));
    INFO(size);
    CHECK(best <= time);
    CHECK(time - best <= 16);
    CHECK(one->fixed + one->moving(size) <= best + 16);
  }
}

}  // namespace
}  // namespace flipsat::extract
