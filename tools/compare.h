// What `flipsat compare` has found: for each module the input, the greedy order as the compiler has
// it and as it is right, the best and the worst order, the optimizer's program and the bound.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laboratory/literal_run.h"
#include "laboratory/study.h"
#include "tools/json_text.h"

namespace flipsat::tools {

struct Comparison {
  laboratory::Study study;  // of the six sound passes
  laboratory::LiteralRun literal;
};

struct CompareRecord {
  std::string path;
  std::string relative;
  std::optional<Comparison> comparison;
  std::string error;  // where there is none
};

// Its programs by the report's names, in its order; null where a literal pass went wrong.
using NamedProgram = std::pair<const char*, const extract::ProgramCost*>;
std::array<NamedProgram, 6> programs_of(const Comparison& comparison);

Comparison compare_module(const hlo::Module& module, const optimizer::Options& options);

Json compare_report(const std::vector<CompareRecord>& records, const optimizer::Options& options);
std::string compare_csv(const std::vector<CompareRecord>& records,
                        const optimizer::Options& options);
std::string compare_text(const std::vector<CompareRecord>& records,
                         const optimizer::Options& options);

}  // namespace flipsat::tools
