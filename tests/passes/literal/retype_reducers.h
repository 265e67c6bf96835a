// For looking at the values of what literal passes make.
#pragma once

#include "hlo/module.h"
#include "hlo/reducer.h"

namespace flipsat::passes::testing {

// A reducer of another type than the data is read as backends read it: its operation, on the data.
inline void retype_reducers(hlo::Module& module) {
  for (size_t id = 0; id < module.instructions.size(); ++id) {
    hlo::ComputationList called = module.instructions[id].called_computations();
    if (!hlo::is_collective(module.instructions[id].opcode) || called.empty()) continue;
    hlo::Reducer reducer = hlo::recognise_reducer(module, called.front()).value();
    hlo::ElementType type = module.instructions[id].shape.type;
    if (reducer.type == type) continue;
    hlo::ComputationList retyped{hlo::find_or_add_reducer(module, reducer.kind, type)};
    module.instructions[id].set(hlo::AttributeKey::kToApply, std::move(retyped));
  }
}

}  // namespace flipsat::passes::testing
