// The next best programs: distinct ones in order of cost, the best first.
//
// Two programs are distinct where they launch other collectives, or do other work that is priced,
// on other values. What costs nothing (most reshapes) is looked through, so that one alternative is
// not told in all the ways of writing it, and a choice for a class that nothing needs makes no
// program.
//
// Where a site is small enough, all its programs are made, each once, by deciding class after class
// that the program so far asks for, and the answer is exact. Otherwise programs are found from the
// best one on: the cheapest that was not told yet is told and its neighbours are priced, those
// first that are likely to lose least. A neighbour gives one class another definition, with all
// that this one needs, or takes one back. Where choices do not meet, so that their costs add up,
// every next best program is a neighbour of a better one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "extract/moves.h"

namespace flipsat::extract {

struct AlternativeOptions {
  int64_t work = 4'000'000;    // definitions that pricing may look at
  size_t most = 64;            // programs that will be asked for
  int64_t most_made = 20'000;  // programs that may be made one by one
  std::set<ClassId> given_up;  // classes that stay as the input has them
};

// Equal for programs that are not distinct.
using ProgramSignature = std::pair<uint64_t, uint64_t>;
// Of a program with a cost, as of the last `settle`.
ProgramSignature program_signature(Problem& problem, ProgramState& state, const StateCost& cost);

class Alternatives {
 public:
  struct Program {
    language::Selection selection;
    StateCost cost;
  };

  // `state` holds the best program, as extract() leaves it; it serves as scratch from then on.
  Alternatives(Problem& problem, ProgramState& state, const AlternativeOptions& options);

  // Nullopt where there is no other program, or none within the work allowed.
  std::optional<Program> next();
  // All programs were made: what `next` tells are the best there are.
  bool is_exact() const { return is_exact_; }

 private:
  struct Walk;

  bool enumerate();
  bool decide(Walk& walk);
  std::vector<NodeId> options(ClassId cls);
  void add();
  void take(const language::Selection& selection);
  void drop_unused();
  void expand();

  Problem& problem_;
  ProgramState& state_;
  const AlternativeOptions options_;
  const int64_t limit_;
  std::optional<MoveFinder> finder_;
  // Programs that wait, by cost and then by choices; and what was seen, with its cost.
  std::set<std::pair<StateCost, std::map<ClassId, NodeId>>> open_;
  std::map<ProgramSignature, std::pair<StateCost, std::map<ClassId, NodeId>>> seen_;
  ProgramSignature best_;  // the one to begin with stays as it is
  bool is_exact_ = false;
};

}  // namespace flipsat::extract
