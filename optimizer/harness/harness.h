// Rules tried on all small programs that they could meet.
//
// A space describes programs (choices.h) and knows, for each, the right-hand sides that the
// equation could have without any condition, written apart from the rule. Where the rule fires,
// what it made is run beside the program; where it refuses, the candidates are: a refusal though
// one of them is right is counted under its reason.
//
//   Counts counts = check(space, rule_rewriter("gather-reshape", "forward"));
//   counts.fired, counts.wrong, counts.refused_though_right
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/harness/choices.h"
#include "optimizer/harness/program.h"
#include "optimizer/harness/rewriter.h"

namespace flipsat::optimizer {

using Modules = std::vector<hlo::Module>;

struct Case {
  hlo::Module module;
  // Right-hand sides without their condition, well formed and of the program's shape; empty where
  // there is none.
  std::function<Modules()> candidates;
  // What a rule with a fault in it would make: for a test that the harness sees it.
  std::function<Modules()> faulty;
  // Says of which kind the case is, where that helps to see what a refusal hits.
  std::string note;
  // Where no rule is there yet: does its condition hold, so that the candidates are what it makes?
  bool claimed = false;
};

struct Space {
  std::string rule;       // family
  std::string direction;  // what the names of its rewrites begin with, "" for all
  // Nullopt where the choices make no well-formed program.
  std::function<std::optional<Case>(Choices&)> make;
  int64_t sample = 0;                // how many cases are drawn; 0: all there are
  Promise promise = Promise::kBits;  // of candidates and faults
  hlo::Numerics numerics = hlo::Numerics::kExact;
  // Why a refusal for this reason may hit what is right.
  std::map<std::string, std::string> explained;
  std::string fault;  // in words
};

struct CounterExample {
  hlo::Module module;
  hlo::Module rewritten;
  std::string text;  // where they differ
  int64_t devices = 0;
  int64_t elements = 0;
};

struct Counts {
  int64_t cases = 0;
  int64_t fired = 0;
  int64_t wrong = 0;              // of those that fired
  int64_t not_run = 0;            // cases that the interpreter cannot run
  int64_t refused_and_wrong = 0;  // there were candidates, all of them wrong
  int64_t without_right_side = 0;
  std::map<std::string, int64_t> refused;  // by reason, right or wrong
  // By reason. Left out, and counted apart, are programs on which almost anything is right: those
  // whose groups all have one member, and those whose result is empty.
  std::map<std::string, int64_t> refused_though_right;
  std::map<std::string, std::map<std::string, int64_t>> notes;  // the same by the cases' notes
  int64_t trivial = 0;
  std::map<std::string, CounterExample> right_example;  // the smallest, by reason
  std::string why_not_run;                              // of the first
  std::optional<CounterExample> smallest;               // fewest devices, then elements

  int64_t refused_though_right_in_all() const;
};

struct CheckOptions {
  double scale = 1;            // of the number of cases
  bool try_candidates = true;  // where the rewriter refuses
  int64_t enough_wrong = -1;   // ends when so many cases were wrong
};

// Every case of the space through the rewriter.
Counts check(const Space& space, const Rewriter& rewriter, const CheckOptions& options = {});

// The faulty right-hand sides in the rewriter's place.
Counts check_fault(const Space& space, const CheckOptions& options = {});
// The candidates where the case claims that they are right, refused elsewhere ("the condition").
Counts check_claims(const Space& space, const CheckOptions& options = {});

}  // namespace flipsat::optimizer
