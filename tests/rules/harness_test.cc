// Every rule on all small shapes: wherever it fires, both sides are run on every device and must
// agree; wherever it refuses what would have been right, a sentence says why.
//
// FLIPSAT_HARNESS_SCALE multiplies the number of cases (1: about a minute in an optimised build;
// 100: an hour or more).
#include <cstdio>
#include <cstdlib>
#include <set>

#include "frontends/text/text.h"
#include "tests/catch.h"
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

using optimizer::CheckOptions;
using optimizer::Counts;

CheckOptions options() {
#ifdef __SANITIZE_ADDRESS__
  CheckOptions options{.scale = 0.1};
#else
  CheckOptions options{.scale = 1};
#endif
  if (const char* scale = std::getenv("FLIPSAT_HARNESS_SCALE")) options.scale = std::atof(scale);
  return options;
}

std::string title(const Space& space) {
  std::string text = space.rule;
  if (!space.direction.empty()) text += "/" + space.direction;
  if (space.numerics != hlo::Numerics::kExact) {
    text += " (" + std::string(hlo::to_string(space.numerics)) + ")";
  }
  return text;
}

std::string described(const optimizer::CounterExample& example) {
  return frontends::write_text(example.module) + "\nbecame\n\n" +
         frontends::write_text(example.rewritten) + "\n" + example.text;
}

void print(const Space& space, const Counts& counts) {
  std::printf(
      "%-42s %6ld cases, %6ld fired, %ld wrong; refused %ld wrong, %ld right, %ld trivial\n",
      title(space).c_str(), counts.cases, counts.fired, counts.wrong, counts.refused_and_wrong,
      counts.refused_though_right_in_all(), counts.trivial);
  for (const auto& [reason, count] : counts.refused_though_right) {
    std::printf("    %ld refused though right: %s\n", count, reason.c_str());
    if (std::getenv("FLIPSAT_HARNESS_EXAMPLES")) {
      for (const auto& [note, times] : counts.notes.at(reason)) {
        std::printf("        %ld %s\n", times, note.c_str());
      }
      std::printf("%s\n", described(counts.right_example.at(reason)).c_str());
    }
  }
}

TEST_CASE("harness: no rule is wrong on any small shape", "[harness]") {
  for (const Space& space : all_spaces()) {
    INFO(title(space));
    Counts counts = optimizer::check(
        space, optimizer::rule_rewriter(space.rule, space.direction, space.numerics), options());
    print(space, counts);
    INFO((counts.smallest ? described(*counts.smallest) : ""));
    INFO(counts.why_not_run);
    CHECK(counts.wrong == 0);
    CHECK(counts.not_run == 0);
    CHECK(counts.fired > 0);
    for (const auto& [reason, count] : counts.refused_though_right) {
      INFO(reason);
      CHECK(space.explained.count(reason) == 1);
    }
  }
}

TEST_CASE("harness: a fault in any rule is caught", "[harness]") {
  for (const Space& space : all_spaces()) {
    INFO(title(space) << ": " << space.fault);
    CheckOptions some = options();
    some.scale *= 0.25;
    Counts counts = optimizer::check_fault(space, some);
    CHECK(counts.not_run == 0);
    CHECK(counts.wrong > 0);
    if (counts.smallest) {
      std::printf("%s with a fault (%s): %ld of %ld wrong, smallest on %ld devices, %ld elements\n",
                  title(space).c_str(), space.fault.c_str(), counts.wrong, counts.fired,
                  counts.smallest->devices, counts.smallest->elements);
    }
  }
}

TEST_CASE("harness: every rule of the catalogue has its space", "[harness]") {
  std::set<std::string> in_spaces, in_catalogue;
  for (const Space& space : all_spaces()) in_spaces.insert(space.rule);
  for (const RuleInfo& info : catalogue()) in_catalogue.insert(info.name);
  CHECK(in_spaces == in_catalogue);
}

}  // namespace
}  // namespace flipsat::rules::testing
