#include "hlo/combiner.h"

#include <iterator>
#include <limits>
#include <stdexcept>

#include "hlo/combiner_simulation.h"

namespace flipsat::hlo {

CombinerOptions combiner_preset(const std::string& name) {
  constexpr CombinerOptions::Limits kOff{false, 0, 0};
  constexpr CombinerOptions::Limits kNeuron{true, int64_t{1} << 30, 256};
  constexpr CombinerOptions::Limits kGpu{true, 30 * 1024 * 1024 + 7, 2048};
  constexpr CombinerOptions::Limits kCpu{true, std::numeric_limits<int64_t>::max(), 256};
  CombinerOptions options;
  options.name = name;
  options.all_gather = options.all_reduce = options.reduce_scatter = kOff;
  options.collective_permute = kOff;
  if (name == "none") return options;
  if (name == "neuron") {
    options.all_gather = options.all_reduce = options.reduce_scatter = kNeuron;
    return options;
  }
  if (name == "xla-cpu") {
    options.all_reduce = kCpu;
    return options;
  }
  if (name == "xla-gpu") {
    options.all_gather = options.all_reduce = options.reduce_scatter = kGpu;
    options.collective_permute = kGpu;
    options.by_dim = false;
    options.combine_different_types = true;
    return options;
  }
  throw std::invalid_argument("no combiner preset is called \"" + name +
                              "\"; there are neuron, xla-gpu, xla-cpu, none");
}

std::vector<Launch> simulate_combiner(const Module& module, const DeviceCounts&,
                                      const CallGraph& calls, const CombinerOptions& options) {
  CombinerSimulation simulation(module, calls, options);
  std::vector<Launch> launches;
  for (ComputationId computation : module.order) {
    if (calls.is_embedded(computation)) continue;
    std::vector<Launch> here = simulation.launches(module, computation);
    launches.insert(launches.end(), std::make_move_iterator(here.begin()),
                    std::make_move_iterator(here.end()));
  }
  return launches;
}

}  // namespace flipsat::hlo
