// Every rule on all small shapes: wherever it fires, both sides are run on every device and must
// agree; wherever it refuses what would have been right, a sentence says why.
//
// FLIPSAT_HARNESS_SCALE multiplies the number of cases (1: about a minute in an optimised build;
// 100: an hour or more). FLIPSAT_HARNESS_RULES: only those whose names begin so.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "frontends/text/text.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

using optimizer::CheckOptions;
using optimizer::Counts;

CheckOptions options() {
  CheckOptions options{.scale = flipsat::testing::length<double>({1, 0.25}, {0.1, 0.05})};
  if (const char* scale = std::getenv("FLIPSAT_HARNESS_SCALE")) options.scale = std::atof(scale);
  return options;
}

std::vector<Space> spaces() {
  std::vector<Space> some = all_spaces();
  if (const char* begin = std::getenv("FLIPSAT_HARNESS_RULES")) {
    std::erase_if(some, [&](const Space& space) { return !space.rule.starts_with(begin); });
  }
  return some;
}

// "forward (precise)"
std::string direction(const Space& space) {
  if (space.numerics == hlo::Numerics::kExact) return space.direction;
  return space.direction + " (" + std::string(hlo::to_string(space.numerics)) + ")";
}

std::string title(const Space& space) {
  return space.rule + (space.direction.empty() ? "" : "/" + direction(space));
}

std::string described(const optimizer::CounterExample& example) {
  return frontends::write_text(example.module) + "\nbecame\n\n" +
         frontends::write_text(example.rewritten) + "\n" + example.text;
}

void print(const Space& space, const Counts& counts) {
  std::printf(
      "counted: %-42s %6ld cases, %6ld fired, %ld wrong; refused %ld wrong, %ld right, %ld "
      "trivial\n",
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

// Lines for scripts/soundness_table.py: what was counted, then each reason with its sentence.
std::string table_lines(const Space& space, const Counts& counts) {
  std::string text = space.rule + "\t" + direction(space);
  for (int64_t number : {counts.cases, counts.fired, counts.wrong, counts.refused_and_wrong,
                         counts.trivial, counts.refused_though_right_in_all()}) {
    text += "\t" + std::to_string(number);
  }
  for (const auto& [reason, count] : counts.refused_though_right) {
    auto sentence = space.explained.find(reason);
    text += "\n\t" + std::to_string(count) + "\t" + reason + "\t" +
            (sentence == space.explained.end() ? "" : sentence->second);
  }
  return text + "\n";
}

// A part of the spaces, so that several run side by side. Lines for the table are appended.
void try_part(size_t part, size_t parts) {
  const std::vector<Space> all = spaces();
  std::string table;
  for (size_t i = all.size() * part / parts; i < all.size() * (part + 1) / parts; ++i) {
    const Space& space = all[i];
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
    table += table_lines(space, counts);
  }
  if (const char* path = std::getenv("FLIPSAT_HARNESS_TABLE")) {
    std::ofstream(path, std::ios::app) << table;
  }
}

TEST_CASE("harness: no rule is wrong on any small shape, first part", "[harness]") {
  try_part(0, 4);
}
TEST_CASE("harness: no rule is wrong on any small shape, second part", "[harness]") {
  try_part(1, 4);
}
TEST_CASE("harness: no rule is wrong on any small shape, third part", "[harness]") {
  try_part(2, 4);
}
TEST_CASE("harness: no rule is wrong on any small shape, last part", "[harness]") {
  try_part(3, 4);
}

TEST_CASE("harness: a fault in any rule is caught", "[harness]") {
  for (const Space& space : spaces()) {
    INFO(title(space) << ": " << space.fault);
    CheckOptions some = options();
    some.enough_wrong = 10;
    Counts counts = optimizer::check_fault(space, some);
    CHECK(counts.not_run == 0);
    CHECK(counts.wrong > 0);
    if (counts.smallest) {
      std::printf(
          "counted: %s with a fault (%s): %ld of %ld wrong, smallest on %ld devices, %ld "
          "elements\n",
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
