// The true cost of a program, computed on the program as it would be written.
//
//   time = launches after the combiner (times executions of their computation)
//        + local work of the instructions in the surroundings of collectives
//
// `surroundings` is decided once on the input and passed in, so that programs of one input are
// compared over the same instructions: those of the input that are marked and still live, plus
// every instruction that the input does not have.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "extract/machine.h"
#include "hlo/call_graph.h"
#include "hlo/combiner.h"
#include "hlo/devices.h"
#include "hlo/module.h"

namespace flipsat::extract {

enum class Objective : uint8_t { kTime, kBytes, kLaunches };

struct CostOptions {
  hlo::CombinerOptions combiner;
  std::string machine = "trn2";  // preset or file
  Objective objective = Objective::kTime;
  // Where set: those of `machine` with some changed, to see what hangs on them.
  std::shared_ptr<const Machine> figures = nullptr;
};

// The machine that options name or hold. Throws as machine_preset does.
const Machine& machine_of(const CostOptions& options);

struct OpcodeTotals {
  int64_t count = 0;
  int64_t bytes = 0;
};

struct Totals {
  int64_t collectives = 0;
  int64_t launches = 0;
  int64_t gathered_bytes = 0;
  int64_t reduced_bytes = 0;
  int64_t wire_bytes = 0;
};

// One row of the table: collectives that could combine (opcode, element type, dim, groups).
struct KeyRow {
  std::string opcode;
  std::string type;
  std::string dim;     // "0", or "-" where there is none
  std::string groups;  // "8x4": 8 groups of 4, with a letter where several groupings share a form
  int64_t count = 0;
  int64_t launches = 0;
  int64_t bytes = 0;
};

struct ProgramCost {
  Totals plain;     // each instruction once
  Totals executed;  // times trip counts and call multiplicity
  std::map<std::string, OpcodeTotals> by_opcode;
  std::vector<KeyRow> keys;
  Picoseconds time = 0;
  Picoseconds launch_time = 0;  // part of `time`
  Picoseconds local_time = 0;   // the other part
  int64_t peak_bytes = 0;
  bool has_unknown_trip_count = false;  // a loop with collectives ran once in the figures

  // In the objective's unit: picoseconds, executed wire bytes, executed launches.
  int64_t value(Objective objective) const;
};

// Which instructions of the input count as local work: those within a few steps, through operations
// that rules can move, of a collective. Indexed by InstructionId.
std::vector<bool> collective_surroundings(const hlo::Module& input);

// Cost of `program`, a patched copy of the input (ids up to surroundings.size() are the input's).
ProgramCost price_program(const hlo::Module& program, const hlo::DeviceCounts& counts,
                          const CostOptions& options, const std::vector<bool>& surroundings);

// Local work of one instruction: bytes read and written at the machine's memory rate; a reshape
// that keeps the two minor dims is free, one that re-tiles and a transpose move their bytes; dots
// add their operations. A gather or scatter along a dim that is not major packs its full array;
// other collectives, tuples, get-tuple-element, parameters, constants: 0.
Picoseconds local_work(const hlo::Module& module, const hlo::Instruction& instruction,
                       const Machine& machine);

// Wire bytes per device of one collective (product page: gather (n-1)/n of the result, scatter of
// the operand, all-reduce 2(n-1)/n, all-to-all (n-1)/n, permute the operand), rounded up.
int64_t wire_bytes(hlo::Opcode opcode, int64_t bytes, int64_t group_size);

// Peak of live bytes over text order (or the module's own schedule): parameters, every live value,
// and the largest callee at each call.
int64_t peak_live_bytes(const hlo::Module& module);

}  // namespace flipsat::extract
