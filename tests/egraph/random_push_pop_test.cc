// Random pushes and pops between random adds, merges, rebuilds and runs: `pop` brings back the
// graph as it was at the push, number for number, and it goes on from there as the reference does.
#include "tests/catch.h"
#include "tests/egraph/fingerprint.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

class Stack {
 public:
  Stack(Twins& twins, Random& random) : twins_(twins), random_(random) {}

  size_t depth() const { return levels_.size(); }

  // Half of the time with congruence still to be restored.
  void push() {
    const bool is_rebuilt = random_.one_in(2);
    if (is_rebuilt) twins_.rebuild();
    twins_.engine.push();
    levels_.push_back({twins_.checkpoint(), is_rebuilt ? print() : std::string()});
  }

  std::string pop() {
    twins_.engine.pop();
    twins_.restore(levels_.back().reference);
    const std::string before = std::move(levels_.back().fingerprint);
    levels_.pop_back();
    if (!before.empty() && before != print()) return "pop: not the graph that was pushed";
    twins_.rebuild();
    return twins_.difference();
  }

 private:
  struct Level {
    Twins::Checkpoint reference;
    std::string fingerprint;  // where it was rebuilt
  };
  std::string print() const { return fingerprint(twins_.engine, twins_.mode); }

  Twins& twins_;
  Random& random_;
  std::vector<Level> levels_;
};

std::string run_some_rules(Twins& twins, Random& random) {
  twins.rebuild();
  SideBySide how;
  how.options.limits.iterations = 1 + random.below(3);
  how.options.limits.nodes = 300;
  how.options.limits.matches = 2000;
  how.options.search = random.one_in(3) ? SearchMode::kFull : SearchMode::kIncremental;
  const std::vector<TestRule> rules = random_rules(random, twins, 2, {});
  const SideBySideResult result = run_side_by_side(twins, rules, how);
  // A limit cut the run short where the reference did not follow.
  if (!result.is_comparable) return "cut";
  return result.difference;
}

TEST_CASE("random: push and pop") {
  for (const uint32_t seed : random_seeds(90'000, 1000)) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    Stack stack(twins, random);
    grow(twins, random, {3, 4 + random.below(10), random.below(3), 2});
    bool is_cut = false;
    for (int step = 0; step < 16 && !is_cut; ++step) {
      CAPTURE(step);
      std::string difference;
      switch (random.below(6)) {
        case 0:
        case 1:
          stack.push();
          break;
        case 2:
        case 3:
          if (stack.depth() != 0) difference = stack.pop();
          break;
        case 4:
          grow(twins, random, {1, random.below(5), random.below(3), random.below(2)});
          break;
        default:
          difference = run_some_rules(twins, random);
      }
      is_cut = difference == "cut";
      REQUIRE((is_cut || difference == ""));
    }
    while (stack.depth() != 0) REQUIRE(stack.pop() == "");
  }
}

// What was tried and taken back leaves no trace: the graph goes on number for number like one
// where it was never tried.
TEST_CASE("random: after a pop all goes on as if nothing had been") {
  for (const uint32_t seed : random_seeds(91'000, 500)) {
    CAPTURE(seed);
    std::string prints[2];
    for (const bool tries : {false, true}) {
      Random random(seed);
      Random other(seed + 1);
      Twins twins(random_mode(random));
      grow(twins, random, {3, 10, 2, 2});
      twins.rebuild();
      if (tries) {
        const Twins::Checkpoint before = twins.checkpoint();
        twins.engine.push();
        grow(twins, other, {2, 8, 3, 2});
        run_some_rules(twins, other);
        twins.engine.pop();
        twins.restore(before);
      }
      grow(twins, random, {1, 6, 2, 1});
      run_some_rules(twins, random);
      prints[tries ? 1 : 0] = fingerprint(twins.engine, twins.mode);
    }
    REQUIRE(prints[0] == prints[1]);
  }
}

}  // namespace
}  // namespace flipsat::egraph::reference
