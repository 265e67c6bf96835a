// A module in an e-graph, for tests: every instruction counts as near a collective unless told
// otherwise, and no rule has run.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "frontends/text/text.h"
#include "language/export.h"

namespace flipsat::language {

struct Imported {
  hlo::Module module;
  hlo::DeviceCounts counts;
  std::unique_ptr<hlo::CallGraph> calls;
  std::unique_ptr<HloGraph> hlo;
  Import import;

  explicit Imported(const std::string& text, bool near = true)
      : module(frontends::read_text(text, "test.hlo")),
        counts(hlo::infer_device_counts(module, {})),
        calls(std::make_unique<hlo::CallGraph>(module)),
        hlo(std::make_unique<HloGraph>(counts)) {
    hlo::Uniformity uniformity(module, counts, *calls, {});
    hlo::DeviceValues values(module, counts, *calls);
    import = import_module(module, {counts, *calls, uniformity, values},
                           std::vector<bool>(module.instructions.size(), near), *hlo);
  }

  hlo::InstructionId id(const std::string& name) const {
    for (hlo::InstructionId id = 0; id < module.instructions.size(); ++id) {
      if (module[id].name == name) return id;
    }
    throw std::logic_error("no instruction " + name);
  }
  ClassId cls(const std::string& name) const {
    return hlo->graph().find(import.class_of[id(name)]);
  }
  NodeId node(const std::string& name) const { return import.node_of[id(name)]; }
  Kind kind(const std::string& name) const { return hlo->op(node(name)).kind; }
  std::string opaque_reason(const std::string& name) const {
    for (const OpaqueCollective& collective : import.opaque_collectives) {
      if (collective.instruction == id(name)) return collective.reason;
    }
    return "";
  }

  // What comes out where the classes of these instructions are defined by these nodes; "a cycle".
  std::string text(const Selection& selection) {
    auto exported = export_module(module, import, *hlo, selection);
    return exported ? frontends::write_text(exported->module) : "a cycle";
  }
};

// Reducers add, add16 and the lines of the entry computation.
inline std::string module_text(const std::string& lines,
                               const std::string& header = "num_partitions=4") {
  return "HloModule test, " + header + R"(

add {
  lhs = f32[] parameter(0)
  rhs = f32[] parameter(1)
  ROOT sum = f32[] add(lhs, rhs)
}

add16 {
  lhs = bf16[] parameter(0)
  rhs = bf16[] parameter(1)
  ROOT sum = bf16[] add(lhs, rhs)
}

ENTRY main {
)" + lines +
         "}\n";
}

inline const std::string kOverAll =
    ", channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true";

}  // namespace flipsat::language
