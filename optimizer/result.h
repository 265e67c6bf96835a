// What the optimizer found: the program, what it costs beside the input and the greedy order, what
// changed and why that is right. The report and the table are made from this and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "extract/program_cost.h"
#include "hlo/devices.h"
#include "hlo/module.h"
#include "hlo/numerics.h"

namespace flipsat::optimizer {

// kGreedy: an order of the local passes, that of the registry or another.
enum class Origin : uint8_t { kInput, kGreedy, kEGraph };

// A value whose definition is no longer the input's.
struct Change {
  std::string at;  // "%convert.5": the value in the input
  std::string computation;
  std::vector<std::string> rules;
  std::vector<std::string> from;  // instructions of the input that it replaces, with '%'
  std::vector<std::string> to;    // instructions of the output that do so
  int64_t bytes_before = 0;       // wire bytes, each instruction once
  int64_t bytes_after = 0;
  extract::Picoseconds time_before = 0;
  extract::Picoseconds time_after = 0;
  std::string source;  // "layers.py:42 (jit(step)/dot)" from metadata; may be empty
};

// A site where a rule could have fired and the input's form was kept.
struct Kept {
  std::string at;
  std::string rule;
  std::string why;  // "cost", "min-gain", "peak", "not checked"
  extract::Picoseconds time_before = 0;
  extract::Picoseconds time_after = 0;
};

struct RuleReport {
  std::string name;
  int64_t matches = 0;
  int64_t applied = 0;                     // unions and edges that were new
  std::map<std::string, int64_t> refused;  // reason: distinct roots at the end of saturation
  extract::Picoseconds gain = 0;           // modelled, over the changes that it took part in
};

struct NotChecked {
  std::string at;
  std::string why;
};

struct Verification {
  std::string how = "off";  // "symbolic" or "off"
  int64_t values = 0;
  int64_t elements = 0;
  std::vector<NotChecked> not_checked;  // the changes behind these were dropped
};

struct EGraphReport {
  int64_t nodes = 0;
  int64_t classes = 0;
  int64_t iterations = 0;
  std::string stop;  // "saturated", "node limit 1000000", ...
};

// What a looser class of numerics would give.
struct Headroom {
  hlo::Numerics numerics = hlo::Numerics::kPrecise;
  extract::ProgramCost cost;
};

// What `--emit-combined` did. Launches are those of the whole module, each computation once.
struct CombinedReport {
  int64_t walked = 0;   // where the compiler's combiner is left to it
  int64_t planned = 0;  // by the packing that was found
  int64_t bound = 0;    // no packing of this program has fewer
  int64_t written = 0;  // combined collectives in the output, and of how many
  int64_t members = 0;
  std::string why_not;  // where nothing was written though something could be
};

// What the orders of the local passes come to (`--beat-orders`).
struct OrdersReport {
  int64_t order_count = 0;
  int64_t programs = 0;              // distinct ones that they end at
  int64_t states = 0;                // distinct ones on the way, the input included
  extract::ProgramCost best, worst;  // by the objective
  std::vector<std::string> best_order;
  bool is_output = false;  // the output is the best that could be taken, or was found from it
};

// A program beside the output, and what of it was proved.
struct Alternative {
  extract::ProgramCost cost;
  std::vector<Change> changes;  // from the input; none: it is the input
  int64_t values = 0;
  int64_t elements = 0;
};

struct AlternativesReport {
  std::vector<Alternative> programs;  // by the objective, none below the output
  bool is_exact = false;   // no other program of the e-graph costs less than one of these
  int64_t left_out = 0;    // could not be checked
  bool is_beaten = false;  // one costs less than the output, which the search had missed
};

// The solver that was asked for, and what became of its answers.
struct SolverReport {
  std::string name;
  std::string version;
  int64_t asked = 0;    // parts of an extraction that were open
  int64_t cheaper = 0;  // answers that cost less than what was known
  int64_t proved = 0;   // parts that an answer closed
  int64_t refused = 0;  // answers that did not hold
};

struct Elapsed {  // milliseconds
  double read = 0, import = 0, saturate = 0, extract = 0, verify = 0, orders = 0, combine = 0,
         alternatives = 0, headroom = 0, write = 0;
};

struct Result {
  hlo::Module output;
  hlo::DeviceCounts counts;
  extract::ProgramCost input_cost, greedy_cost, output_cost;
  Origin origin = Origin::kInput;
  std::optional<int64_t> bound;  // in the objective's unit; nullopt: not known
  std::vector<Change> changes;
  std::vector<Kept> kept;
  std::vector<RuleReport> rules;
  Verification verified;
  std::optional<OrdersReport> orders;              // where it was asked for
  std::optional<CombinedReport> combined;          // the same
  std::optional<AlternativesReport> alternatives;  // where they were asked for
  std::optional<SolverReport> solver;              // where one was asked for
  EGraphReport egraph;
  std::vector<Headroom> headroom;  // looser classes under which the objective would be lower
  int64_t order_open = 0;          // changes that rely on the order of a reduction being open
  bool deterministic = true;       // false when the wall-clock safety net bit
  std::vector<std::string>
      notes;  // plain sentences for the user ("12 collectives are opaque: ...")
  Elapsed elapsed;
};

// (output - bound) / output, down to a thousandth of a percent: less than that is what rounding to
// whole picoseconds makes of each launch. 0 where the output is 0. Nullopt where no bound is known.
std::optional<double> gap(const Result& result, extract::Objective objective);

}  // namespace flipsat::optimizer
