// The next best programs: distinct ones in order of cost, the best first.
//
// Two programs are distinct where they hold other definitions; a choice for a class that nothing
// needs makes none. Where a site is small enough, all its programs are made, each once, by deciding
// class after class that the program so far asks for, and the answer is exact. Otherwise programs
// are found from the best one on: the cheapest that was not told yet is told and its neighbours
// are priced, those first that are likely to lose least. A neighbour gives one class another
// definition, with all that this one needs, or takes one back. Where choices do not meet, so that
// their costs add up, every next best program is a neighbour of a better one.
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
  std::set<ClassId> given_up;  // classes that stay as the input has them
};

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
  using Identity = std::pair<uint64_t, uint64_t>;
  struct Walk;

  bool enumerate();
  bool decide(Walk& walk);
  std::vector<NodeId> options(ClassId cls);
  void add();
  void take(const language::Selection& selection);
  void drop_unused();
  void expand();
  Identity identity();

  Problem& problem_;
  ProgramState& state_;
  const AlternativeOptions options_;
  const int64_t limit_;
  std::optional<MoveFinder> finder_;
  // Programs that wait, by cost and then by choices.
  std::set<std::pair<StateCost, std::map<ClassId, NodeId>>> open_;
  std::set<Identity> seen_;
  bool is_exact_ = false;
};

}  // namespace flipsat::extract
