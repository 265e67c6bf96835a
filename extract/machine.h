// Machines: what a collective launch and a byte of local traffic cost. Integer picoseconds.
//
// A preset is a struct of figures, each with its public source beside it; a JSON file with the same
// fields (docs/machines.md) makes another machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/devices.h"
#include "hlo/opcode.h"

namespace flipsat::extract {

using Picoseconds = int64_t;

struct Machine;  // defined in extract/machine_model.h

// trn2 (default), tpu-v5e, h100; or the path of a JSON file. Throws std::invalid_argument for an
// unknown name, hlo::InputError for a bad file.
const Machine& machine_preset(const std::string& name);
Machine machine_from_file(const std::string& path);

// Time of one launch. `bytes`: what the launch moves in the convention of its opcode: gather =
// result, reduce-scatter, all-reduce, all-to-all, permute = operand; a batch's members summed.
// Strictly increasing in bytes; groups of one copy. `groups` gives the size and how far members lie
// apart (a node is k consecutive device ids).
Picoseconds launch_time(const Machine& machine, hlo::Opcode opcode, int64_t bytes,
                        const hlo::DeviceGroups& groups);

// Time to read and write `bytes` of local memory.
Picoseconds memory_time(const Machine& machine, int64_t bytes);
// Time of `flops` operations on the matrix unit (bf16 rate).
Picoseconds matrix_time(const Machine& machine, int64_t flops);

}  // namespace flipsat::extract
