// Launches of small programs by name, and the pieces that such programs are made of.
#pragma once

#include <string>
#include <vector>

#include "frontends/text/text.h"
#include "hlo/combiner.h"

namespace flipsat::hlo::testing {

using Names = std::vector<std::string>;

// Every launch by the names of its members.
inline std::vector<Names> launches(const std::string& text, const CombinerOptions& options) {
  Module module = frontends::read_text(text, "test.hlo");
  CallGraph calls(module);
  std::vector<Names> names;
  for (const Launch& launch :
       simulate_combiner(module, infer_device_counts(module, {}), calls, options)) {
    Names& members = names.emplace_back();
    for (InstructionId id : launch.members) members.push_back(module[id].name);
  }
  return names;
}

inline std::vector<Names> launches(const std::string& text) {
  return launches(text, combiner_preset("neuron"));
}

inline CombinerOptions neuron_with(int64_t bytes, int64_t count) {
  CombinerOptions options = combiner_preset("neuron");
  options.all_gather = options.all_reduce = options.reduce_scatter = {true, bytes, count};
  return options;
}

inline const std::string kHeader = R"(HloModule test, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

add16 {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}

max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] maximum(a, b)
}

first {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, a)
}

add_by_way_of_f32 {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  wide_a = f32[] convert(a)
  wide_b = f32[] convert(b)
  s = f32[] add(wide_a, wide_b)
  ROOT narrow = bf16[] convert(s)
}

)";

inline std::string entry(const std::string& body) {
  return kHeader + "ENTRY main {\n  x = f32[32] parameter(0)\n  y = f32[32] parameter(1)\n" + body +
         "}\n";
}

inline const std::string kGroups =
    ", channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true";

inline std::string all_reduce(const std::string& name, const std::string& operand,
                              const std::string& more = "") {
  return "  " + name + " = f32[32] all-reduce(" + operand + "), to_apply=add" + kGroups + more +
         "\n";
}

inline const std::string kTuple = "  ROOT t = (f32[32], f32[32]) tuple(r1, r2)\n";

inline const std::string kFiveGathers = kHeader + R"(ENTRY main {
  x = f32[4,4] parameter(0)
  g1 = f32[16,4] all-gather(x), dimensions={0})" +
                                        kGroups + R"(
  g2 = f32[4,16] all-gather(x), dimensions={1})" +
                                        kGroups + R"(
  g3 = f32[16,4] all-gather(x), dimensions={0})" +
                                        kGroups + R"(
  g4 = f32[4,16] all-gather(x), dimensions={1})" +
                                        kGroups + R"(
  g5 = f32[16,4] all-gather(x), dimensions={0})" +
                                        kGroups + R"(
  ROOT t = (f32[16,4], f32[4,16], f32[16,4], f32[4,16], f32[16,4]) tuple(g1, g2, g3, g4, g5)
}
)";

}  // namespace flipsat::hlo::testing
