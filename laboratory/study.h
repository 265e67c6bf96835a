// The pass-order laboratory on one module: which programs all orders of some passes end at, what
// each costs, whether it is right, and how far it is from what the optimizer finds.
//
//   Study found = study(module, {.optimizer = options});
//   found.programs.front();  // the cheapest
//   found.program_of[0];     // that of the list as it stands
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "laboratory/correctness.h"
#include "laboratory/pass_list.h"
#include "optimizer/result.h"
#include "passes/order_search.h"

namespace flipsat::laboratory {

struct StudyOptions {
  optimizer::Options optimizer;
  Mode mode = Mode::kSound;
  std::vector<std::string> passes = {};  // as in pass_list.h; empty: the six
  passes::Sweeps sweeps = passes::Sweeps::kOnce;
};

// A program that orders end at. Two are one where they differ in nothing that a result needs and
// cost the same.
struct FinalProgram {
  std::vector<uint32_t> orders;              // places in Study::orders
  std::optional<extract::ProgramCost> cost;  // nullopt: a pass went wrong, as `correctness` says
  Correctness correctness;
  bool settled = true;  // false: a fix-point was given up
};

// A program on the way of some order.
struct LatticeState {
  std::optional<int64_t> cost;           // by the objective; nullopt: a pass went wrong
  int depth = 0;                         // least number of changes from the input
  std::optional<uint32_t> ends_program;  // place in Study::programs, where orders end here
  int64_t ending_orders = 0;
};

struct LatticeEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  std::vector<uint32_t> steps;  // places in Study::passes
  int64_t orders = 0;           // that pass along it
};

struct Study {
  std::vector<std::string> passes;  // the list's, then closing ones, by short name
  size_t listed = 0;                // how many are the list's
  std::vector<passes::Order> orders;
  std::vector<uint32_t> program_of;    // by order
  std::vector<FinalProgram> programs;  // the cheapest first, then by first order; wrong ends last
  std::vector<LatticeState> states;    // the first is the input
  std::vector<LatticeEdge> edges;
  int64_t pass_runs = 0;
  std::string left_alone;    // why the module stays as it is; empty if it need not
  optimizer::Result result;  // of the optimizer, which beats every order; without its output

  std::vector<std::string> names(uint32_t order) const;
  // By the objective; nullopt where a pass went wrong.
  std::optional<int64_t> cost(uint32_t order, extract::Objective objective) const;
};

// Throws as optimize does, and std::invalid_argument for names that are no passes, or too many.
Study study(const hlo::Module& module, const StudyOptions& options);

}  // namespace flipsat::laboratory
