#include "tools/inspected_options.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "tools/suggest.h"
#include "tools/usage_error.h"

namespace flipsat::tools {

optimizer::Options inspected_options(const OptimizerArguments& arguments,
                                     const std::string& command) {
  const std::array<std::pair<bool, const char*>, 4> elsewhere = {
      {{arguments.hoist, "--hoist"},
       {arguments.emit_combined, "--emit-combined"},
       {arguments.beat_orders, "--beat-orders"},
       {arguments.alternatives > 0, "--alternatives"}}};
  for (const auto& [is_given, name] : elsewhere) {
    if (is_given) {
      throw UsageError(
          fmt::format("{}: {} looks at the module's own e-graph alone", name, command));
    }
  }
  optimizer::Options options = optimizer_options(arguments);
  options.headroom = false;
  return options;
}

hlo::InstructionId instruction_option(const hlo::Module& module, const std::string& option,
                                      const std::string& name) {
  const std::string plain = without_percent(name);
  std::vector<std::string> names, full_names;
  std::vector<hlo::InstructionId> found;
  for (hlo::ComputationId computation : module.order) {
    for (hlo::InstructionId id : module.computations[computation].instructions) {
      const std::string full = module[id].name + "@" + module.computations[computation].name;
      if (full == plain) return id;
      names.push_back(module[id].name);
      if (module[id].name != plain) continue;
      found.push_back(id);
      full_names.push_back("%" + full);
    }
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    throw UsageError(fmt::format("{}: '%{}' stands in {} computations; say one of {}", option,
                                 plain, found.size(), fmt::join(full_names, ", ")));
  }
  throw UsageError(fmt::format("{}: there is no instruction '%{}'{}", option, plain,
                               did_you_mean(plain, names)));
}

}  // namespace flipsat::tools
