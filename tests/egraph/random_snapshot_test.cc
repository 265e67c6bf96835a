// Snapshots of random e-graphs: what is read is what was written, number for number, and both go on
// in the same way.
#include <sstream>

#include "egraph/io/snapshot.h"
#include "tests/catch.h"
#include "tests/egraph/fingerprint.h"
#include "tests/egraph/reference/random_case.h"

namespace flipsat::egraph::reference {
namespace {

std::string written(const EGraph& graph) {
  std::ostringstream out;
  write_snapshot(graph, out);
  return out.str();
}
EGraph read(const std::string& bytes, FactsMode mode) {
  std::istringstream in(bytes);
  return read_snapshot(in, "snapshot", facts_analysis(mode));
}

std::string go_on(Twins& twins, Random random) {
  grow(twins, random, {1, 6, 3, 2});
  twins.rebuild();
  SideBySide how;
  how.options.limits.iterations = 3;
  how.options.limits.nodes = 300;
  how.options.limits.matches = 2000;
  const std::vector<TestRule> rules = random_rules(random, twins, 3, {});
  return run_side_by_side(twins, rules, how).difference;
}

TEST_CASE("random: a snapshot is read back and grows on like the original") {
  for (const uint32_t seed : random_seeds(95'000, 1000)) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    grow(twins, random, {3, random.below(25), random.below(4), random.below(4)});
    twins.rebuild();
    if (random.one_in(2)) REQUIRE(go_on(twins, random) == "");
    twins.naive.rebuild();

    const std::string bytes = written(twins.engine);
    Twins copy(twins, read(bytes, twins.mode));
    REQUIRE(fingerprint(copy.engine, copy.mode) == fingerprint(twins.engine, twins.mode));
    REQUIRE(written(copy.engine) == bytes);

    REQUIRE(go_on(twins, random) == "");
    REQUIRE(go_on(copy, random) == "");
    REQUIRE(fingerprint(copy.engine, copy.mode) == fingerprint(twins.engine, twins.mode));
  }
}

TEST_CASE("random: a damaged snapshot is refused") {
  for (const uint32_t seed : random_seeds(96'000, 300)) {
    CAPTURE(seed);
    Random random(seed);
    Twins twins(random_mode(random));
    grow(twins, random, {3, random.below(15), random.below(3), random.below(3)});
    twins.rebuild();
    std::string bytes = written(twins.engine);
    if (random.one_in(3)) {
      bytes.resize(random.below(bytes.size()));
    } else {
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
    }
    REQUIRE_THROWS(read(bytes, twins.mode));
  }
}

}  // namespace
}  // namespace flipsat::egraph::reference
